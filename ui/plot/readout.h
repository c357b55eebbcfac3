// What the lines say at the cursor.
#pragma once
#include "ui/plot/drawn_line.h"

#include <QString>

#include <optional>
#include <vector>

namespace ui {

struct Reading {
    std::size_t line = 0;  ///< index into the lines asked about
    std::int64_t step = 0;
    int attempt = 1;
    double activeSeconds = 0;
    double wallSeconds = 0;
    double raw = 0;
    std::optional<double> smoothed;
};

/// The value of each line nearest to @p x, greatest first, non-finite ones last. Lines that end before or
/// begin after @p x say nothing.
std::vector<Reading> readingsAt(const std::vector<DrawnLine>& lines, double x, XAxis axis);

/// "12,400", "2 h 5 min", a date: what the axis shows at @p x, in full.
QString formatX(double x, XAxis axis);

/// Tab-separated, with a line of headings and all digits in the C locale, for the clipboard.
QString readingsAsText(const std::vector<DrawnLine>& lines, const std::vector<Reading>& readings);

}  // namespace ui
