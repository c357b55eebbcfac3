#include "launcher/machine/oom_watch.h"

#include <fstream>
#include <string>
#include <system_error>

namespace launcher {
namespace {

namespace fs = std::filesystem;

/// In /proc/self/cgroup, version 2 has one line "0::/path"; version 1 has a line that names the memory controller.
fs::path eventsFile()
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
    return "/proc/vmstat";
}

}  // namespace

OomWatch::OomWatch()
    : m_file(eventsFile())
{
    mark();
}

std::int64_t OomWatch::count() const
{
    std::ifstream stream(m_file);
    std::string name;
    for (std::int64_t value = 0; stream >> name >> value;) {
        if (name == "oom_kill")
            return value;
    }
    return 0;
}

}  // namespace launcher
