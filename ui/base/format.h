// Numbers, sizes and times as a person reads them: in the user's locale, with the digits that matter.
#pragma once
#include <QString>

#include <chrono>
#include <cstdint>

namespace ui {

/// Four significant digits: "0.1832", "12.5", "1.2e-05"; "NaN", "∞", "−∞".
QString formatNumber(double value);
/// All digits that tell the value from its neighbours, for hover texts.
QString formatExact(double value);
/// With the locale's separators: "1,000,000".
QString formatCount(std::int64_t value);
/// "97.5 %" of 0.975.
QString formatPercent(double part);
/// Decimal units: "1.2 GB".
QString formatBytes(std::int64_t bytes);
/// The two largest units: "2 h 5 min", "14 s", "350 ms".
QString formatDuration(std::chrono::milliseconds duration);
/// "14 s ago", "5 min ago", "3 h ago", then the date.
QString formatAge(std::int64_t unixMs, std::int64_t nowUnixMs);
/// Date and time, for tooltips.
QString formatMoment(std::int64_t unixMs);

}  // namespace ui
