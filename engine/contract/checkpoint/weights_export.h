// Exports the weights of a checkpoint for other programs, as whole tensors.
#pragma once
#include "engine/contract/checkpoint/checkpoint_weights.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/contract/formats/sharded_export.h"

#include <filesystem>
#include <vector>

namespace contract {

/// Writes every tensor under its parameter's name with writeWeights().
/// @return the files, without the index
/// @throws std::runtime_error in one sentence naming the file and what is wrong: damage, or a full disk.
std::vector<std::filesystem::path> exportWeights(
    const CheckpointWeights& trained, const std::filesystem::path& folder, ExportFormat format);

/// All tensors of @p base, the component that the training started from, with those in @p trained replaced. Some, such as
/// tables of position embeddings, are not trained. Valid as long as the source of @p trained.
/// @throws std::runtime_error naming a trained tensor that @p base does not have, or has in another shape.
std::vector<ExportedTensor> withTrained(const SafetensorsSet& base, const std::vector<ExportedTensor>& trained);

/// Writes a component's folder that diffusers can load: tensors, index and a copy of the config.json next to @p base.
/// @param folder existing; may be that of @p base
/// @return the tensor files, without the index
std::vector<std::filesystem::path> exportComponent(const SafetensorsSet& base, const std::vector<ExportedTensor>& tensors,
    const std::filesystem::path& folder, const ExportFormat& format);

/// Writes a pipeline's folder for a model that was trained from scratch: the trained tensors, and the configuration and
/// untrained tensors (tables of position embeddings) of its description.
/// @param description the folder contract::RunFolder::model()
/// @return the tensor files, without the index
std::vector<std::filesystem::path> exportPipeline(const CheckpointWeights& trained, const std::filesystem::path& description,
    const std::filesystem::path& folder, const ExportFormat& format);

}  // namespace contract
