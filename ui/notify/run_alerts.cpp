#include "ui/notify/run_alerts.h"

#include "engine/contract/run/journal.h"
#include "ui/base/format.h"
#include "ui/language/outside_text.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

namespace ui {

using launcher::RunState;

RunAlerts::RunAlerts(const RunsModel& runs, QObject* parent)
    : QObject(parent)
    , m_runs(runs)
    , m_since(QDateTime::currentMSecsSinceEpoch())
{
    connect(&runs, &RunsModel::entryChanged, this, &RunAlerts::look);
}

void RunAlerts::look(const QString& id)
{
    const RunEntry* const entry = m_runs.entry(id);
    if (!entry || !entry->status)
        return;
    const RunState now = entry->status->state;
    const RunState before = m_states.value(id, now);
    const std::int64_t told = m_rules.value(id, m_since);
    m_rules.insert(id, std::max(m_rules.value(id, 0), entry->status->ruleUnixMs));
    if (entry->status->ruleUnixMs > told)
        Q_EMIT raised({id, tr("A rule of %1 has fired").arg(entry->name()), QString::fromStdString(entry->status->rule), true});
    if (launcher::isActive(now) || launcher::isWaiting(now))
        m_states.insert(id, now);
    else
        m_states.remove(id);
    if (before == now)
        return;
    const QString steps = tr("%1 of %2 steps").arg(formatCount(entry->step()), formatCount(entry->totalSteps()));
    switch (now) {
    case RunState::Finished: {
        const auto loss = entry->loss();
        Q_EMIT raised({id, tr("%1 has finished").arg(entry->name()), loss ? tr("%1, loss %2").arg(steps, formatNumber(*loss)) : steps});
        break;
    }
    case RunState::Failed:
        Q_EMIT raised({id, tr("%1 has failed").arg(entry->name()), entry->cause(), true});
        break;
    case RunState::Interrupted:
        Q_EMIT raised({id, tr("%1 was interrupted").arg(entry->name()), entry->cause(), true});
        break;
    case RunState::Stalled:
        Q_EMIT raised({id, tr("%1 hangs").arg(entry->name()), entry->cause().isEmpty() ? steps : entry->cause(), true});
        break;
    default:
        break;  // the user has stopped it, or it goes on
    }
}

void RunAlerts::setQueue(const launcher::Queue& queue)
{
    const auto before = std::exchange(m_ofQueue, queue.alerts);
    if (!before)
        return;
    for (const launcher::QueueAlert& alert : queue.alerts) {
        if (std::ranges::find(*before, alert) != before->end())
            continue;
        const QString id = QString::fromStdString(alert.run);
        const RunEntry* const run = m_runs.entry(id);
        const QString name = run ? run->name() : id;
        const bool isHeld = alert.kind == launcher::QueueAlert::Kind::Held;
        Q_EMIT raised({id, isHeld ? tr("The queue is held after %1").arg(name) : tr("%1 could not be started").arg(name), translatedSentence(alert.message), true});
    }
}

void RunAlerts::setFreeSpace(std::int64_t bytes)
{
    const bool isLow = bytes >= 0 && bytes < contract::kLowDiskBytes;
    const bool isAnyActive = std::ranges::any_of(m_runs.entries(), &RunEntry::isActive);
    if (isLow && !m_isSpaceLow && isAnyActive)
        Q_EMIT raised({{}, tr("The disk is nearly full"), tr("%1 are free where the runs are kept; checkpoints may soon not fit.").arg(formatBytes(bytes)), true});
    m_isSpaceLow = isLow && (m_isSpaceLow || isAnyActive);
}

}  // namespace ui
