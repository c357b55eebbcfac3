// Checks of configs and inputs that several models share.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/model.h"
#include "engine/models/transformer/model_config.h"
#include "engine/nn/attention/sequence_parallel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// @throws EngineError WrongUsage unless @p x is [batch, …, width] with @p dims dimensions ([batch] when dims is 1).
/// @param what the tensor's name in the message, such as "prompt embeddings"
void requireRows(const char* what, const at::Tensor& x, std::int64_t dims, std::int64_t batch, std::int64_t width);

/// @throws EngineError WrongUsage when @p model takes no references, when one is undefined (the message lists the tensors that
///         are defined), and when one is not [B, C, H, W] with the batch and channels of the latents.
void requireReferencesFit(const Model& model, const ModelInput& input);

/// The tokens of a divided sequence that this rank computes.
struct OwnTokens {
    std::int64_t first = 0, count = 0;
};

/// @param tokens length of the whole sequence. @throws EngineError WrongUsage unless it is a multiple of the number of ranks.
OwnTokens ownTokens(std::int64_t tokens, const SequenceGroups& sequence);

/// @param width num_attention_heads · attention_head_dim. @throws std::runtime_error when it exceeds kLargestWidth.
void requireWidth(const contract::JsonConfig& json, std::int64_t width);

/// Reads num_attention_heads and attention_head_dim into heads and headSize; a key that is absent leaves its field unchanged.
/// @throws std::runtime_error naming the wrong key.
template <typename Config>
void readHeads(const contract::JsonConfig& json, Config& config)
{
    config.headSize = sizeIn(json, "attention_head_dim", config.headSize);
    config.heads = sizeIn(json, "num_attention_heads", config.heads);
    requireWidth(json, config.width());
}

/// Reads axes_dims_rope: three even sizes that add up to @p headSize.
/// @throws std::runtime_error for other values.
std::vector<std::int64_t> rotaryAxesIn(
    const contract::JsonConfig& json, const std::vector<std::int64_t>& otherwise, std::int64_t headSize);

}  // namespace engine
