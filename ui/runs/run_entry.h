// One run as the window knows it: what the database says, and what state the evidence shows.
#pragma once
#include "launcher/run_state.h"
#include "storage/store.h"

#include <QString>

#include <optional>
#include <vector>

namespace ui {

struct RunEntry {
    storage::RunRow row;
    std::optional<launcher::RunStatus> status;  ///< empty until it has been looked at

    QString id() const { return QString::fromStdString(row.id); }
    QString name() const { return QString::fromStdString(row.name); }
    QString folder() const { return QString::fromStdString(row.folder); }
    bool isActive() const { return status && launcher::isActive(status->state); }

    /// The later of what the journal and the database say.
    std::int64_t step() const;
    std::int64_t totalSteps() const;
    std::int64_t lastRecordUnixMs() const;
    /// Of a failure, an interruption or a stall; else empty.
    QString cause() const;
    /// "Last record 14 s ago" while an active run is silent for longer than one would think; else empty.
    QString silence(std::int64_t nowUnixMs) const;
};

/// One sentence about those of the runs that are silent; empty when none is.
QString silentRuns(const std::vector<RunEntry>& entries, std::int64_t nowUnixMs);

/// What can be done with a run, from its state alone: the one place that says so.
enum class RunVerb { Stop, StopNow, Kill, Checkpoint, Sample, Resume, Trash };

/// Why @p verb is not offered, in one sentence; empty when it is.
QString refusal(RunVerb verb, const RunEntry& entry);

}  // namespace ui
