// One run as the window knows it: its row in the database, and its status derived from its files and processes.
#pragma once
#include "launcher/state/run_state.h"
#include "storage/store.h"
#include "ui/runs/run_field.h"

#include <QString>

#include <optional>
#include <vector>

namespace ui {

struct RunEntry {
    storage::RunRow row;
    std::optional<launcher::RunStatus> status;  ///< empty until RunWatch has determined it
    std::vector<FieldValue> values = {};        ///< of RunsModel::fields(), in their order

    QString id() const { return QString::fromStdString(row.id); }
    QString name() const { return QString::fromStdString(row.name); }
    QString folder() const { return QString::fromStdString(row.folder); }
    bool isActive() const { return status && launcher::isActive(status->state); }
    /// Whether the run records no more, unless it is resumed.
    bool hasEnded() const
    {
        return status && !isActive() && !launcher::isWaiting(status->state) && status->state != launcher::RunState::CutOff;
    }

    /// The larger of the journal's and the database's step, if both are of the same attempt; else the database's.
    std::int64_t step() const;
    std::int64_t totalSteps() const;
    double progress() const;  ///< 0 … 1; 0 while the number of steps is unknown
    /// That of the same step.
    std::optional<double> loss() const;
    std::int64_t lastRecordUnixMs() const;
    /// Why the run failed, was interrupted or stalled; else empty.
    QString cause() const;
    /// An attempt has failed or broken off, or may have: that of a run that was resumed.
    bool mayHaveFailed() const;
    /// "Last record 14 s ago" if the run is active and its last record is at least 10 s old; else empty.
    QString silence(std::int64_t nowUnixMs) const;
};

/// One sentence naming the silent run, or giving the number of silent runs; empty when there is none.
QString silentRuns(const std::vector<RunEntry>& entries, std::int64_t nowUnixMs);

/// An operation on a run. refusal() alone decides, from the run's state, which ones are available.
enum class RunVerb { Stop, StopNow, Kill, Checkpoint, Sample, Resume, EditQueued, Trash, Start, Queue };

/// Why @p verb is not available, in one sentence; empty when it is.
QString refusal(RunVerb verb, const RunEntry& entry);

}  // namespace ui
