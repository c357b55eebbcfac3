#include "launcher/plan/timed_checks.h"

#include "engine/contract/formats/text.h"

#include <condition_variable>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace launcher {
namespace {

using Items = std::vector<PreflightItem>;
using Level = PreflightItem::Level;

/// What the checks have found so far; shared with their threads, some of which may still run when nobody waits any more.
struct Findings {
    std::mutex mutex;
    std::condition_variable changed;
    std::vector<std::optional<Items>> items;
    std::size_t ended = 0;
};

Items run(const TimedCheck& check)
{
    try {
        return check.run();
    } catch (const std::exception& error) {
        return {{Level::Error, check.what, contract::sentenceOf(error)}};
    }
}

}  // namespace

std::vector<Items> runChecks(const std::vector<TimedCheck>& checks, std::chrono::milliseconds limit)
{
    const auto findings = std::make_shared<Findings>();
    findings->items.resize(checks.size());
    std::map<std::string, std::vector<std::pair<std::size_t, TimedCheck>>> byName;
    for (std::size_t i = 0; i < checks.size(); ++i)
        byName[checks[i].what].emplace_back(i, checks[i]);
    for (auto& [what, numbered] : byName) {
        std::thread([findings, numbered = std::move(numbered)] {
            for (const auto& [i, check] : numbered) {
                Items items = run(check);
                const std::lock_guard lock(findings->mutex);
                findings->items[i] = std::move(items);
                ++findings->ended;
                findings->changed.notify_all();
            }
        }).detach();
    }
    std::unique_lock lock(findings->mutex);
    findings->changed.wait_for(lock, limit, [&] { return findings->ended == checks.size(); });
    std::vector<Items> all;
    for (std::size_t i = 0; i < checks.size(); ++i)
        all.push_back(findings->items[i].value_or(
            Items {{Level::Warning, checks[i].what, "not known yet: a disk or a driver has not answered in time"}}));
    return all;
}

}  // namespace launcher
