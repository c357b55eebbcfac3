#include "launcher/state/journal_silence.h"

#include "launcher/base/file_end.h"

#include <algorithm>
#include <map>
#include <mutex>

namespace launcher {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// What this process has seen of a journal.
struct Sighting {
    std::int64_t bytes = 0;
    Clock::time_point since;  ///< when it had that size first
    std::int64_t sinceUnixMs = 0;
    bool hasGrown = false;    ///< it had another size before
};

/// Remembers the journal's size.
Sighting see(const std::filesystem::path& journal, std::int64_t bytes)
{
    static std::mutex mutex;
    static std::map<std::filesystem::path, Sighting> all;
    const std::lock_guard lock(mutex);
    const auto [known, isNew] = all.try_emplace(journal, Sighting {bytes, Clock::now(), nowUnixMs(), false});
    if (!isNew && known->second.bytes != bytes)
        known->second = {bytes, Clock::now(), nowUnixMs(), true};
    return known->second;
}

}  // namespace

JournalSilence journalSilence(const std::filesystem::path& journal, const JournalEnd& end, bool isWrittenHere)
{
    const Sighting seen = see(journal, end.bytes);
    const auto watched = std::chrono::duration_cast<milliseconds>(Clock::now() - seen.since);
    const milliseconds byClock(nowUnixMs() - end.writtenUnixMs);
    const std::int64_t sinceUnixMs = std::min(end.writtenUnixMs, seen.sinceUnixMs);  // a time in the future is wrong
    if (isWrittenHere && byClock.count() >= 0)
        return {byClock, sinceUnixMs};
    if (seen.hasGrown)
        return {watched, seen.sinceUnixMs};
    return {std::max(watched, byClock - milliseconds(kClockSlack)), sinceUnixMs};
}

}  // namespace launcher
