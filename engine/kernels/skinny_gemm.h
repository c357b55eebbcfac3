// Matrix products of a few rows, such as a sample's modulation, in our own kernels: see cpu/skinny_gemm.h.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// out = (@p adds: +=) left right, if that is the product of a few rows with a weight matrix, or one of its gradients.
/// @param left [m, k]; @param right [k, n]; @param out [m, n]
/// @return false, and leaves out unchanged, if our kernels do not support the shape, strides, dtype or device
bool multiplySkinny(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds);

/// out = x weight^T + bias. @param x [m, k]; @param weight [n, k]; @param bias [n]; @param out [m, n]
/// @return as multiplySkinny()
bool multiplySkinnyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace engine
