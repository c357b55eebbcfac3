#include "launcher/stall_watch.h"

#include "launcher/journal_end.h"
#include "launcher/stall_limit.h"

#include <utility>

namespace launcher {

StallWatch::StallWatch(const contract::RunFolder& folder, int attempt, std::int64_t journalOffset, std::int64_t stallAfterSeconds)
    : m_folder(folder)
    , m_attempt(attempt)
    , m_journalOffset(journalOffset)
    , m_stallAfterSeconds(stallAfterSeconds)
    , m_lastRecord(std::chrono::steady_clock::now())
{
}

bool StallWatch::onRecord()
{
    m_lastRecord = std::chrono::steady_clock::now();
    return std::exchange(m_isStalled, false);
}

std::string StallWatch::check()
{
    const auto silence = std::chrono::steady_clock::now() - m_lastRecord;
    if (m_isStalled || silence < stallLimit(m_stallAfterSeconds, 0))
        return {};
    const JournalEnd end = readJournalEnd(m_folder.journal(0), m_attempt, m_journalOffset);
    // Before the first step there is no stall: starting may take long.
    if (!end.hasStep || silence < stallLimit(m_stallAfterSeconds, end.medianStepMs))
        return {};
    m_isStalled = true;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(silence).count();
    return "No rank has written a record for " + std::to_string(seconds) + " s; the last step was "
        + std::to_string(end.step);
}

}  // namespace launcher
