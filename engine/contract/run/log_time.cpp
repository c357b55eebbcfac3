#include "engine/contract/run/log_time.h"

#include <chrono>
#include <ctime>
#include <optional>

namespace contract {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;

constexpr std::string_view kTime = "dddd-dd-dd dd:dd:dd.ddd";
constexpr std::string_view kZone = "dd:dd";  // after a sign

bool isLike(std::string_view text, std::string_view pattern)
{
    if (text.size() < pattern.size())
        return false;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const bool isDigit = text[at] >= '0' && text[at] <= '9';
        if (pattern[at] == 'd' ? !isDigit : text[at] != pattern[at])
            return false;
    }
    return true;
}

/// The number whose digits are at [@p at, @p at + @p count).
int number(std::string_view text, std::size_t at, std::size_t count)
{
    int value = 0;
    for (const char digit : text.substr(at, count))
        value = value * 10 + (digit - '0');
    return value;
}

/// How far local time is ahead of UTC while UTC is @p unixMs. Zones change at whole quarters of an hour, and lines of a log follow each other.
milliseconds zoneAt(std::int64_t unixMs)
{
    constexpr std::int64_t kQuarterMs = 15 * 60 * 1000;
    thread_local std::int64_t quarter = -1;
    thread_local milliseconds zone {};
    if (unixMs / kQuarterMs != quarter) {
        const auto seconds = static_cast<std::time_t>(unixMs / 1000);
        std::tm local {};
        if (!::localtime_r(&seconds, &local))
            return {};
        quarter = unixMs / kQuarterMs;
        zone = std::chrono::seconds(local.tm_gmtoff);
    }
    return zone;
}

/// When a clock here showed what would be @p utc in UTC. Of two such moments, when clocks are put back, either.
milliseconds fromLocal(milliseconds utc)
{
    const milliseconds guess = utc - zoneAt(utc.count());
    return utc - zoneAt(guess.count());
}

struct Stamp {
    milliseconds utc {};   ///< since 1970
    std::size_t size = 0;  ///< characters
    bool hasZone = false;
};

/// When a minute, "2026-11-21 10:15", began that a clock of @p zone showed, "+01:00"; empty: a clock here.
std::optional<milliseconds> minuteOf(std::string_view minute, std::string_view zone)
{
    using namespace std::chrono;
    const year_month_day date = year(number(minute, 0, 4)) / month(static_cast<unsigned>(number(minute, 5, 2))) / day(static_cast<unsigned>(number(minute, 8, 2)));
    if (!date.ok())
        return std::nullopt;
    const milliseconds shown = sys_days(date).time_since_epoch() + hours(number(minute, 11, 2)) + minutes(number(minute, 14, 2));
    if (zone.empty())
        return fromLocal(shown);
    const minutes ahead = hours(number(zone, 1, 2)) + minutes(number(zone, 4, 2));
    return zone[0] == '+' ? shown - ahead : shown + ahead;
}

std::optional<Stamp> stampOf(std::string_view line)
{
    constexpr std::size_t kMinute = 16;
    if (!isLike(line, kTime))
        return std::nullopt;
    const std::string_view rest = line.substr(kTime.size());
    const bool hasZone = !rest.empty() && (rest[0] == '+' || rest[0] == '-') && isLike(rest.substr(1), kZone);
    const std::string_view zone = rest.substr(0, hasZone ? 1 + kZone.size() : 0), minute = line.substr(0, kMinute);
    // Most lines of a log are of the same minute as the one before.
    thread_local std::string knownMinute, knownZone;
    thread_local std::optional<milliseconds> begin;
    if (minute != knownMinute || zone != knownZone) {
        begin = minuteOf(minute, zone);
        knownMinute = minute;
        knownZone = zone;
    }
    if (!begin)
        return std::nullopt;
    return Stamp {*begin + std::chrono::seconds(number(line, 17, 2)) + milliseconds(number(line, 20, 3)), kTime.size() + zone.size(), hasZone};
}

/// Writes @p unixMs in local time to @p text.
void writeLocal(std::int64_t unixMs, std::string& text)
{
    using namespace std::chrono;
    const milliseconds local = milliseconds(unixMs) + zoneAt(unixMs);
    const auto dayOf = floor<days>(local);
    const year_month_day date {sys_days(dayOf)};
    const hh_mm_ss clock(local - dayOf);
    text = "0000-00-00 00:00:00.000";
    const auto write = [&text](std::size_t end, std::int64_t value) {
        for (; value > 0 && end > 0; value /= 10)
            text[--end] = static_cast<char>('0' + value % 10);
    };
    write(4, int(date.year()));
    write(7, unsigned(date.month()));
    write(10, unsigned(date.day()));
    write(13, clock.hours().count());
    write(16, clock.minutes().count());
    write(19, clock.seconds().count());
    write(23, clock.subseconds().count());
}

}  // namespace

std::int64_t logTime(std::string_view line)
{
    const auto stamp = stampOf(line);
    return stamp && stamp->utc.count() > 0 ? stamp->utc.count() : 0;
}

std::string localLogTime(std::int64_t unixMs)
{
    std::string text;
    writeLocal(unixMs, text);
    return text;
}

std::string shownLogLine(std::string_view line)
{
    std::string buffer;
    return std::string(shownLogLine(line, buffer));
}

std::string_view shownLogLine(std::string_view line, std::string& buffer)
{
    const auto stamp = stampOf(line);
    if (!stamp || !stamp->hasZone || stamp->utc.count() <= 0)
        return line;
    writeLocal(stamp->utc.count(), buffer);
    buffer += line.substr(stamp->size);
    return buffer;
}

}  // namespace contract
