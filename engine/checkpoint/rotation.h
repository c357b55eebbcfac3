// Decides which checkpoints are kept, and removes the others.
#pragma once
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// [Note: rotation]
/// Kept are the newest @c keep checkpoints and, whatever their age, those of every keepEvery-th step, the keepBest best by a
/// metric, and pinned ones. If these together exceed maxBytes, the oldest are removed until they fit: first those kept only
/// because they are new, then those of keepEvery. Pinned ones, the best, and the one just written are never removed.
/// While no checkpoint has a value of the metric, the best are those of the lowest loss, as where checkpoints are listed.
/// Age is counted from the time of writing, so after a resume from an early step, checkpoints of later steps may be older.
struct RotationPolicy {
    std::int64_t keep = 3;          ///< > 0
    std::int64_t keepEvery = 0;     ///< steps; 0: none
    std::int64_t keepBest = 0;
    std::string bestMetric = {};    ///< name of the metric in the manifest
    bool isLowerBest = true;
    std::uint64_t maxBytes = 0;    ///< limit for all checkpoints together; 0: no limit
};

/// What rotation needs to know of a checkpoint.
struct RotationCandidate {
    std::int64_t step = 0;
    std::int64_t unixMs = 0;  ///< when it was written
    std::uint64_t bytes = 0;
    bool isPinned = false;
    std::optional<double> metric;  ///< value of the policy's metric, if it is known and finite
};

/// Returns the steps of the checkpoints to remove, in the order of removal. Of equally good checkpoints the older one counts
/// as better.
std::vector<std::int64_t> checkpointsToRemove(
    std::vector<RotationCandidate> checkpoints, const RotationPolicy& policy, std::int64_t writtenStep);

/// Removes superfluous checkpoints from a run's folder. Checkpoints that are being read, or cannot be read, stay. Call it on
/// rank 0 only, from any thread.
/// @throws std::system_error naming one that could not be removed, after it has removed the others.
void rotateCheckpoints(const contract::RunFolder& run, const RotationPolicy& policy, std::int64_t writtenStep);

/// Prefix of folders that are being written or removed; readers ignore them.
inline constexpr char kUnfinishedPrefix[] = ".unfinished-";

/// Ending of the name ".unfinished-STEP-SAVE-former", which a complete checkpoint has for the moment in which another one of its
/// step takes its place, where the file system cannot exchange names.
inline constexpr char kFormerEnding[] = "-former";

/// Removes the unfinished checkpoints of killed attempts, except those that are being read. One that was about to be replaced gets
/// its name back if its successor did not get it. Call it on rank 0 only, before training.
void removeUnfinishedCheckpoints(const contract::RunFolder& run);

}  // namespace engine
