// Fills the shards of any number of ranks from a checkpoint made by any other.
#pragma once
#include "engine/checkpoint/load_report.h"
#include "engine/checkpoint/rank_file.h"
#include "engine/comm/mesh.h"
#include "engine/contract/checkpoint_manifest.h"
#include "engine/shard/unit_sequence.h"

#include <filesystem>
#include <map>
#include <string>

namespace engine {

struct LoadOptions {
    Contents contents = Contents::All;
    bool isStrict = true;  ///< else what fits is loaded, and the report tells the rest
};

struct LoadedCheckpoint {
    contract::CheckpointManifest manifest;  ///< its state and metrics as they were saved
    LoadReport report;
};

/// Collective where shards have replicas. Each rank reads the ranges of its own shards, straight into them, and
/// replicas divide them up: no byte is read twice, and no rank ever holds more than its shards. An average that the
/// checkpoint lacks begins as its weights.
/// Checksums are not compared: they are of whole files, of which a rank on another mesh reads parts, and would double
/// the time of a load from the page cache. Lengths are; verifyCheckpoint() is for who doubts a disk.
/// @param units with the states of their optimizer
/// @param shapeOptions of the model at hand; a strict load wants them to be the checkpoint's
/// @throws EngineError BadCheckpoint in one sentence naming the checkpoint and what does not fit; shards may have
///         changed then.
LoadedCheckpoint loadCheckpoint(const std::filesystem::path& folder, UnitSequence& units, Mesh& mesh,
    const std::map<std::string, std::string>& shapeOptions, const LoadOptions& options);

}  // namespace engine
