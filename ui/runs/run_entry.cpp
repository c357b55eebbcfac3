#include "ui/runs/run_entry.h"

#include "ui/base/look.h"

#include <QCoreApplication>

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

std::int64_t RunEntry::totalSteps() const
{
    return status && status->totalSteps > 0 ? status->totalSteps : row.totalSteps;
}

std::int64_t RunEntry::lastRecordUnixMs() const
{
    return std::max(row.lastRecordUnixMs, status ? status->lastRecordUnixMs : 0);
}

QString RunEntry::cause() const
{
    return QString::fromStdString(status && !status->cause.empty() ? status->cause : row.cause);
}

QString refusal(RunVerb verb, const RunEntry& entry)
{
    if (!entry.status)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run's state is being looked up."));
    const RunState state = entry.status->state;
    if (state == RunState::CutOff)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run belongs to another machine."));
    const QString isNotActive
        = text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is not active: it is %1."))
              .arg(stateWord(state).toLower());
    switch (verb) {
    case RunVerb::Resume:
    case RunVerb::Trash:
        return entry.isActive()
            ? text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is active. Stop it first."))
            : QString();
    case RunVerb::StopNow:
    case RunVerb::Kill:
        return entry.isActive() ? QString() : isNotActive;
    case RunVerb::Stop:
    case RunVerb::Checkpoint:
    case RunVerb::Sample:
        break;
    }
    if (!entry.isActive())
        return isNotActive;
    if (state == RunState::Stopping)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run is already stopping."));
    if (state == RunState::Starting && verb != RunVerb::Stop)
        return text(QT_TRANSLATE_NOOP("ui::RunEntry", "The run has not made its first step yet."));
    return {};
}

}  // namespace ui
