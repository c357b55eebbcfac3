#include "engine/comm/available_memory.h"

#include "engine/comm/accelerator.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace engine {
namespace {

namespace fs = std::filesystem;

/// The number after the word @p key of a file of lines "key number"; nullopt when it has none, or cannot be read.
std::optional<std::int64_t> numberIn(const fs::path& file, const std::string& key)
{
    std::ifstream lines(file);
    std::string word;
    for (std::string line; lines >> word && std::getline(lines, line);) {
        if (word == key)
            return std::strtoll(line.c_str(), nullptr, 10);
    }
    return std::nullopt;
}

/// The number that is all of @p file; nullopt for a word such as "max".
std::optional<std::int64_t> numberOf(const fs::path& file)
{
    std::ifstream text(file);
    std::int64_t number = 0;
    return text >> number ? std::optional(number) : std::nullopt;
}

/// This process's control group (version 2), as a path below its mount; nullopt without one.
std::optional<fs::path> controlGroup()
{
    std::ifstream lines("/proc/self/cgroup");
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("0::/"))
            return fs::path(line.substr(4));
    }
    return std::nullopt;
}

std::int64_t availableOnHost()
{
    constexpr std::int64_t kKilobyte = 1024;
    std::int64_t available = numberIn("/proc/meminfo", "MemAvailable:").value_or(0) * kKilobyte;
    const auto group = controlGroup();
    if (!group)
        return available;
    const fs::path mount("/sys/fs/cgroup");
    // A limit of any group above holds too.
    for (fs::path below = *group;; below = below.parent_path()) {
        const fs::path folder = mount / below;
        const auto limit = numberOf(folder / "memory.max"), used = numberOf(folder / "memory.current");
        if (limit && used) {
            const fs::path parts = folder / "memory.stat";  // pages of files can be given back
            const std::int64_t files = numberIn(parts, "inactive_file").value_or(0) + numberIn(parts, "active_file").value_or(0);
            available = std::min(available, std::max<std::int64_t>(0, *limit - *used + files));
        }
        if (below.empty())
            return available;
    }
}

}  // namespace

std::int64_t availableBytes(c10::Device device)
{
    if (device.is_cpu())
        return availableOnHost();
    Accelerator& accelerator = loadAccelerator();
    const Accelerator::Memory memory = accelerator.memory();
    const Accelerator::DriverMemory driver = accelerator.driverMemory();
    return driver.totalBytes - driver.usedBytes + memory.reservedBytes - memory.allocatedBytes;
}

}  // namespace engine
