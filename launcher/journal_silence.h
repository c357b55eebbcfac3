// For how long nothing has been written to a journal, by this process's own clock as far as possible.
#pragma once
#include "launcher/state/journal_end.h"

#include <chrono>
#include <cstdint>
#include <filesystem>

namespace launcher {

/// [Note: silence]
/// A journal's modification time is set by the clock of the host that writes it, or of the server that has the file. When that is this host, the
/// time counts as it is. Otherwise that clock may be minutes ahead of or behind the one here. So a process that looks at a journal again and again
/// remembers when it saw the journal grow, and measures the silence from there with its steady clock. Before it has seen that, the clocks may
/// differ by kClockSlack, and a journal counts as written to just now unless its time is older than that.
inline constexpr std::chrono::minutes kClockSlack {15};

struct JournalSilence {
    std::chrono::milliseconds time {};  ///< at least 0
    std::int64_t sinceUnixMs = 0;       ///< the last time at which the journal was written to, by the clock here, as far as that is known
};

/// @param end of the journal, as just read
/// @param isWrittenHere by a process of this host
/// May be called on any thread.
JournalSilence journalSilence(const std::filesystem::path& journal, const JournalEnd& end, bool isWrittenHere);

}  // namespace launcher
