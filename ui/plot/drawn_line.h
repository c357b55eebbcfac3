// A line as a plot shows it: the data, its name and its look.
#pragma once
#include "ui/plot/line_data.h"
#include "ui/plot/plot_groups.h"

#include <QPalette>
#include <QPen>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace ui {

struct DrawnLine {
    std::shared_ptr<const LineData> data;
    QString name;  ///< as short as it can be in its plot: "rank 3", "digits-small · validation loss"
    int look = 0;        ///< the run's
    int variant = 0;     ///< which of the run's lines in this plot: rank or metric
    int variants = 1;
    bool isVariantMetric = false;
    Unit unit = Unit::None;
};

/// Colour and dash. A run keeps its hue; its lines in one plot differ in lightness and, metrics, in dash.
QPen drawnPen(const DrawnLine& line, const QPalette& palette);

/// @p part of the way from @p a to @p b.
QColor blended(const QColor& a, const QColor& b, float part);
/// Nearer to the background, but opaque: a painter fills what is translucent many times slower.
QPen faint(QPen pen, float part, const QPalette& palette);

/// What belongs into @p group, named and given looks.
struct DrawnRunName {
    std::string id;
    QString name;
    int look = 0;
};
std::vector<DrawnLine> linesOf(const PlotGroup& group, const std::vector<DrawnRunName>& runs,
    const std::map<LineKey, std::shared_ptr<LineData>>& lines);

}  // namespace ui
