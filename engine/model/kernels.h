// The arithmetic of the layers on whole tensors: our own kernels on CPU, ATen elsewhere.
// Dims: B samples, N tokens, D width. Tensors are contiguous but for shift, scale, gate and their gradients,
// which are column blocks [B, D] of a wider tensor. All of one dtype (float32 or bfloat16) unless said.
#pragma once
#include "engine/shard/arena.h"

#include <ATen/core/Tensor.h>

namespace engine {

/// What a normalisation keeps for its backward. [B · N] float32 each.
struct NormStatistics {
    at::Tensor mean, inverseDeviation;
};

constexpr float kNormEpsilon = 1e-6F;

struct NormForm {
    float epsilon = kNormEpsilon;  ///< beside the variance
    float scaleOffset = 1;         ///< 0: the scale is a weight as it is
};

/// LayerNorm(x) (offset + scale) + shift. @param x, out [B, N, D]; @param shift, scale also [1, D]: of all samples
void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form = {});

/// dShift and dScale are added to. @param addsToDx otherwise dx is written.
void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, Arena& scratch, const NormForm& form = {});

/// out = x + gate h. @param x, h, out [B, N, D]
void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out);

/// dh = gate gradient; dGate [B, D] is added to.
void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate, Arena& scratch);

/// x Φ(x) in its tanh form (Hendrycks & Gimpel, 2016).
void gelu(const at::Tensor& x, const at::Tensor& out);
void geluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx);

/// x sigmoid(x)
void silu(const at::Tensor& x, const at::Tensor& out);
void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx);

/// out [D], in whatever shape, = sums over the rows of x [rows, D], in float32.
void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& scratch);

/// Over the last dimension, in place. @param bias [B, keys] float32, added to the scores x [B · …, keys] of its sample
/// first; undefined: none
void softmax(const at::Tensor& x, const at::Tensor& bias = {});

/// d ← p (d - Σ p d) over the last dimension.
void softmaxBackward(const at::Tensor& p, const at::Tensor& d);

}  // namespace engine
