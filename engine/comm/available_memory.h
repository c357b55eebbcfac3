// How much memory can still be allocated for tensors.
#pragma once
#include <c10/core/Device.h>

#include <cstdint>

namespace engine {

/// Returns the bytes that this process can still allocate on @p device. On a GPU: what the driver has free and what the caching
/// allocator holds unused. On the CPU: what the system can provide without swapping, within the limits of this process's
/// control groups; 0 when the system does not say.
/// @throws EngineError as loadAccelerator().
std::int64_t availableBytes(c10::Device device);

}  // namespace engine
