// The functions of head_kernels.h by our own kernels for GPUs. Each returns false, and does nothing, where there is none for the tensors.
#pragma once
#include "engine/kernels/head_kernels.h"

namespace engine::gpu {

bool splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form);
bool splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx, const HeadTransform& form,
    const at::Tensor& dWeight, Arena& scratch);

}  // namespace engine::gpu
