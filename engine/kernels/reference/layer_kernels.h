// The functions of engine/kernels/layer_kernels.h written with ATen operators: used on devices without kernels of our own,
// and by tests as the reference for our own kernels.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// What a normalisation's forward saves for its backward: [B · N] float32 each.
struct NormStatistics {
    at::Tensor mean, inverseDeviation;
};

constexpr float kNormEpsilon = 1e-6F;

struct NormForm {
    float epsilon = kNormEpsilon;  ///< added to the variance
    float scaleOffset = 1;         ///< added to the scale; 0: the scale is a plain weight
};

}  // namespace engine

namespace engine::reference {

void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form = {});
void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, const NormForm& form = {});
void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out);
void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate);
void gelu(const at::Tensor& x, const at::Tensor& out);
void geluBackward(const at::Tensor& gradient, const at::Tensor& x);
void silu(const at::Tensor& x, const at::Tensor& out);
void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx);
void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds);
void softmax(const at::Tensor& x, const at::Tensor& bias = {}, double scale = 1);
void softmaxBackward(const at::Tensor& p, const at::Tensor& d, double scale = 1);

}  // namespace engine::reference
