// The same functions as kernels.h in ATen's words: what other devices run, and what the tests of our own
// kernels compare with.
#pragma once
#include "engine/model/kernels.h"

namespace engine::plain {

void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form = {});
void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, const NormForm& form = {});
void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out);
void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate);
void gelu(const at::Tensor& x, const at::Tensor& out);
void geluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx);
void silu(const at::Tensor& x, const at::Tensor& out);
void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx);
void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds);
void softmax(const at::Tensor& x, const at::Tensor& bias = {});
void softmaxBackward(const at::Tensor& p, const at::Tensor& d);

}  // namespace engine::plain
