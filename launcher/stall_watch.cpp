#include "launcher/supervisor/stall_watch.h"

#include "engine/contract/run/stall.h"
#include "launcher/state/journal_end.h"

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
    if (m_isStalled || silence < contract::stallLimit(m_stallAfterSeconds, 0))
        return {};
    const JournalEnd end = readJournalEnd(m_folder.journal(0), m_attempt, m_journalOffset);
    // Before the first step there is no stall: starting may take long.
    if (!end.hasStep || silence < contract::stallLimit(m_stallAfterSeconds, end.medianStepMs))
        return {};
    m_isStalled = true;
    return contract::stallSentence(silence, end.step);
}

}  // namespace launcher
