// Attention on CPU, one head at a time, so that the attention weights stay in the processor's cache. They are not kept:
// backward recomputes them.
#pragma once
#include "engine/shard/arena.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

// Attention weights computed at once: a megabyte (bfloat16) in forward. More in backward, because the gradients of keys and
// values are summed over groups of queries and rounded after each group.
constexpr std::int64_t kWeightsForward = std::int64_t {1} << 19, kWeightsBackward = std::int64_t {1} << 23;

/// One matrix for each head of each sample: [M, tokens, d], M = B · heads, contiguous.
struct HeadMatrices {
    at::Tensor query;  ///< already scaled
    at::Tensor key, value;
};

/// @param keyBias [B, keys] float32, added to the scores; undefined: none @param mixed [M, queries, d], the output
void attendByHead(const HeadMatrices& heads, const at::Tensor& keyBias, const at::Tensor& mixed, Arena& scratch,
    std::int64_t weightsAtOnce = kWeightsForward);

/// @param gradient [M, queries, d], of the output @param d the gradients of @p heads, overwritten
void attendByHeadBackward(const at::Tensor& gradient, const HeadMatrices& heads, const at::Tensor& keyBias,
    const HeadMatrices& d, Arena& scratch, std::int64_t weightsAtOnce = kWeightsBackward);

}  // namespace engine
