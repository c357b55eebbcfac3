// The checkpoints from which the last attempt of a run can go on: its own, and those of the attempts that it goes on from (lineage.h).
#pragma once
#include "engine/contract/run/lineage.h"
#include "engine/contract/run/run_folder.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace contract {

/// The attempt that @p start goes on from, as start.json says, or the manifest of the checkpoint from which it resumed; 0: neither does.
int parentAttempt(const RunFolder& folder, const AttemptStart& start);

/// The history of the run's last attempt. One whose start.json cannot be read counts as going on from the end of the one before.
Lineage historyOf(const RunFolder& folder);

/// What a look for the latest checkpoint of the last attempt's history has found.
struct LatestCheckpoint {
    std::optional<std::int64_t> step;     ///< nullopt: no undamaged checkpoint is in the history
    int attempt = 0;                      ///< that wrote it
    std::vector<std::int64_t> damaged;    ///< later ones that are or may be in the history, latest first
    std::string problem;                  ///< of the first of these
    std::vector<std::int64_t> abandoned;  ///< steps of later ones that are not in the history, latest first
};
LatestCheckpoint latestCheckpoint(const RunFolder& folder);

/// The step of the checkpoint that is meant where none is named: the latest of the history, also if it is damaged, lest an older one be taken
/// for it; without a history the last of all. nullopt: the run has no checkpoint.
std::optional<std::int64_t> impliedCheckpoint(const RunFolder& folder);

}  // namespace contract
