// Saves, loads and rotates sharded checkpoints. See [Note: checkpoint files].
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint_manifest.h"
#include "engine/contract/run_folder.h"
#include "engine/shard/unit_sequence.h"

#include <filesystem>
#include <string>

namespace engine {

/// Writes checkpoints/step-N. Collective. The folder gets its name when every rank's file is on the disk:
/// whatever happens before, no reader ever sees it.
/// @param manifest with everything but files and tensors, which are filled in here; equal on all ranks.
/// @return bytes written by all ranks.
/// @throws EngineError Failure on every rank when any rank's file could not be written (a full disk, for
///         one); earlier checkpoints are untouched and training can go on.
std::uint64_t saveCheckpoint(const contract::RunFolder& run, UnitSequence& units, Mesh& mesh,
    contract::CheckpointManifest manifest);

/// Fills the shards from a checkpoint made by any number of ranks: each rank reads only its own ranges.
/// @param shapeOptions of the model at hand; must equal the manifest's.
/// @throws EngineError BadCheckpoint in one sentence naming the checkpoint and what does not fit.
contract::CheckpointManifest loadCheckpoint(const std::filesystem::path& folder, UnitSequence& units,
    Mesh& mesh, const std::map<std::string, std::string>& shapeOptions);

/// Removes the oldest unpinned checkpoints beyond @p keep, and never the newest. Rank 0 only.
void rotateCheckpoints(const contract::RunFolder& run, std::int64_t keep);

/// Removes what a killed attempt left half-written. Rank 0 only, before training.
void removeUnfinishedCheckpoints(const contract::RunFolder& run);

}  // namespace engine
