#include "launcher/machine/host_usage.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>

namespace launcher {
namespace {

/// The values after "name:" in a file of such lines, in bytes; 0 for those that are not there.
std::map<std::string, std::int64_t> kilobytesIn(const std::filesystem::path& file, std::initializer_list<const char*> names)
{
    std::map<std::string, std::int64_t> values;
    std::ifstream stream(file);
    for (std::string line; std::getline(stream, line);) {
        const std::string name = line.substr(0, line.find(':'));
        if (std::ranges::find(names, name) == names.end() || name.size() == line.size())
            continue;
        std::int64_t kilobytes = 0;
        std::istringstream(line.substr(name.size() + 1)) >> kilobytes;
        values[name] = kilobytes * 1024;
    }
    return values;
}

/// Ticks that the process has had; 0 when it is gone.
std::uint64_t ticksOf(const std::filesystem::path& stat)
{
    std::ifstream stream(stat);
    std::string line;
    std::getline(stream, line);
    const std::size_t name = line.rfind(')');  // a program's name may hold anything
    if (name == std::string::npos)
        return 0;
    std::istringstream fields(line.substr(name + 1));
    std::string skipped;
    for (int field = 0; field < 11; ++field)  // state, then 4th to 13th
        fields >> skipped;
    std::uint64_t user = 0, system = 0;
    fields >> user >> system;
    return user + system;
}

}  // namespace

HostMeter::HostMeter(std::filesystem::path folder, std::filesystem::path proc)
    : m_folder(std::move(folder))
    , m_proc(std::move(proc))
{
}

HostUsage HostMeter::read(const std::vector<std::int64_t>& processes)
{
    HostUsage usage;
    std::ifstream stat(m_proc / "stat");
    std::string word;
    stat >> word;
    // user, nice, system, idle, iowait, irq, softirq, steal; guests are counted with the users.
    std::uint64_t total = 0, idle = 0, ticks = 0;
    for (int field = 0; field < 8 && stat >> ticks; ++field) {
        total += ticks;
        idle += field == 3 || field == 4 ? ticks : 0;
    }
    std::uint64_t ofRun = 0;
    std::int64_t shared = 0;
    std::map<std::int64_t, std::uint64_t> known;
    for (const std::int64_t process : processes) {
        const auto folder = m_proc / std::to_string(process);
        const std::uint64_t now = ticksOf(folder / "stat");
        const auto before = m_processes.find(process);
        if (before != m_processes.end())
            ofRun += now - std::min(now, before->second);
        known[process] = now;
        const auto memory = kilobytesIn(folder / "status", {"RssAnon", "RssShmem"});
        const auto value = [&](const char* name) { return memory.contains(name) ? memory.at(name) : 0; };
        usage.memoryOfRun += value("RssAnon");
        shared = std::max(shared, value("RssShmem"));
    }
    usage.memoryOfRun += shared;
    if (m_total > 0 && total > m_total) {
        const auto passed = static_cast<double>(total - m_total);
        usage.cpuLoad = 1 - static_cast<double>(idle - std::min(idle, m_idle)) / passed;
        usage.cpuRunLoad = std::min(1.0, static_cast<double>(ofRun) / passed);
    }
    m_total = total;
    m_idle = idle;
    m_processes = std::move(known);
    auto memory = kilobytesIn(m_proc / "meminfo", {"MemTotal", "MemAvailable"});
    usage.memoryUsed = memory["MemTotal"] - memory["MemAvailable"];
    std::error_code error;
    const auto space = std::filesystem::space(m_folder, error);
    usage.diskFree = error ? 0 : static_cast<std::int64_t>(space.available);
    return usage;
}

}  // namespace launcher
