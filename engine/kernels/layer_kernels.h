// The arithmetic of the layers on whole tensors: our own kernels on CPU, ATen elsewhere.
// Dims: B samples, N tokens, D width. Tensors are contiguous except shift, scale, gate and their gradients, which may be
// column blocks [B, D] of a wider tensor. The tensors of a call have one dtype (float32 or bfloat16) unless stated;
// shift, scale, gate and their gradients may be float32 beside others in bfloat16.
#pragma once
#include "engine/kernels/reference/layer_kernels.h"
#include "engine/shard/arena.h"

#include <ATen/core/Tensor.h>

namespace engine {

/// out = LayerNorm(x) (form.scaleOffset + scale) + shift; also writes @p statistics for the backward.
/// @param x, out [B, N, D] @param shift, scale [B, D], or [1, D] for all samples
void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form = {});

/// dShift and dScale are added to. @param addsToDx true adds to dx, false overwrites it
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
/// The same; leaves in x what geluBackward() needs: our kernels the derivative, which takes little time beside the value.
void geluForBackward(const at::Tensor& x, const at::Tensor& out);
/// The gradient of out becomes that of x, in place. @param kept what geluForBackward() left in x
void geluBackward(const at::Tensor& gradient, const at::Tensor& kept);

/// x sigmoid(x)
void silu(const at::Tensor& x, const at::Tensor& out);
void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx);

/// out = (@p adds: +=) sums over the rows of x [rows, D], accumulated in float32; out has D elements in any shape.
void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& scratch);

/// softmax(scale · x + bias) over the last dimension, in place. @param bias [B, keys] float32, for the scores x [B · …, keys] of its
/// sample; undefined: none
void softmax(const at::Tensor& x, const at::Tensor& bias = {}, double scale = 1);

/// d ← scale · p (d - Σ p d) over the last dimension, in place. @param p the result of softmax()
void softmaxBackward(const at::Tensor& p, const at::Tensor& d, double scale = 1);

}  // namespace engine
