// Which checkpoints stay.
#pragma once
#include "engine/contract/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// [Note: rotation]
/// The newest stay, as many as keep says; so do those of every keepEvery-th step, the keepBest best by a metric, and
/// pinned ones, whatever their age. If all of them together have more than mostBytes, the oldest go until they fit:
/// first those that are there only for being new, then those of keepEvery. Pinned ones, the best, and the one just
/// written never go. Age is the moment of writing: after a resume from an early step, the later ones are older.
struct RotationPolicy {
    std::int64_t keep = 3;          ///< > 0
    std::int64_t keepEvery = 0;     ///< steps; 0: none
    std::int64_t keepBest = 0;
    std::string bestMetric = {};    ///< name in the manifest
    bool isLowerBest = true;
    std::uint64_t mostBytes = 0;    ///< of all files; 0: any number
};

struct KeptCheckpoint {
    std::int64_t step = 0;
    std::int64_t unixMs = 0;  ///< when it was written
    std::uint64_t bytes = 0;
    bool isPinned = false;
    std::optional<double> metric;  ///< the policy's, where it is known and finite
};

/// Steps of those that go, oldest first. Of equally good ones the older is the better.
std::vector<std::int64_t> superfluousCheckpoints(
    std::vector<KeptCheckpoint> checkpoints, const RotationPolicy& policy, std::int64_t writtenStep);

/// Removes them from a run's folder: whole checkpoints that nobody is reading, and nothing else. Rank 0 only, any
/// thread.
void rotateCheckpoints(const contract::RunFolder& run, const RotationPolicy& policy, std::int64_t writtenStep);

/// A folder of this name is being written or removed; nobody reads it.
inline constexpr char kUnfinishedPrefix[] = ".unfinished-";

/// Removes what a killed attempt left half-written. Rank 0 only, before training.
void removeUnfinishedCheckpoints(const contract::RunFolder& run);

}  // namespace engine
