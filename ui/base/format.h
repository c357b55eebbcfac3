// Formats numbers, sizes and times for display, in the user's locale and with a sensible number of digits.
#pragma once
#include <QString>

#include <chrono>
#include <cstdint>

namespace ui {

/// With @p digits significant digits: "0.1832", "12.5", "1.2e-05"; "NaN", "∞", "−∞".
QString formatNumber(double value, int digits = 4);
/// As many digits as are needed to identify the double exactly, for tooltips.
QString formatExact(double value);
/// With the locale's group separators: "1,000,000".
QString formatCount(std::int64_t value);
/// The count that tr() takes to choose a plural form: @p count, or the largest int.
int pluralCount(std::int64_t count);
/// @p one or @p many: "1 run", "2 runs". Both are translated, @p many in the language's plural form for @p count:
/// formatCounted(count, tr("1 run"), tr("%Ln runs", nullptr, pluralCount(count))). %n is replaced by @p count.
QString formatCounted(std::int64_t count, const QString& one, const QString& many);
/// "97.5 %" for 0.975.
QString formatPercent(double part, int decimals = 1);
/// Decimal units: "1.2 GB".
QString formatBytes(std::int64_t bytes, int decimals = 1);
/// The two largest units: "2 h 5 min", "14 s", "350 ms".
QString formatDuration(std::chrono::milliseconds duration);
/// "14 s ago", "5 min ago", "3 h ago", then the date.
QString formatAge(std::int64_t unixMs, std::int64_t nowUnixMs);
/// Date and time in the locale's long format, for tooltips.
QString formatMoment(std::int64_t unixMs);

}  // namespace ui
