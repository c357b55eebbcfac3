// What an adapter's file says beside its tensors: PEFT's adapter_config.json, or the same in diffusers' metadata.
#pragma once
#include "engine/contract/adapter_targets.h"
#include "engine/contract/json_config.h"
#include "engine/contract/safetensors_header.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace contract {

/// W' x = W x + scale · B (A x), with A [rank, in] and B [out, rank].
struct AdapterConfig {
    std::int64_t rank = 0;
    double alpha = 0;
    bool usesRslora = false;
    double dropout = 0;
    AdapterTargets targets, excluded;
    // Where a layer differs: the end of its path, or "^" and all of it → its own value.
    std::map<std::string, std::int64_t> rankPattern;
    std::map<std::string, double> alphaPattern;

    /// alpha / rank of that layer, or alpha / √rank.
    double scale(const std::string& module) const;
};

/// From adapter_config.json, or from a text of the same form.
/// @param prefix of its keys: "transformer." in a pipeline's metadata
/// @throws std::runtime_error naming file and key, also for what is not known here: another kind than LoRA, DoRA, trained
///         biases, whole modules or parameters beside the matrices.
AdapterConfig readAdapterConfig(const JsonConfig& json, const std::string& prefix = {});

/// The one in the metadata of a file of diffusers, where there is one. @param file for messages
std::optional<AdapterConfig> adapterConfigIn(const SafetensorsMetadata& metadata, const std::filesystem::path& file);

/// adapter_config.json as PEFT reads it, or with a prefix what adapterConfigIn() takes.
/// @param targets what its matrices are for, as shortestTargets() gives them
std::string adapterConfigText(const AdapterConfig& config, const std::vector<std::string>& targets, const std::string& prefix = {});

/// The key of diffusers' metadata that holds adapterConfigText().
inline constexpr char kAdapterMetadata[] = "lora_adapter_metadata";

}  // namespace contract
