// What the machine and a run's processes use of its processors, memory and disk, from /proc.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <vector>

namespace launcher {

struct HostUsage {
    double cpuLoad = 0;             ///< fraction of all cores' time since the read before; 0 at the first
    double cpuRunLoad = 0;          ///< the part of it that the run's processes had
    std::int64_t memoryUsed = 0;    ///< bytes that programs cannot get: total minus available
    std::int64_t memoryOfRun = 0;   ///< bytes of anonymous memory of the run's processes, and the most that any of them shares
    std::int64_t diskFree = 0;      ///< bytes where the folder lies
};

class HostMeter {
public:
    /// @param proc where the kernel's files are
    explicit HostMeter(std::filesystem::path folder, std::filesystem::path proc = "/proc");

    /// Values that cannot be read are 0. @param processes of the run; one that has ended counts for nothing
    HostUsage read(const std::vector<std::int64_t>& processes);

private:
    std::filesystem::path m_folder;
    std::filesystem::path m_proc;
    std::uint64_t m_total = 0, m_idle = 0;             ///< ticks of all cores at the last read
    std::map<std::int64_t, std::uint64_t> m_processes;  ///< ticks of each process at the last read
};

}  // namespace launcher
