#include "ui/store_messages.h"

#include "ui/runs/runs_view.h"

namespace ui {

StoreMessages::StoreMessages(Workbench& workbench, RunsView& view, QObject* parent)
    : QObject(parent)
    , m_workbench(workbench)
    , m_view(view)
{
    StoreService& store = m_workbench.store;
    connect(&store, &StoreService::failed, this, &StoreMessages::showFailure);
    connect(&m_workbench.watch, &RunWatch::failed, this, &StoreMessages::showFailure);
    connect(&store, &StoreService::opened, this, [this](bool isReadOnly) {
        m_kind.reset();
        m_isReadOnly = isReadOnly;
        show();
    });
    connect(&store, &StoreService::behind, this, [this](const QString& sentence) {
        m_behind = sentence;
        show();
    });
    connect(&store, &StoreService::foldersUnreadable, this,
        [this](const QStringList& sentences) { Q_EMIT said(sentences.join(QLatin1Char(' '))); });
    connect(&store, &StoreService::rebuilding, this, [this](int done, int inAll) {
        Q_EMIT said(tr("Rebuilding the index: %1 of %2 runs").arg(done).arg(inAll));
    });
    connect(&store, &StoreService::rebuilt, this, [this] {
        m_kind.reset();
        show();
        Q_EMIT said(tr("The index has been rebuilt from the run folders."));
    });
}

void StoreMessages::showFailure(storage::StoreError::Kind kind, const QString& message)
{
    m_kind = kind;
    m_failure = message;
    show();
}

ViewError StoreMessages::error(const QString& message) const
{
    return {message, {}, QString::fromStdString(m_workbench.home.data.string()),
        {{tr("Retry"), [this] { m_workbench.store.readAgain(); }}}};
}

void StoreMessages::show()
{
    using Kind = storage::StoreError::Kind;
    if (m_kind) {
        ViewError failure = error(m_failure);
        if (m_kind == Kind::Corrupt)
            failure.actions.prepend({tr("Rebuild index"), [this] { m_workbench.store.rebuild(); }});
        else if (m_kind == Kind::Newer)
            failure.actions.clear();
        m_view.setError(failure);
    } else if (m_isReadOnly) {
        ViewError readOnly = error(tr("The index of runs can be read but not written: what runs write from now on is "
                                      "not shown. Make its folder writable, then read again."));
        readOnly.details = QString::fromStdString(m_workbench.home.database().string());
        m_view.setError(readOnly);
    } else if (!m_behind.isEmpty()) {
        m_view.setError(error(
            tr("Runs go on, but what they write cannot be shown for now; this is tried again by itself: %1").arg(m_behind)));
    } else {
        m_view.setError(std::nullopt);
    }
}

}  // namespace ui
