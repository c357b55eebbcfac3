// A trial of a few real steps, which says how long a step of a run will take before the run is started.
//
// [Note: the trial]
// Real ranks train the experiment in a folder of their own, data/trials/XXXXXX, which no list of runs knows: no supervisor, no
// checkpoint, no samples. They are killed after the step that is measured last. What they prepare for data and models (encoded images, a
// base model) stays in the cache, where the run finds it. The folder is deleted at the end, also when the trial is cancelled
// or fails; when its process is killed, the kernel kills the ranks, and kill_cleanup.h deletes the folder.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/base/data_home.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace launcher {

struct Trial {
    std::int64_t steps = 0;      ///< that were measured
    bool isRound = false;        ///< they are those of a whole round, which begins with drawing its samples
    double stepMs = 0;           ///< their median; of a round, its time divided by its steps
    std::int64_t peakBytes = 0;  ///< the highest that any rank used, where Forecast::rankBytes() are counted

    bool operator==(const Trial&) const = default;
};

struct TrialProgress {
    std::string doing;       ///< what rank 0 does: "loads data"
    std::int64_t steps = 0;  ///< done so far
    std::int64_t of = 0;     ///< to be done, the first, which warms up, included
};

struct TrialCallbacks {
    std::function<void(const TrialProgress&)> report;  ///< called when something has changed
    std::function<bool()> isCancelled;                 ///< asked every 100 ms
};

/// Trains three steps after one that warms up, or one round of an algorithm that works in rounds. Blocks; call it on a thread that does
/// not end meanwhile, because the kernel kills the ranks then.
/// @param experiment must be valid
/// @return nullopt when it was cancelled
/// @throws std::runtime_error in one sentence, that of the rank that failed first.
std::optional<Trial> tryExperiment(const DataHome& home, const contract::Experiment& experiment, const TrialCallbacks& callbacks);

}  // namespace launcher
