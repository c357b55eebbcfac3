// Where tests of the engine compute: on the CPU, or on the first GPU (label gpu). A test whose source includes this header exists for both
// (tests/CMakeLists.txt).
#pragma once
#include "engine/comm/accelerator.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <cstdlib>
#include <string_view>

namespace tests {

/// nullptr where tests compute on the CPU.
inline engine::Accelerator* accelerator()
{
    static engine::Accelerator* const found = [] {
        const char* const name = std::getenv("ATELIER_TEST_DEVICE");
        return name && std::string_view(name) == "cuda" ? &engine::loadAccelerator() : nullptr;
    }();
    return found;
}

/// The module is loaded before LibTorch looks for devices.
inline engine::Accelerator* const loadedFirst = accelerator();

inline c10::Device device() { return {accelerator() ? c10::DeviceType::CUDA : c10::DeviceType::CPU, static_cast<c10::DeviceIndex>(accelerator() ? 0 : -1)}; }

/// Undefined stays undefined.
inline at::Tensor onDevice(const at::Tensor& tensor) { return tensor.defined() ? tensor.to(device()) : tensor; }

}  // namespace tests
