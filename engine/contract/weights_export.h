// The weights of a checkpoint for programs that know nothing of shards.
#pragma once
#include "engine/contract/sharded_export.h"

#include <filesystem>
#include <string>
#include <vector>

namespace contract {

enum class ExportedWeights {
    Model,   ///< as trained
    Average  ///< their moving average ("ema")
};

/// Writes every tensor whole, under its parameter's own name, see writeWeights(). Reads the files' ranges one after
/// another.
/// @return the files, without the index
/// @throws std::runtime_error in one sentence naming the file and what is wrong: no checkpoint, none of those weights in
///         it, damage, or no room.
std::vector<std::filesystem::path> exportWeights(
    const std::filesystem::path& checkpointFolder, const std::filesystem::path& folder, ExportedWeights weights, ExportFormat format);

/// The same as a component that diffusers loads: with the config.json of the component that the training began with, and
/// with its tensors that are not trained (tables of positions).
/// @param base that component's folder; it may be @p folder itself
/// @throws std::runtime_error also when the checkpoint's tensors are not those of @p base.
std::vector<std::filesystem::path> exportComponent(const std::filesystem::path& checkpointFolder, const std::filesystem::path& base,
    const std::filesystem::path& folder, ExportedWeights weights, ExportFormat format);

}  // namespace contract
