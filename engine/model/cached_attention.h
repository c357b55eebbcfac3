// Attention on CPU one head after another, so that its weights stay in a processor's cache and are never kept: backward
// computes them again.
#pragma once
#include "engine/shard/arena.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

// So many weights are computed at once: a megabyte of them; in backward more, since the gradients of keys and values add
// up over shares of the queries, and round each time.
constexpr std::int64_t kWeightsForward = std::int64_t {1} << 19, kWeightsBackward = std::int64_t {1} << 23;

/// One matrix for each head of each sample. [M, tokens, d], contiguous
struct HeadMatrices {
    at::Tensor query;  ///< already scaled
    at::Tensor key, value;
};

/// @param keyBias [B, keys] float32, M / B heads each; undefined: none. @param mixed [M, queries, d]
void attendByHead(const HeadMatrices& heads, const at::Tensor& keyBias, const at::Tensor& mixed, Arena& scratch,
    std::int64_t weightsAtOnce = kWeightsForward);

/// @param gradient [M, queries, d]; @param d is written
void attendByHeadBackward(const at::Tensor& gradient, const HeadMatrices& heads, const at::Tensor& keyBias,
    const HeadMatrices& d, Arena& scratch, std::int64_t weightsAtOnce = kWeightsBackward);

}  // namespace engine
