// Whether our kernels compute on this GPU what LibTorch's operators do.
#pragma once
#include <c10/core/Device.h>

#include <string>
#include <vector>

namespace engine::gpu {

/// Runs the kernels of layers and heads, in float32 and bfloat16, beside the reference, in some hundred megabytes of the GPU's memory.
/// @return what does not agree: "norm, backward (bfloat16): off by 0.2"; empty where all do
std::vector<std::string> disagreements(c10::Device device);

}  // namespace engine::gpu
