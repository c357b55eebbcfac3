#include "ui/store_messages.h"

#include "ui/base/format.h"
#include "ui/remote/remote_watch.h"
#include "ui/runs/runs_view.h"
#include "ui/store/index_error.h"
#include "ui/store/index_place.h"

namespace ui {

StoreMessages::StoreMessages(Workbench& workbench, RunsView& view, RemoteWatch* remote, QObject* parent)
    : QObject(parent)
    , m_workbench(workbench)
    , m_view(view)
    , m_remote(remote)
{
    if (m_remote)
        connect(m_remote, &RemoteWatch::linkChanged, this, &StoreMessages::updateStrip);
    StoreService& store = m_workbench.store;
    connect(&store, &StoreService::failed, this, &StoreMessages::showFailure);
    connect(&m_workbench.watch, &RunWatch::failed, this, &StoreMessages::showFailure);
    connect(&m_workbench.watch, &RunWatch::loaded, this, &StoreMessages::updateStrip);
    connect(&store, &StoreService::opened, this, [this](bool isReadOnly) {
        m_failureKind.reset();
        m_isReadOnly = isReadOnly;
        updateStrip();
        if (const QString place = indexPlace(m_workbench.home); !place.isEmpty() && !m_isPlaceSaid)
            Q_EMIT statusMessage(place);
        m_isPlaceSaid = true;
    });
    connect(&store, &StoreService::ingestDelayed, this, [this](const QString& sentence) {
        m_outdatedReason = sentence;
        updateStrip();
    });
    connect(&store, &StoreService::runsFolderMissing, this, [this](bool isMissing) {
        m_isRunsFolderMissing = isMissing;
        updateStrip();
    });
    connect(&m_workbench.runs, &RunsModel::runsChanged, this, [this] {
        if (m_isRunsFolderMissing)
            updateStrip();
    });
    connect(&store, &StoreService::foldersUnreadable, this,
        [this](const QStringList& sentences) { Q_EMIT statusMessage(sentences.join(QLatin1Char(' '))); });
    connect(&store, &StoreService::rebuilding, this, [this](int done, int inAll) {
        Q_EMIT statusMessage(tr("Rebuilding the index: run %1 of %2").arg(formatCount(done), formatCount(inAll)));
    });
    connect(&store, &StoreService::rebuilt, this, [this] {
        m_failureKind.reset();
        updateStrip();
        Q_EMIT statusMessage(tr("The index has been rebuilt from the run folders."));
    });
}

void StoreMessages::showFailure(storage::StoreError::Kind kind, const QString& message)
{
    m_failureKind = kind;
    m_failure = message;
    updateStrip();
}

ViewError StoreMessages::error(const QString& message) const
{
    return indexError(m_workbench.home, message, [this] { m_workbench.store.readAgain(); });
}

void StoreMessages::updateStrip()
{
    using Kind = storage::StoreError::Kind;
    Q_EMIT runsKnown(!m_failureKind && m_workbench.watch.isLoaded());
    if (m_failureKind) {
        const ViewAction rebuild {tr("Rebuild index"), [this] { m_workbench.store.rebuild(); }};  // which keeps the file that is there
        ViewError failure = error(m_failure);
        if (m_failureKind == Kind::Corrupt)
            failure.actions.prepend(rebuild);
        else if (m_failureKind == Kind::Newer)  // it is opened by itself when the newer one is gone
            failure.actions = {rebuild};
        m_view.setError(failure);
    } else if (m_isRunsFolderMissing && m_workbench.runs.rowCount() > 0) {  // a new home has none yet
        ViewError missing = error(tr("The folder of all runs is not there: %1. Only what the index knows of them can be shown. If it is on a disk that is not "
                                     "mounted, mount it; the runs are then read again by themselves.")
                                      .arg(QString::fromStdString(m_workbench.home.runs().string())));
        missing.folder = QString::fromStdString(m_workbench.home.data.string());
        m_view.setError(missing);
    } else if (m_isReadOnly) {
        m_view.setError(error(tr("The index of runs can be read but not written, so new records of runs are not "
                                 "shown. Make its folder writable, then choose Retry.")));
    } else if (!m_outdatedReason.isEmpty()) {
        m_view.setError(error(
            tr("Runs continue, but their new records cannot be shown at present. Atelier retries automatically: %1")
                .arg(m_outdatedReason)));
    } else if (m_remote && !m_remote->problem().isEmpty()) {
        m_view.setError(ViewError {m_remote->problem(), {}, {}, {{tr("Try now"), [this] { m_workbench.mirror->reconnect(); }}}});
    } else {
        m_view.setError(std::nullopt);
    }
}

}  // namespace ui
