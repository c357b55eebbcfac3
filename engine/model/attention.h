// Attention within a sequence, by the way that suits its length and device.
#pragma once
#include "engine/model/tape.h"

#include <cstdint>

namespace engine {

/// softmax(Q K^T / √d) V from one projection.
///
/// On CPU, up to kLongestMaterialised tokens the N × N weights are computed by two batched products and kept for
/// backward: there that is faster than LibTorch's flash kernel, in bfloat16 twice. Longer sequences, and other
/// devices, take LibTorch's kernels that never hold the weights.
/// @param qkv [B, N, 3 · heads · d], the three parts one after the other → [B, N, heads · d]
Var selfAttention(Tape& tape, Var qkv, std::int64_t heads);

constexpr std::int64_t kLongestMaterialised = 512;

}  // namespace engine
