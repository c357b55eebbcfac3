#include "launcher/machine/oom_watch.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

/// Of this process's memory control group; empty when it has none. In /proc/self/cgroup, version 2 has one line "0::/path"; version 1 has a
/// line that names the memory controller.
fs::path groupFile()
{
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
        const std::string path = line.substr(line.rfind(':') + 1);
        fs::path file;
        if (line.starts_with("0::"))
            file = fs::path("/sys/fs/cgroup" + path) / "memory.events";
        else if (line.find(":memory:") != std::string::npos)
            file = fs::path("/sys/fs/cgroup/memory" + path) / "memory.oom_control";
        std::error_code error;
        if (!file.empty() && fs::exists(file, error))
            return file;
    }
    return {};
}

/// 0 when the file does not say.
std::int64_t killsIn(const fs::path& file)
{
    std::ifstream stream(file);
    std::string name;
    for (std::int64_t value = 0; stream >> name >> value;) {
        if (name == "oom_kill")
            return value;
    }
    return 0;
}

}  // namespace

OomWatch::OomWatch()
    : m_counters {Counter {groupFile()}, Counter {"/proc/vmstat"}}
{
    mark();
}

void OomWatch::mark()
{
    for (Counter& counter : m_counters)
        counter.marked = killsIn(counter.file);
}

bool OomWatch::hasKilledSinceMark() const
{
    return std::ranges::any_of(m_counters, [](const Counter& counter) { return killsIn(counter.file) > counter.marked; });
}

}  // namespace launcher
