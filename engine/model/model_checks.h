// What several models ask of their configs and inputs, each refused in one sentence.
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/model.h"
#include "engine/model/model_config.h"
#include "engine/model/sequence_parallel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// @throws EngineError WrongUsage unless @p x is [batch, …, width] of @p dims dimensions, [batch] when it is one.
/// @param what "prompt embeddings"
void requireRows(const char* what, const at::Tensor& x, std::int64_t dims, std::int64_t batch, std::int64_t width);

/// @throws EngineError WrongUsage for references that @p model does not take; one that is missing, naming what is given; one that is
///         no [batch, C, H, W] as the latents' batch and channels are.
void requireReferencesFit(const Model& model, const ModelInput& input);

/// Tokens of a divided sequence that this rank has.
struct OwnTokens {
    std::int64_t first = 0, count = 0;
};

/// @throws EngineError WrongUsage unless the ranks divide @p tokens.
OwnTokens ownTokens(std::int64_t tokens, const SequenceGroups& sequence);

/// num_attention_heads · attention_head_dim. @throws std::runtime_error when it is too large.
void requireWidth(const contract::JsonConfig& json, std::int64_t width);

/// A config's heads and headSize, from num_attention_heads and attention_head_dim: what is not in the file stays.
/// @throws std::runtime_error naming the key that is wrong.
template <typename Config>
void readHeads(const contract::JsonConfig& json, Config& config)
{
    config.headSize = sizeIn(json, "attention_head_dim", config.headSize);
    config.heads = sizeIn(json, "num_attention_heads", config.heads);
    requireWidth(json, config.width());
}

/// axes_dims_rope: three even parts of a head. @throws std::runtime_error
std::vector<std::int64_t> rotaryAxesIn(
    const contract::JsonConfig& json, const std::vector<std::int64_t>& otherwise, std::int64_t headSize);

}  // namespace engine
