#include "launcher/scheduler/missing_gpus.h"

#include <algorithm>
#include <utility>

namespace launcher {
namespace {

std::string missingNow(const QueueEntry& entry, const std::vector<std::string>& usable)
{
    for (const std::string& uuid : entry.chosen) {
        // A part of a GPU has a name that is not listed.
        if (!uuid.starts_with("MIG-") && std::ranges::find(usable, uuid) == usable.end())
            return uuid + ", which launch.gpus names, is not among the GPUs that this machine can use now (`atelier doctor` shows them)";
    }
    if (!entry.chosen.empty() || entry.gpus <= static_cast<int>(usable.size()))
        return {};
    return "it waits for " + std::to_string(entry.gpus) + (entry.gpus == 1 ? " GPU" : " GPUs") + ", and this machine can use "
        + std::to_string(usable.size()) + " now (`atelier doctor` shows them)";
}

}  // namespace

std::string MissingGpus::problemOf(const QueueEntry& entry, const std::vector<std::string>& usable)
{
    std::string problem = missingNow(entry, usable);
    const auto now = std::chrono::steady_clock::now();
    if (problem.empty())
        m_run.clear();
    else if (std::exchange(m_run, entry.run) != entry.run)
        m_since = now;
    return m_run.empty() || now - m_since < kPatience ? std::string() : problem;
}

}  // namespace launcher
