// The weights of a checkpoint for programs that know nothing of shards.
#pragma once
#include "engine/contract/checkpoint_weights.h"
#include "engine/contract/safetensors_set.h"
#include "engine/contract/sharded_export.h"

#include <filesystem>
#include <vector>

namespace contract {

/// Writes every tensor whole, under its parameter's own name, see writeWeights().
/// @return the files, without the index
/// @throws std::runtime_error in one sentence naming the file and what is wrong: damage, or no room.
std::vector<std::filesystem::path> exportWeights(
    const CheckpointWeights& trained, const std::filesystem::path& folder, ExportFormat format);

/// All tensors of the component that the training began with, as they were trained where they were: tables of positions
/// are not. Valid as long as @p trained.
/// @throws std::runtime_error naming a tensor that @p base does not have, or has in another shape.
std::vector<ExportedTensor> withTrained(const SafetensorsSet& base, const std::vector<ExportedTensor>& trained);

/// A component's folder that diffusers loads: tensors, index and the config.json beside @p base.
/// @param folder may be that of @p base
std::vector<std::filesystem::path> exportComponent(const SafetensorsSet& base, const std::vector<ExportedTensor>& tensors,
    const std::filesystem::path& folder, const ExportFormat& format);

/// A pipeline's folder of a model that began from nothing: its description, the tables of positions in that, what was trained.
/// @param description of contract::RunFolder::model()
/// @return files of tensors, without the index
std::vector<std::filesystem::path> exportPipeline(const CheckpointWeights& trained, const std::filesystem::path& description,
    const std::filesystem::path& folder, const ExportFormat& format);

}  // namespace contract
