#include "launcher/machine/host_journal.h"

#include "engine/contract/run/journal.h"

#include <string>
#include <system_error>

namespace launcher {

namespace metric = contract::metric;

HostJournal::HostJournal(const contract::RunFolder& folder, int attempt)
    : m_host(folder.root())
    , m_start(std::chrono::steady_clock::now())
{
    try {
        m_writer.emplace(folder.journal(contract::kHostRank),
            contract::JournalHeader {.version = contract::kJournalVersion, .run = folder.id(), .attempt = attempt, .rank = contract::kHostRank, .host = {}, .startUnixMs = 0});
    } catch (const std::system_error&) {
    }
}

std::optional<std::int64_t> HostJournal::sample(const std::vector<std::int64_t>& processes)
{
    const std::int64_t second = std::chrono::floor<std::chrono::seconds>(std::chrono::steady_clock::now() - m_start).count();
    if (!m_writer || second == m_lastSecond)
        return std::nullopt;
    const bool isFirst = m_lastSecond < 0;
    m_lastSecond = second;
    const HostUsage host = m_host.read(processes);
    m_writer->begin(contract::record::kHost, second);
    if (!isFirst)  // loads are of the time since the record before
        m_writer->add(metric::kCpuLoad, host.cpuLoad).add(metric::kCpuRanks, host.cpuRunLoad);
    m_writer->add(metric::kHostMemory, host.memoryUsed).add(metric::kHostRanks, host.memoryOfRun).add(metric::kHostDisk, host.diskFree);
    for (const GpuUsage& gpu : m_gpus.read(processes)) {
        const std::string prefix = metric::kHostPrefix + ("gpu" + std::to_string(gpu.index));
        const auto add = [&](const char* name, const auto& value) {
            if (value)
                m_writer->add(prefix + name, static_cast<double>(*value));
        };
        add("_load", gpu.load);
        add("_memory_used_bytes", gpu.memoryUsed);
        add("_memory_run_bytes", gpu.memoryOfRun);
        add("_power_w", gpu.watts);
        add("_temperature_c", gpu.celsius);
        add("_throttled", gpu.isThrottled);
    }
    try {
        m_writer->commit();
    } catch (const std::system_error&) {
    }
    return host.diskFree > 0 ? std::optional(host.diskFree) : std::nullopt;
}

}  // namespace launcher
