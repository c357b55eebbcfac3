// The journal of what the machine did while an attempt ran, journal/host.jsonl.
#pragma once
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/machine/gpu_usage.h"
#include "launcher/machine/host_usage.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

namespace launcher {

class HostJournal {
public:
    /// A journal that cannot be opened stays empty: no run fails for it.
    HostJournal(const contract::RunFolder& folder, int attempt);

    /// Writes a record. No-op within the second of the record before, and on a full disk. @param processes the running ranks'
    /// @return bytes that are free where the run's folder lies; nullopt when that is not known
    std::optional<std::int64_t> sample(const std::vector<std::int64_t>& processes);

private:
    HostMeter m_host;
    GpuMeter m_gpus;
    std::optional<contract::JournalWriter> m_writer;
    std::chrono::steady_clock::time_point m_start;
    std::int64_t m_lastSecond = -1;
};

}  // namespace launcher
