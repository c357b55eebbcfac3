// Where the engine's tests compute.
#pragma once
#include <c10/core/Device.h>

namespace tests {

inline const c10::Device kCpu(c10::DeviceType::CPU);

}  // namespace tests
