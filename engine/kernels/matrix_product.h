// Matrix products into existing memory, by the fastest implementation for the shape, dtype and device.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// out = left right, or out += left right. @param left [m, k]; @param right [k, n]; @param out [m, n]; any strides
void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds);

/// out = x weight^T + bias. @param x [m, k]; @param weight [n, k]; @param bias [n]; @param out [m, n]
void multiplyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// out[i] = left[i] right[i] for each matrix of a batch. @param left [b, m, k]; @param right [b, k, n]; @param out [b, m, n]
void multiplyEach(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right);

}  // namespace engine
