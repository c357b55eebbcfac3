#include "engine/worker/memory.h"

#include "engine/contract/formats/safetensors.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace engine {
namespace {

/// The kernel's account of this process, in bytes.
struct ProcessMemory {
    std::int64_t anonymous = 0, shared = 0, mappedFiles = 0;
    std::int64_t peakTotal = 0;  ///< highest sum of the three
};

ProcessMemory processMemory()
{
    char text[4096] = {};
    const int descriptor = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return {};
    const ssize_t count = ::read(descriptor, text, sizeof text - 1);
    ::close(descriptor);
    const auto bytesOf = [&](const char* name) -> std::int64_t {
        const char* const line = count > 0 ? std::strstr(text, name) : nullptr;
        return line ? std::strtoll(line + std::strlen(name), nullptr, 10) * 1024 : 0;
    };
    return {bytesOf("RssAnon:"), bytesOf("RssShmem:"), bytesOf("RssFile:"), bytesOf("VmHWM:")};
}

/// Resets the kernel's record of this process's peak memory to the current resident size.
void restartPeak()
{
    const int descriptor = ::open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);
    if (descriptor < 0)
        return;
    [[maybe_unused]] const ssize_t written = ::write(descriptor, "5", 1);
    ::close(descriptor);
}

}  // namespace

MemoryReading MemoryMeter::read()
{
    constexpr std::chrono::seconds kDriverInterval(10);
    const ProcessMemory process = processMemory();
    MemoryReading reading {.residentBytes = process.anonymous + process.shared, .mappedBytes = process.mappedFiles};
    // A new peak of the total was reached since the last reading, when about as much of files was mapped as now.
    const std::int64_t between = process.peakTotal > m_highestTotal ? process.peakTotal - process.mappedFiles : 0;
    m_highestTotal = process.peakTotal;
    m_peak = std::max({m_peak, reading.residentBytes, between});
    if (m_accelerator) {
        const auto memory = m_accelerator->memory();
        reading.allocatedBytes = memory.allocatedBytes;
        reading.reservedBytes = memory.reservedBytes;
        reading.peakBytes = memory.peakBytes;
        const auto now = std::chrono::steady_clock::now();
        if (!m_driverAsked || now - *m_driverAsked >= kDriverInterval) {
            m_driver = m_accelerator->driverMemory();
            m_driverAsked = now;
        }
        reading.driverUsedBytes = m_driver.usedBytes;
        reading.driverTotalBytes = m_driver.totalBytes;
        return reading;
    }
    const struct mallinfo2 heap = ::mallinfo2();
    reading.allocatedBytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
    reading.peakBytes = m_peak;
    return reading;
}

void MemoryMeter::releaseFreed() { ::malloc_trim(0); }

void MemoryMeter::forgetPeak() { restartPeak(); }

void MemoryMeter::releaseMappedFiles()
{
    constexpr std::int64_t kWorthRestarting = 50'000'000;
    const std::int64_t before = read().mappedBytes;
    contract::releaseMappedPages();
    if (before - processMemory().mappedFiles < kWorthRestarting)
        return;
    // Peaks below the total that the files helped to reach would go unnoticed.
    restartPeak();
    m_highestTotal = 0;
    read();
}

std::string describe(const MemoryReading& memory, bool hasGpu)
{
    const auto gigabytes = [](std::int64_t bytes) {
        char text[32];
        std::snprintf(text, sizeof text, "%.2f", static_cast<double>(bytes) / 1e9);
        return std::string(text);
    };
    const std::string allocated = gigabytes(memory.allocatedBytes) + " GB allocated, ";
    if (!hasGpu)
        return allocated + gigabytes(memory.residentBytes) + " GB resident, " + gigabytes(memory.mappedBytes) + " GB of files mapped";
    return allocated + gigabytes(memory.reservedBytes) + " GB reserved, " + gigabytes(memory.driverUsedBytes) + " of "
        + gigabytes(memory.driverTotalBytes) + " GB used on the device";
}

}  // namespace engine
