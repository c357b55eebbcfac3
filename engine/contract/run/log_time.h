// The time with which a line of a log begins.
//
// [Note: times in logs]
// Ranks and supervisors write their local time and how far it is ahead of UTC, "2026-11-21 10:15:00.123+01:00", since hosts of a run may lie in
// several time zones. Whoever reads logs compares the times as milliseconds since 1970 and shows them in its own zone. Logs of earlier versions
// have no zone, "2026-11-21 10:15:00.123": they count as written in the reader's.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace contract {

inline constexpr char kLogTimePattern[] = "%Y-%m-%d %H:%M:%S.%e%z";  ///< as spdlog writes it

/// When @p line was written, in milliseconds since 1970; 0 when it does not begin with a time.
std::int64_t logTime(std::string_view line);

/// @p unixMs in local time: "2026-11-21 10:15:00.123".
std::string localLogTime(std::int64_t unixMs);

/// @p line as it is shown: a time with a zone is replaced by local time without one.
std::string shownLogLine(std::string_view line);
/// The same without allocating for each line. The result is @p line itself or lies in @p buffer.
std::string_view shownLogLine(std::string_view line, std::string& buffer);

}  // namespace contract
