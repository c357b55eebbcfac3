#include "engine/train/memory.h"

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

namespace engine {
namespace {

std::int64_t residentBytes()
{
    char text[128] = {};
    const int descriptor = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return 0;
    const ssize_t count = ::read(descriptor, text, sizeof text - 1);
    ::close(descriptor);
    long long total = 0;
    long long resident = 0;
    if (count <= 0 || std::sscanf(text, "%lld %lld", &total, &resident) != 2)
        return 0;
    return resident * ::sysconf(_SC_PAGESIZE);
}

}  // namespace

MemoryReading readMemory(Accelerator* accelerator)
{
    MemoryReading reading;
    reading.residentBytes = residentBytes();
    if (accelerator) {
        const auto memory = accelerator->memory();
        reading.allocatedBytes = memory.allocatedBytes;
        reading.reservedBytes = memory.reservedBytes;
        reading.peakBytes = memory.peakBytes;
        reading.driverUsedBytes = memory.driverUsedBytes;
        reading.driverTotalBytes = memory.driverTotalBytes;
        return reading;
    }
    const struct mallinfo2 heap = ::mallinfo2();
    reading.allocatedBytes = static_cast<std::int64_t>(heap.uordblks + heap.hblkhd);
    struct rusage usage {};
    ::getrusage(RUSAGE_SELF, &usage);
    reading.peakBytes = usage.ru_maxrss * 1024;
    return reading;
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
        return allocated + gigabytes(memory.residentBytes) + " GB resident";
    return allocated + gigabytes(memory.reservedBytes) + " GB reserved, " + gigabytes(memory.driverUsedBytes) + " of "
        + gigabytes(memory.driverTotalBytes) + " GB used on the device";
}

}  // namespace engine
