// Points in time as other programs write them.
#pragma once
#include <cstdint>
#include <string>

namespace storage {

/// Times after this one, in the year 2255, are taken for damage.
inline constexpr std::int64_t kLatestUnixMs = 9'000'000'000'000;

/// Unix time of "2026-11-23T23:04:08.914896+00:00", in seconds; 0 when it is none. Without a zone it counts as UTC.
double unixSecondsOf(const std::string& text);

}  // namespace storage
