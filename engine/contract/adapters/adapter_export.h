// Exports the adapter of a checkpoint: as a separate file, or merged into the weights of the base model.
#pragma once
#include "engine/contract/adapters/adapter_config.h"
#include "engine/contract/adapters/adapter_file.h"
#include "engine/contract/adapters/adapter_names.h"
#include "engine/contract/checkpoint/checkpoint_weights.h"
#include "engine/contract/formats/safetensors_set.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contract {

/// The matrices of one adapter of a checkpoint. Valid as long as the CheckpointWeights it was made from.
class TrainedAdapter {
public:
    /// @param adapter name of the adapter
    /// @param config supplies alpha; the ranks come from the matrices
    /// @throws std::runtime_error naming the checkpoint when it has no adapter of that name, or only one matrix of a layer.
    TrainedAdapter(const CheckpointWeights& trained, const std::string& adapter, AdapterConfig config);

    const AdapterConfig& config() const { return m_config; }
    const std::map<AdapterTensor, const ExportedTensor*>& matrices() const { return m_matrices; }
    std::vector<std::string> modules() const;  ///< paths of the adapted layers, sorted

private:
    AdapterConfig m_config;
    std::map<AdapterTensor, const ExportedTensor*> m_matrices;
};

/// Whether the checkpoint holds any adapter.
bool holdsAdapter(const CheckpointWeights& trained);

/// The options by which a checkpoint describes its adapter: "lora.rank", "lora.alpha", "lora.rslora" and, for layers whose
/// alpha differs from that of the first layer, "lora.alpha_pattern".
/// @param layers not empty
std::map<std::string, std::string> adapterOptions(const std::vector<AdapterFile::Layer>& layers, bool usesRslora);

/// The configuration from these options, without the rank.
/// @throws std::runtime_error when lora.alpha is missing or lora.alpha_pattern is malformed.
AdapterConfig adapterConfigOf(const CheckpointManifest& manifest);

/// Writes an adapter for other programs. PEFT: adapter_model.safetensors and adapter_config.json. diffusers:
/// pytorch_lora_weights.safetensors with the configuration in its metadata. Kohya: a file of the same name with alpha
/// tensors in addition to the matrices; where the model's authors have one layer for several of diffusers', it holds that
/// fused layer, see fusedAdapterTensors().
/// @param names of all tensors of the model; the configuration must not select any of its other modules
/// @param dtype of the matrices: "F32", "F16" or "BF16"; empty: as stored
/// @return the files
std::vector<std::filesystem::path> exportAdapter(const TrainedAdapter& adapter, const std::vector<std::string>& names,
    const std::filesystem::path& folder, AdapterForm form, const std::string& dtype);

/// The tensors of @p base with the adapter merged: W + scale · B A, computed on demand in float32, a few rows at a
/// time. Tensors without an adapter are unchanged. Valid as long as the checkpoint's CheckpointWeights.
/// @param dtype in which they will be written; empty: the dtype of @p base
/// @throws std::runtime_error naming a layer that @p base does not have, or has in another shape
std::vector<ExportedTensor> withAdapter(const SafetensorsSet& base, const TrainedAdapter& adapter, const std::string& dtype);

}  // namespace contract
