// Uploads that do not make the host wait.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

namespace engine {

/// Copies @p values from the host to @p device through pinned memory, on the current stream; returns before the copy is done.
/// @p values may be changed at once. Returns @p values themselves on the CPU, and when they are undefined or on the device.
at::Tensor uploaded(const at::Tensor& values, c10::Device device);

}  // namespace engine
