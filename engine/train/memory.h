// What memory this rank holds.
#pragma once
#include "engine/comm/accelerator.h"

#include <cstdint>
#include <string>

namespace engine {

struct MemoryReading {
    std::int64_t residentBytes = 0;
    std::int64_t allocatedBytes = 0;  ///< CUDA: by tensors; CPU: by malloc, this library's own included
    std::int64_t peakBytes = 0;       ///< CUDA: highest allocated; CPU: highest resident
    std::int64_t reservedBytes = 0;   ///< CUDA only
    std::int64_t driverUsedBytes = 0; ///< CUDA only, and of all processes, as the next
    std::int64_t driverTotalBytes = 0;
};

/// A few microseconds. @param accelerator nullptr on CPU.
MemoryReading readMemory(Accelerator* accelerator);

/// "1.20 GB allocated, 1.90 GB resident", or "1.20 GB allocated, 1.50 GB reserved, 2.00 of 80.00 GB used on the
/// device"; 1e9 bytes a GB.
std::string describe(const MemoryReading& memory, bool hasGpu);

}  // namespace engine
