// One interface for CPU and CUDA to LibTorch's attention kernels that never materialise the N × N weights.
#pragma once
#include "engine/nn/attention/attention_kernel.h"

#include <ATen/core/Tensor.h>

#include <cstdint>

namespace engine {

struct StreamedAttention {
    at::Tensor mixed;    ///< [B, heads, N, d]
    at::Tensor logSums;  ///< [B, heads, at least N] float32: log Σ exp of the scores of each query; see LogSums
    at::Tensor seed, offset;  ///< random state, as LibTorch's CUDA kernels return it; undefined on CPU
};

/// Whether StreamedAttention::logSums is needed: by streamedBackward(), and to combine the results for several parts of the keys.
/// When it is not, logSums is undefined; CUDA's kernels then save the work.
enum class LogSums { None, Computed };

/// softmax(scale · Q K^T + bias) V. @param q [B, heads, N, d]; @param k, v [B, heads, M, d], last dim contiguous
/// @param keyBias [B, M] float32; undefined: none
/// @param kernel Flash, Efficient or Cudnn, without an obstacleTo(); any other means the device's default
StreamedAttention attendStreamed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
    LogSums logSums, const at::Tensor& keyBias = {}, AttentionKernel kernel = AttentionKernel::Automatic);

struct AttentionGradients {
    at::Tensor q, k, v;
};

/// @param result with logSums. If it covers more keys than @p k, returns the part of the gradients that flows through @p k and @p v.
AttentionGradients streamedBackward(const at::Tensor& gradient, const at::Tensor& q, const at::Tensor& k,
    const at::Tensor& v, const StreamedAttention& result, double scale, const at::Tensor& keyBias = {},
    AttentionKernel kernel = AttentionKernel::Automatic);

}  // namespace engine
