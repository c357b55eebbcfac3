#include "ui/logs/log_clock.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>

namespace ui {

int rankOfLog(const std::filesystem::path& file)
{
    const std::string stem = file.stem().string();
    const auto rank = stem.starts_with("rank-") ? contract::parseInteger(std::string_view(stem).substr(5)) : std::nullopt;
    return rank && *rank >= 0 && *rank < 1'000'000 ? static_cast<int>(*rank) : contract::kSupervisorRank;
}

LogClock::LogClock(std::shared_ptr<const contract::RankClocks> clocks, const std::filesystem::path& file)
    : m_rank(rankOfLog(file))
    , m_aheadMs(clocks->aheadMs(m_rank))
{
    if (m_aheadMs != 0)
        m_clocks = std::move(clocks);
}

std::int64_t LogClock::byRankZero(std::int64_t unixMs) const { return m_clocks ? m_clocks->byRankZero(m_rank, unixMs) : unixMs; }

bool LogClock::isLike(const LogClock& other) const
{
    constexpr std::int64_t kSameMs = 1000;
    return std::abs(m_aheadMs - other.m_aheadMs) <= kSameMs;
}

std::string clockDifference(std::int64_t aheadMs)
{
    const std::int64_t seconds = (std::abs(aheadMs) + 500) / 1000;
    char text[48];
    std::snprintf(text, sizeof text, "%lld:%02lld", static_cast<long long>(seconds / 60), static_cast<long long>(seconds % 60));
    return text;
}

std::vector<LogClock> clocksOf(const std::vector<std::string>& files)
{
    std::vector<LogClock> clocks(files.size());
    if (files.empty())
        return clocks;
    const auto read = contract::rankClocks(contract::RunFolder(std::filesystem::path(files.front()).parent_path().parent_path()));
    for (std::size_t file = 0; file < files.size() && !read->areOne(); ++file)
        clocks[file] = LogClock(read, files[file]);
    return clocks;
}

}  // namespace ui
