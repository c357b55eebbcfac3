// Loads a checkpoint into the shards of any mesh, whatever number of ranks wrote it.
#pragma once
#include "engine/checkpoint/rank_file.h"
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/shard/unit_sequence.h"
#include "engine/weights/load_report.h"

#include <filesystem>
#include <map>
#include <string>

namespace engine {

struct LoadOptions {
    Contents contents = Contents::All;
    bool isStrict = true;  ///< false: load whatever fits, and list the rest in the report
};

struct LoadedCheckpoint {
    contract::CheckpointManifest manifest;  ///< with the state and metrics that were saved
    LoadReport report;
};

/// Loads a checkpoint into the shards of @p units. Collective where shards have replicas.
/// Each rank reads only the ranges of its own shards, directly into them, and replicas divide this reading among themselves:
/// no byte is read twice, and no rank holds more than its shards. When the checkpoint has no EMA, it starts as a copy of the
/// loaded weights.
/// The manifest and everything that is read from the files are compared with their checksums (contract::CheckpointFile).
/// What is not read, such as optimizer states in a load of the weights, is not: verifyCheckpoint() checks all.
/// @param units with their optimizer states already created
/// @param shapeOptions of the current model; in a strict load they must match the checkpoint's
/// @throws EngineError BadCheckpoint with one sentence that names the checkpoint and what does not fit. The shards may have
///         been changed by then.
LoadedCheckpoint loadCheckpoint(const std::filesystem::path& folder, UnitSequence& units, Mesh& mesh,
    const std::map<std::string, std::string>& shapeOptions, const LoadOptions& options);

}  // namespace engine
