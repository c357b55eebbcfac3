// The pieces that diffusion transformers are made of.
#pragma once
#include "engine/shard/parameter.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

/// x W^T + b. Its backward writes the weights' gradients straight into the unit's flat buffer.
/// @param x [..., in]; @param weight [out, in]; @param bias [out] → [..., out]
at::Tensor linear(const at::Tensor& x, Parameter& weight, Parameter& bias);

/// LayerNorm(x) · (1 + scale) + shift, without affine weights, eps 1e-6.
/// @param x [B, N, D]; @param shift, scale [B, D]
at::Tensor modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);

/// softmax(Q K^T / √d) V from one projection.
/// @param qkv [B, N, 3 · heads · d], the three parts one after the other → [B, N, heads · d]
at::Tensor selfAttention(const at::Tensor& qkv, std::int64_t heads);

/// [cos(1000 t f), sin(1000 t f)], f_k = 10000^(-k/half), half = size / 2. @param t [B] float32 → [B, size]
at::Tensor sinusoid(const at::Tensor& t, std::int64_t size);

}  // namespace engine
