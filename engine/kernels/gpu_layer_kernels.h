// The functions of layer_kernels.h by our own kernels for GPUs. Each returns false, and does nothing, where there is none for the tensors.
#pragma once
#include "engine/kernels/reference/layer_kernels.h"
#include "engine/shard/arena.h"

#include <ATen/core/Tensor.h>

namespace engine::gpu {

bool modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out, const NormStatistics& statistics,
    const NormForm& form);
bool modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale, const NormStatistics& statistics,
    const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift, const at::Tensor& dScale, Arena& scratch, const NormForm& form);
bool gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out);
bool gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& dh, const at::Tensor& dGate,
    Arena& scratch);
bool gelu(const at::Tensor& x, const at::Tensor& out);
bool geluBackward(const at::Tensor& gradient, const at::Tensor& x);
bool silu(const at::Tensor& x, const at::Tensor& out);
bool siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx);
bool columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& scratch);

}  // namespace engine::gpu
