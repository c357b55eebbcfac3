// How long a run will take and how much memory it will need, as a trial and the forecast said before its start.
//
// [Note: estimates]
// An estimate belongs to an experiment, not to a run: STATE/estimates.json has those of the last experiments that were tried. A run
// whose settings differ from such an experiment in nothing that changes the time of its steps gets the estimate when it is
// created, as attempts/N/estimate.json, and keeps it.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/base/data_home.h"
#include "launcher/plan/trial.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace launcher {

struct Estimate {
    Trial trial;
    std::int64_t forecastBytes = 0;        ///< Forecast::rankBytes(); 0: not known
    std::int64_t checkpointCopyBytes = 0;  ///< the part of it that a trial does not need, because it writes no checkpoint

    bool operator==(const Estimate&) const = default;
};

/// The time that @p steps steps take: not the start, nor what NotInSteps counts.
std::chrono::milliseconds timeOf(const Trial& trial, std::int64_t steps);

/// What a run does besides its steps, which their time does not include.
struct NotInSteps {
    std::int64_t samplings = 0, checkpoints = 0, validations = 0;  ///< how often
};
NotInSteps notInSteps(const contract::Experiment& experiment);

/// @p experiment without what changes the time of no step, such as the name, the seed and the learning rate, as text: equal for runs whose
/// steps take equally long.
std::string paceKey(const contract::Experiment& experiment);

/// Remembers the estimate for runs that are created later. @throws std::runtime_error naming the file.
void keepEstimate(const DataHome& home, const contract::Experiment& experiment, const Estimate& estimate);

/// What was remembered for such an experiment. A file that cannot be read counts as none.
std::optional<Estimate> estimateFor(const DataHome& home, const contract::Experiment& experiment);

/// Keeps the estimate with an attempt; nullopt: the attempt has none. Best effort: a run starts without it, too.
void writeEstimate(const contract::RunFolder& folder, int attempt, const std::optional<Estimate>& estimate);
/// Of the attempt; nullopt when none was made before its start, or it cannot be read.
std::optional<Estimate> readEstimate(const contract::RunFolder& folder, int attempt);

}  // namespace launcher
