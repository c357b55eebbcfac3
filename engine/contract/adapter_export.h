// The adapter of a checkpoint for other programs: as a file of its own, or added to the weights that it stands beside.
#pragma once
#include "engine/contract/adapter_config.h"
#include "engine/contract/adapter_file.h"
#include "engine/contract/adapter_names.h"
#include "engine/contract/checkpoint_weights.h"
#include "engine/contract/safetensors_set.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace contract {

/// The matrices of one of the adapters of a checkpoint.
class TrainedAdapter {
public:
    /// @param config its alpha; ranks are those of the matrices
    /// @throws std::runtime_error naming the checkpoint when it holds no adapter of that name, or half of one.
    TrainedAdapter(const CheckpointWeights& trained, const std::string& adapter, AdapterConfig config);

    const AdapterConfig& config() const { return m_config; }
    const std::map<AdapterTensor, const ExportedTensor*>& matrices() const { return m_matrices; }
    std::vector<std::string> modules() const;  ///< that it is for

private:
    AdapterConfig m_config;
    std::map<AdapterTensor, const ExportedTensor*> m_matrices;
};

/// Whether any adapter is in there.
bool holdsAdapter(const CheckpointWeights& trained);

/// What a checkpoint says of its adapter among its options: "lora.rank", "lora.alpha", "lora.rslora", and where layers differ
/// from the first "lora.alpha_pattern".
/// @param layers not empty
std::map<std::string, std::string> adapterOptions(const std::vector<AdapterFile::Layer>& layers, bool usesRslora);

/// The same as a configuration, but for the rank. @throws std::runtime_error when they do not say it.
AdapterConfig adapterConfigOf(const CheckpointManifest& manifest);

/// PEFT: adapter_model.safetensors and adapter_config.json. diffusers: pytorch_lora_weights.safetensors with the
/// configuration in its metadata. Kohya: the same name, with alphas beside the matrices, and the authors' layers where
/// they have one for several of diffusers' (asOneAdapter()).
/// @param names of all tensors of the model, whose other modules the configuration must not mean
/// @param dtype of the numbers, "F32", "F16" or "BF16"; empty: as stored
/// @return the files
std::vector<std::filesystem::path> exportAdapter(const TrainedAdapter& adapter, const std::vector<std::string>& names,
    const std::filesystem::path& folder, AdapterForm form, const std::string& dtype);

/// The tensors of @p base as the adapter makes them: W + scale · B A, worked out in float32 a few rows at a time when they
/// are asked for; those without an adapter as they are. Valid as long as the checkpoint's CheckpointWeights.
/// @param dtype that they will be written in; empty: rounded to what @p base has
/// @throws std::runtime_error naming a layer that @p base does not have in that shape
std::vector<ExportedTensor> withAdapter(const SafetensorsSet& base, const TrainedAdapter& adapter, const std::string& dtype);

}  // namespace contract
