#include "ui/runs/run_entry.h"

#include "ui/base/format.h"
#include "ui/base/look.h"
#include "ui/language/outside_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace ui {
namespace {

using launcher::RunState;

QString text(const char* source)
{
    return QCoreApplication::translate("ui::RunEntry", source);
}

}  // namespace

std::int64_t RunEntry::step() const
{
    return status && status->attempt == row.attempts ? std::max(status->step, row.lastStep) : row.lastStep;
}

std::optional<double> RunEntry::loss() const
{
    const bool isNewer = status && status->loss && status->attempt == row.attempts && status->step > row.lastStep;
    return isNewer ? status->loss : row.lastLoss;
}

std::int64_t RunEntry::totalSteps() const
{
    return status && status->totalSteps > 0 ? status->totalSteps : row.totalSteps;
}

double RunEntry::progress() const
{
    return totalSteps() > 0 ? std::min(1.0, double(step()) / double(totalSteps())) : 0.0;
}

std::int64_t RunEntry::lastRecordUnixMs() const
{
    // While a run is active, the status has the time by the clock here. Afterwards the times in the journal are used, because copying a
    // run changes its file times.
    if (!status || (!isActive() && row.lastRecordUnixMs > 0) || status->lastRecordUnixMs == 0)
        return row.lastRecordUnixMs;
    return status->lastRecordUnixMs;
}

QString RunEntry::cause() const
{
    return translatedSentence(status && !status->cause.empty() ? status->cause : row.cause);
}

bool RunEntry::mayHaveFailed() const
{
    return status && (status->state == RunState::Failed || status->state == RunState::Interrupted || status->state == RunState::Stalled
                  || status->attempt > 1);
}

QString RunEntry::silence(std::int64_t nowUnixMs) const
{
    // Much shorter than the limit for the state Stalled: the text only informs, the state does not change.
    constexpr std::int64_t kSilentAfterMs = 10'000;
    const std::int64_t last = lastRecordUnixMs();
    if (!isActive() || last == 0 || nowUnixMs - last < kSilentAfterMs)
        return {};
    return text(QT_TRANSLATE_NOOP("ui::RunEntry", "Last record %1")).arg(formatAge(last, nowUnixMs));
}

QString silentRuns(const std::vector<RunEntry>& entries, std::int64_t nowUnixMs)
{
    QStringList silent;
    for (const RunEntry& entry : entries) {
        if (const QString silence = entry.silence(nowUnixMs); !silence.isEmpty())
            silent << text(QT_TRANSLATE_NOOP("ui::RunEntry", "%1: %2")).arg(entry.name(), silence);
    }
    return silent.size() > 1
        ? text(QT_TRANSLATE_NOOP("ui::RunEntry", "%1 active runs are silent.")).arg(formatCount(silent.size()))
        : silent.value(0);
}

QString refusal(RunVerb verb, const RunEntry& entry)
{
    if (!entry.status)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run's state is not known yet."));
    const RunState state = entry.status->state;
    if (state == RunState::CutOff)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run belongs to another machine and can only be controlled there."));
    if (state == RunState::Missing)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run's folder is not there any more."));
    if (state == RunState::Imported && verb != RunVerb::Trash)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run was imported: another program has recorded it."));
    const QString isNotActive
        = text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is not active: it is %1."))
              .arg(stateWord(state).toLower());
    const bool isInSlurm = !entry.status->slurmJob.empty();  // its job can be cancelled, also while it waits
    switch (verb) {
    case RunVerb::Start:
        if (isInSlurm)
            return text(QT_TRANSLATE_NOOP("ui::RunEntry", "Slurm starts the run when its turn has come."));
        if (state == RunState::Queued || state == RunState::Prepared)
            return {};
        return entry.isActive() ? text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is active already."))
                                : text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run was started before. Resume it."));
    case RunVerb::Resume:
    case RunVerb::Queue:
    case RunVerb::Trash:
        if (isInSlurm && !entry.isActive())
            return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run has a job in Slurm. Stop it first."));
        if (state == RunState::Queued && verb == RunVerb::Resume)
            return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run waits in the queue. Start it."));
        if (state == RunState::Prepared && verb == RunVerb::Resume)
            return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run has not been started yet. Start it."));
        if (state == RunState::Queued && verb == RunVerb::Queue)
            return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run waits in the queue already."));
        return entry.isActive()
            ? text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is active. Stop it first."))
            : QString();
    case RunVerb::EditQueued:
        return state == RunState::Queued && !isInSlurm ? QString() : text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run does not wait in the queue."));
    case RunVerb::StopNow:
    case RunVerb::Kill:
        return entry.isActive() || isInSlurm ? QString() : isNotActive;
    case RunVerb::Stop:
    case RunVerb::Checkpoint:
    case RunVerb::Sample:
        break;
    }
    if (verb == RunVerb::Stop && isInSlurm && state == RunState::Queued)
        return {};
    if (!entry.isActive())
        return isNotActive;
    if (state == RunState::Stopping)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is already stopping."));
    if (state == RunState::Restarting && verb != RunVerb::Stop)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run waits before its ranks are started again."));
    if (state == RunState::Starting && verb != RunVerb::Stop)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run has not completed its first step yet."));
    return {};
}

}  // namespace ui
