// Measures the memory that this rank uses.
#pragma once
#include "engine/comm/accelerator.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace engine {

struct MemoryReading {
    std::int64_t residentBytes = 0;    ///< that the process needs: anonymous and shared memory
    std::int64_t mappedBytes = 0;      ///< resident pages of mapped files, which the system takes back when it needs memory
    std::int64_t allocatedBytes = 0;   ///< CUDA: by tensors; CPU: by malloc in the whole process, libraries included
    std::int64_t peakBytes = 0;        ///< CUDA: highest allocated; CPU: highest resident
    std::int64_t reservedBytes = 0;    ///< CUDA only
    std::int64_t driverUsedBytes = 0;  ///< CUDA only: used by all processes
    std::int64_t driverTotalBytes = 0; ///< CUDA only: the device's memory
};

/// One per process, since it may reset the kernel's record of the process's peak.
class MemoryMeter {
public:
    /// @param accelerator nullptr on CPU
    explicit MemoryMeter(Accelerator* accelerator = nullptr)
        : m_accelerator(accelerator)
    {
    }

    /// Takes some 20 microseconds. The driver is asked at most every 10 s, because it waits for other calls on the device;
    /// in between the reading repeats its last answer.
    MemoryReading read();

    /// Gives what malloc keeps of freed memory back to the operating system.
    static void releaseFreed();

    /// Lets the kernel forget this process's peak so far, for meters that are made afterwards. Best effort.
    static void forgetPeak();

    /// Gives the pages of mapped weight files back to the operating system. Call it after weights were read.
    void releaseMappedFiles();

private:
    Accelerator* m_accelerator;
    std::int64_t m_peak = 0;          ///< highest residentBytes
    std::int64_t m_highestTotal = 0;  ///< the kernel's peak at the last reading; counts mapped files
    Accelerator::DriverMemory m_driver;
    std::optional<std::chrono::steady_clock::time_point> m_driverAsked;
};

/// "1.20 GB allocated, 1.90 GB resident, 0.30 GB of files mapped", or "1.20 GB allocated, 1.50 GB reserved, 2.00 of 80.00 GB used
/// on the device"; 1 GB is 1e9 bytes.
std::string describe(const MemoryReading& memory, bool hasGpu);

}  // namespace engine
