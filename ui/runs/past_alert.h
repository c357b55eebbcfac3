// An alert in the store as people see it: together with the run's state, which alone tells whether an attempt without an end goes on.
#pragma once
#include "launcher/state/run_state.h"
#include "storage/store.h"

#include <string>

namespace ui {

/// Whether @p alert has happened: an attempt without an end may still run, and what was imported was no run of Atelier's.
inline bool hasHappened(const storage::AlertRow& alert, const launcher::RunStatus& status)
{
    if (status.state == launcher::RunState::Imported)
        return false;
    return alert.kind != storage::AlertRow::Kind::NoEnd || alert.attempt < status.attempt || status.state == launcher::RunState::Interrupted;
}

/// What it was about, in English; may be empty.
inline std::string causeOf(const storage::AlertRow& alert, const launcher::RunStatus& status)
{
    const bool isOfNow = alert.kind == storage::AlertRow::Kind::NoEnd && alert.attempt == status.attempt;
    return isOfNow ? status.cause : alert.message;
}

}  // namespace ui
