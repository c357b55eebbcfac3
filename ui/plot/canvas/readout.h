// The values of a plot's lines at the cursor.
#pragma once
#include "ui/plot/canvas/drawn_line.h"

#include <QString>

#include <optional>
#include <vector>

namespace ui {

struct Reading {
    std::size_t line = 0;  ///< index into the lines passed to readingsAt()
    double x = 0;          ///< of the point
    std::int64_t step = 0;
    int attempt = 1;
    double activeSeconds = 0;
    double wallSeconds = 0;
    double raw = 0;
    std::optional<double> smoothed;
    bool isSuperseded = false;  ///< by a later attempt
};

/// The point of each line that is nearest to @p x, the greatest value first and non-finite ones last. Lines that
/// end before or begin after @p x are left out.
std::vector<Reading> readingsAt(const std::vector<DrawnLine>& lines, double x, XAxis axis);

/// The same of the points that later attempts have superseded, by line and attempt.
std::vector<Reading> supersededReadingsAt(const std::vector<DrawnLine>& lines, double x, XAxis axis);

/// @p x in the unit of @p axis: "step 12,400", "2 h 5 min", or a date and time.
QString formatX(double x, XAxis axis);

/// A recorded value with all its digits: as few as identify it exactly.
QString formatRecorded(double value, Unit unit);

/// @p value with the digits that matter in a plot that shows the part @p visible of y: about as many as a pixel resolves.
QString formatReading(double value, Unit unit, const Interval& visible);

/// The readings as tab-separated text for the clipboard, with a header line, and all digits in the C locale.
/// @param lines those that were passed to readingsAt() and supersededReadingsAt().
QString readingsAsText(const std::vector<DrawnLine>& lines, const std::vector<Reading>& readings);

}  // namespace ui
