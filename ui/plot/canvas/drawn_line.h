// A line as a plot shows it: its data, its name and its look.
#pragma once
#include "ui/base/line_look.h"
#include "ui/plot/layout/plot_groups.h"
#include "ui/plot/lines/line_detail.h"

#include <QPalette>
#include <QPen>
#include <QString>

#include <map>
#include <memory>
#include <vector>

namespace ui {

struct DrawnLine {
    std::shared_ptr<const LineData> data;
    std::shared_ptr<const LineDetail> detail = nullptr;  ///< of a thinned line, see LineDetail; null: none
    QString name;  ///< only the parts that tell the plot's lines apart: "rank 3", "digits-small · Validation loss"
    Look look;           ///< the run's
    int variant = 0;     ///< index of this line among the run's lines in this plot (its ranks and metrics)
    int variants = 1;    ///< the number of the run's lines in this plot
    bool isVariantMetric = false;  ///< variants are different metrics of one run, so they get different colours
    Unit unit = Unit::None;
    /// An edge of the group's band, see Band. It has the look of the run's first line, fainter.
    enum class Edge { None, Low, High } edge = Edge::None;
    bool isInLegend() const { return data->key.part == LinePart::Line; }  ///< the edges of a group's band are not
    /// Whether pointsWithin() has all points there.
    bool isExactWithin(XAxis axis, const Interval& x) const { return !data->isThinned || hasDetail(axis, x); }
    /// The points to show within @p x.
    const LinePoints& pointsWithin(XAxis axis, const Interval& x) const { return hasDetail(axis, x) ? detail->points : data->points; }
    bool hasDetail(XAxis axis, const Interval& x) const { return detail && detail->covers(*data, axis, x); }
};

/// The pen of @p line. The lines of one run have the run's hue and dash pattern and differ in lightness; up to
/// eight metrics of a single run get different colours of the palette instead.
QPen drawnPen(const DrawnLine& line, const QPalette& palette);
/// The edges of a group's band have none.
contract::LineMarker drawnMarker(const DrawnLine& line);

/// The colour at @p part of the way from @p a (0) to @p b (1).
QColor blended(const QColor& a, const QColor& b, float part);
/// @p pen with its colour blended into the background; @p part 1 keeps it. The colour stays opaque, since
/// translucent fills are many times slower to paint.
QPen faint(QPen pen, float part, const QPalette& palette);
inline constexpr float kSupersededPart = 0.4F;  ///< of points that a later attempt has superseded

struct DrawnRunName {
    std::string id;
    QString name;
    Look look;
};
/// The lines of @p runs that belong to @p group, with their names and looks. Of more than two runs, without the edges of the group's band.
std::vector<DrawnLine> linesOf(const PlotGroup& group, const std::vector<DrawnRunName>& runs,
    const std::map<LineKey, std::shared_ptr<LineData>>& lines);

}  // namespace ui
