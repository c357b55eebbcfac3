// LibTorch's attention kernels that never hold the N × N weights, one face for CPU and CUDA.
#pragma once
#include "engine/model/attention_kernel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

struct StreamedAttention {
    at::Tensor mixed;    ///< [B, heads, N, d]
    at::Tensor logSums;  ///< [B, heads, at least N] float32: log Σ exp of the scores of each query
    at::Tensor seed, offset;
};

/// softmax(scale · Q K^T + bias) V. @param q [B, heads, N, d]; @param k, v [B, heads, M, d], last dim contiguous
/// @param keyBias [B, M] float32, undefined: none
/// @param kernel Flash, Efficient or Cudnn, which can do it: see obstacleTo(); another: the device's own
StreamedAttention attendStreamed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
    bool isTraining, const at::Tensor& keyBias = {}, AttentionKernel kernel = AttentionKernel::Automatic);

struct AttentionGradients {
    at::Tensor q, k, v;
};

/// With the result for more keys than @p k: that part of the gradients which goes through @p k and @p v.
AttentionGradients streamedBackward(const at::Tensor& gradient, const at::Tensor& q, const at::Tensor& k,
    const at::Tensor& v, const StreamedAttention& result, double scale, const at::Tensor& keyBias = {},
    AttentionKernel kernel = AttentionKernel::Automatic);

}  // namespace engine
