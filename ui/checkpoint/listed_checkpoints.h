// What the tab lists: the checkpoints in the index and, from the run's folder, the damaged and the former ones, which are not in it.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/store.h"

#include <string>
#include <vector>

namespace ui {

struct ListedCheckpoint : storage::CheckpointRow {
    bool isFormer = false;    ///< pinned when another attempt wrote one of the same step, and put aside then
    std::string damage = {};  ///< why it cannot be read; empty: nothing is known to be wrong with it
};

/// Adds to @p indexed what only the folder knows; ordered by step, of one step the one in use first. Reads manifests; callable on any thread.
std::vector<ListedCheckpoint> listedCheckpoints(const contract::RunFolder& run, std::vector<storage::CheckpointRow> indexed);

}  // namespace ui
