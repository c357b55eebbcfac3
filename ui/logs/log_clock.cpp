#include "ui/logs/log_clock.h"

#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <utility>

namespace ui {
namespace {

using std::chrono::milliseconds;

/// Milliseconds between @p time, the digits of a date and a time, and 1970, as if local time were UTC: lines are written in local time, and a
/// difference is all that is wanted.
milliseconds sinceEpoch(std::int64_t time)
{
    using namespace std::chrono;
    const auto take = [&time](std::int64_t size) {
        const std::int64_t part = time % size;
        time /= size;
        return part;
    };
    const milliseconds ms(take(1000));
    const seconds second(take(100));
    const minutes minute(take(100));
    const hours hour(take(100));
    const auto dayOfMonth = static_cast<unsigned>(take(100)), month = static_cast<unsigned>(take(100));
    const sys_days date = year(static_cast<int>(time)) / std::chrono::month(month) / day(dayOfMonth);
    return date.time_since_epoch() + hour + minute + second + ms;
}

std::int64_t digitsOf(milliseconds time)
{
    using namespace std::chrono;
    const auto date = floor<days>(time);
    const year_month_day calendar {sys_days(date)};
    const hh_mm_ss clock(time - date);
    std::int64_t digits = int(calendar.year());
    for (const std::int64_t part : {std::int64_t {unsigned(calendar.month())}, std::int64_t {unsigned(calendar.day())}, std::int64_t {clock.hours().count()},
             std::int64_t {clock.minutes().count()}, std::int64_t {clock.seconds().count()}})
        digits = digits * 100 + part;
    return digits * 1000 + clock.subseconds().count();
}

/// How far local time is ahead of UTC.
milliseconds zone()
{
    const std::time_t now = std::time(nullptr);
    std::tm local {};
    ::localtime_r(&now, &local);
    return std::chrono::seconds(local.tm_gmtoff);
}

}  // namespace

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

std::int64_t LogClock::byRankZero(std::int64_t time) const
{
    if (!m_clocks)
        return time;
    static const milliseconds kZone = zone();
    const milliseconds local = sinceEpoch(time);
    return digitsOf(local - milliseconds(m_clocks->aheadMs(m_rank, (local - kZone).count())));
}

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
