#include "ui/remote/remote_watch.h"

#include "ui/base/format.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>

namespace ui {

using launcher::FileDepth;
using launcher::RemoteLink;

RemoteWatch::RemoteWatch(launcher::Mirror& mirror, StoreService& store, RunsModel& runs, RunWatch& watch, const Selection& selection, QObject* parent)
    : QObject(parent)
    , m_mirror(mirror)
    , m_store(store)
    , m_runs(runs)
    , m_watch(watch)
    , m_selection(selection)
{
    connect(&m_mirror, &launcher::Mirror::filesChanged, this, &RemoteWatch::showFiles);
    connect(&m_mirror, &launcher::Mirror::statusChanged, this, [this](const QStringList& runIds) {
        for (const QString& id : runIds)
            m_watch.refreshStatus(id);
    });
    connect(&m_mirror, &launcher::Mirror::runGone, this, [this](const QString& id) { m_store.forget(id); });
    connect(&m_mirror, &launcher::Mirror::linkChanged, this, &RemoteWatch::showLink);
    connect(&m_mirror, &launcher::Mirror::copiedChanged, this, &RemoteWatch::copiedChanged);
    connect(&m_selection, &Selection::drawnChanged, this, &RemoteWatch::lookAtSelection);
    connect(&m_selection, &Selection::inspectedChanged, this, &RemoteWatch::lookAtSelection);
    lookAtSelection();
}

/// Plots need the journals of what is drawn; the other views are about the run that is inspected.
void RemoteWatch::lookAtSelection()
{
    std::map<std::string, FileDepth> runs;
    for (const QString& id : m_selection.drawnIds())
        runs[id.toStdString()] = FileDepth::Records;
    if (!m_selection.inspected().isEmpty())
        runs[m_selection.inspected().toStdString()] = m_areSamplesShown ? FileDepth::Samples : FileDepth::Logs;
    m_mirror.lookAt(runs);
}

void RemoteWatch::setSamplesShown(bool areShown)
{
    m_areSamplesShown = areShown;
    lookAtSelection();
}

void RemoteWatch::showFiles(const QStringList& runIds)
{
    const auto folder = m_store.home().runs();
    for (const QString& id : runIds)
        m_store.catchUp(QString::fromStdString((folder / id.toStdString()).string()));
    if (runIds.contains(m_selection.inspected()))
        Q_EMIT inspectedCopied();
}

void RemoteWatch::showLink(const RemoteLink& link)
{
    if (link.phase != m_phase || link.problem != m_reason) {
        m_phase = link.phase;
        m_reason = link.problem;
        for (const RunEntry& entry : m_runs.entries()) {
            const bool mayDiffer = !entry.status || entry.isActive() || launcher::isWaiting(entry.status->state)
                || entry.status->state == launcher::RunState::CutOff;
            if (mayDiffer)
                m_watch.refreshStatus(entry.id());
        }
    }
    Q_EMIT linkChanged();
}

QString RemoteWatch::problem() const
{
    const RemoteLink& link = m_mirror.link();
    if (link.phase != RemoteLink::Phase::Lost)
        return {};
    const QString host = QString::fromStdString(m_mirror.host().text());
    const QString reason = link.problem.isEmpty() ? tr("the connection ended") : link.problem;
    if (link.heardUnixMs == 0)
        return tr("There is no connection to %1 yet: %2. It is tried again by itself.").arg(host, reason);
    const QString since = QLocale().toString(QDateTime::fromMSecsSinceEpoch(link.heardUnixMs), QLocale::ShortFormat);
    return tr("There is no connection to %1 since %2: %3. Runs are shown as they were then; it is tried again by itself.").arg(host, since, reason);
}

QString RemoteWatch::missing(const QStringList& runIds, FileDepth depth) const
{
    const RemoteLink& link = m_mirror.link();
    const QString host = QString::fromStdString(m_mirror.host().text());
    if (link.phase == RemoteLink::Phase::Lost) {
        if (link.heardUnixMs == 0)
            return tr("There is no connection to %1 yet, so nothing has been copied from it.").arg(host);
        return tr("Nothing of this had been copied from %1 when the connection was lost, %2.")
            .arg(host, QLocale().toString(QDateTime::fromMSecsSinceEpoch(link.heardUnixMs), QLocale::ShortFormat));
    }
    if (link.phase == RemoteLink::Phase::Connecting)
        return tr("Connecting to %1. Nothing of this has been copied yet.").arg(host);
    if (!link.isListed)
        return tr("The runs of %1 are being read.").arg(host);
    const bool areAllCopied = std::ranges::all_of(runIds, [&](const QString& id) { return m_mirror.isCopied(id.toStdString(), depth); });
    return areAllCopied ? QString() : tr("What %1 has of this is being copied.").arg(host);
}

}  // namespace ui
