// The configuration of an adapter file: PEFT's adapter_config.json, or the same JSON in the metadata of a diffusers file.
#pragma once
#include "engine/contract/adapters/adapter_targets.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/safetensors_header.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// A LoRA adapter computes W' x = W x + scale · B (A x), with A [rank, in] and B [out, rank].
struct AdapterConfig {
    std::int64_t rank = 0;
    double alpha = 0;
    bool usesRslora = false;
    double dropout = 0;
    AdapterTargets targets, excluded;
    // Values for layers that differ from the rest. Keys are the end of a layer's path, or "^" and the whole path.
    std::map<std::string, std::int64_t> rankPattern;
    std::map<std::string, double> alphaPattern;

    /// alpha / rank of the layer @p module, or alpha / √rank with rsLoRA.
    double scale(const std::string& module) const;
};

/// Reads a configuration in the form of adapter_config.json.
/// @param prefix of its keys: "transformer." in a pipeline's metadata
/// @throws std::runtime_error naming file and key, also for features that are not supported: other types than LoRA, DoRA,
///         trained biases, and modules or parameters that are trained in addition to the matrices.
AdapterConfig readAdapterConfig(const JsonConfig& json, const std::string& prefix = {});

/// The configuration in the metadata of a diffusers file; nullopt when there is none. @param file for messages
std::optional<AdapterConfig> adapterConfigIn(const SafetensorsMetadata& metadata, const std::filesystem::path& file);

/// The text of an adapter_config.json for PEFT or, with a prefix, of the metadata that adapterConfigIn() reads.
/// @param targets the adapted layers, as returned by shortestTargets()
std::string adapterConfigText(const AdapterConfig& config, const std::vector<std::string>& targets, const std::string& prefix = {});

/// The key of diffusers' metadata that holds adapterConfigText().
inline constexpr char kAdapterMetadata[] = "lora_adapter_metadata";

}  // namespace contract
