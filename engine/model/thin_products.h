// Matrix products of a few rows (a sample's modulation, say) in our own kernels: see cpu_thin_products.h.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// left right where that is a product of few rows with a matrix of weights, or one of the gradients of such.
/// @param left [m, k]; @param right [k, n]; @param out [m, n]
/// @return whether it was one on this device, of such strides and dtype; otherwise nothing has happened
bool multiplyThin(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds);

/// x weight^T + bias likewise. @param x [m, k]; @param weight [n, k]; @param bias [n]; @param out [m, n]
bool multiplyThinAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

}  // namespace engine
