// Matrix products into existing memory, by the fastest implementation for the shape, dtype and device.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

/// out = left right, or out += left right. @param left [m, k]; @param right [k, n]; @param out [m, n]; any strides
void multiply(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right, bool adds);

/// out = x weight^T + bias. @param x [m, k]; @param weight [n, k]; @param bias [n]; @param out [m, n]
void multiplyAddBias(const at::Tensor& out, const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias);

/// out = left right for each pair of matrices. @param left [B, H, m, k]; @param right [B, H, k, n]; @param out [B, H, m, n]; any strides,
/// which are as fast as contiguous matrices where multipliesStrided()
void multiplyEach(const at::Tensor& out, const at::Tensor& left, const at::Tensor& right);

/// Whether multiplyEach() of matrices of this dtype and device reads and writes rows that are far apart without copying them.
bool multipliesStrided(const at::Tensor& matrices);

}  // namespace engine
