// The name under which a run is shown.
#pragma once
#include "ui/runs/runs_model.h"

namespace ui {

/// The run's name; its id when the index does not have it.
inline QString runName(const RunsModel& runs, const std::string& id)
{
    const QString key = QString::fromStdString(id);
    const RunEntry* const entry = runs.entry(key);
    return entry ? entry->name() : key;
}

}  // namespace ui
