// A moment of a run, as the one cursor of the window marks it.
#pragma once
#include "ui/plot/lines/line_data.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ui {

struct Moment {
    std::int64_t step = 0;
    double wallSeconds = 0;  ///< since 1970
};

using RecordedLines = std::map<LineKey, std::shared_ptr<LineData>>;

/// The moment of @p run at @p x of @p axis: that of the nearest point of its longest line. nullopt when @p lines has none of it.
std::optional<Moment> momentAt(const RecordedLines& lines, const std::string& run, double x, XAxis axis);

/// The other way round: where on @p axis the point lies whose time is the nearest to @p wallSeconds.
std::optional<double> xOfTime(const RecordedLines& lines, const std::string& run, double wallSeconds, XAxis axis);

/// The same of the point that is the nearest to @p step.
std::optional<double> xOfStep(const RecordedLines& lines, const std::string& run, std::int64_t step, XAxis axis);

}  // namespace ui
