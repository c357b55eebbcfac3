#include "app/watch/curve_plot.h"

#include "app/cli/format.h"
#include "app/watch/dot_canvas.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

namespace app {
namespace {

std::string valueText(const std::string& metric, double value)
{
    return metric.ends_with("_bytes") && value >= 0 && value < 1e18 ? formatBytes(static_cast<std::uint64_t>(value)) : formatNumber(value);
}

/// The values that a line may show, between two of which each dot of the canvas lies.
struct Range {
    double low = std::numeric_limits<double>::infinity();
    double high = -std::numeric_limits<double>::infinity();
    bool isEmpty() const { return low > high; }
};

/// Where a value lies on the axis. NaN for those that have no place on it.
double onAxis(double value, bool isLogarithmic)
{
    if (!std::isfinite(value) || (isLogarithmic && value <= 0))
        return std::numeric_limits<double>::quiet_NaN();
    return isLogarithmic ? std::log10(value) : value;
}

class Drawing {
public:
    Drawing(const MetricCurve& curve, const CurveLook& look)
        : m_curve(curve)
        , m_isLogarithmic(look.isLogarithmic)
        , m_isRawDrawn(curve.smoothed().empty() || look.hasStyles)
    {
        const std::vector<double>& drawn = m_isRawDrawn ? curve.values() : curve.smoothed();
        for (const double value : drawn) {
            const double place = onAxis(value, m_isLogarithmic);
            if (std::isnan(place))
                continue;
            m_range.low = std::min(m_range.low, place);
            m_range.high = std::max(m_range.high, place);
        }
        if (m_range.low == m_range.high) {
            const double margin = std::max(std::abs(m_range.low) * 0.05, 1e-9);
            m_range = {m_range.low - margin, m_range.high + margin};
        }
    }

    const Range& range() const { return m_range; }
    bool isRawDrawn() const { return m_isRawDrawn; }
    double valueAt(double place) const { return m_isLogarithmic ? std::pow(10, place) : place; }

    /// Draws every value; the line is interrupted where a value has no place on the axis.
    void draw(const std::vector<double>& values, DotCanvas& canvas) const
    {
        const std::vector<std::int64_t>& steps = m_curve.steps();
        std::optional<std::pair<int, int>> last;
        for (std::size_t i = 0; i < values.size() && !m_range.isEmpty(); ++i) {
            const double place = onAxis(values[i], m_isLogarithmic);
            if (std::isnan(place)) {
                last.reset();
                continue;
            }
            const std::pair dot(columnOf(steps[i], canvas), rowOf(place, canvas));
            if (last)
                canvas.line(last->first, last->second, dot.first, dot.second);
            else
                canvas.set(dot.first, dot.second);
            last = dot;
        }
    }

private:
    int columnOf(std::int64_t step, const DotCanvas& canvas) const
    {
        const std::int64_t first = m_curve.steps().front();
        const auto length = static_cast<double>(std::max<std::int64_t>(m_curve.steps().back() - first, 1));
        return static_cast<int>(std::lround(static_cast<double>(step - first) / length * (canvas.width() - 1)));
    }
    int rowOf(double place, const DotCanvas& canvas) const
    {
        // Halved, because the difference of two finite numbers need not be finite.
        const double share = (place / 2 - m_range.low / 2) / (m_range.high / 2 - m_range.low / 2);
        return static_cast<int>(std::lround((1 - std::clamp(share, 0.0, 1.0)) * (canvas.height() - 1)));
    }

    const MetricCurve& m_curve;
    bool m_isLogarithmic;
    bool m_isRawDrawn;
    Range m_range;
};

/// "loss 0.3127": the metric, and its last value.
StyledLine titleOf(const MetricCurve& curve, const CurveLook& look)
{
    StyledLine title;
    title.add(printable(curve.metric()), Style::Bold);
    if (look.isRankShown)
        title.add(" rank " + std::to_string(curve.rank()), Style::Dim);
    if (!curve.values().empty())
        title.add(" " + valueText(curve.metric(), curve.values().back()));
    if (!curve.smoothed().empty() && std::isfinite(curve.smoothed().back()))
        title.add(" smoothed " + valueText(curve.metric(), curve.smoothed().back()), Style::Curve);
    title.add(look.isLogarithmic ? " log" : "", Style::Dim);
    return title;
}

/// What the curve does not show: "3 not finite", "5 not above 0", "120 superseded".
std::string omissionsOf(const MetricCurve& curve, bool isLogarithmic)
{
    std::string text;
    const auto say = [&text](std::int64_t count, const char* what) {
        if (count > 0)
            text += (text.empty() ? "" : ", ") + formatCount(count) + " " + what;
    };
    say(std::ranges::count_if(curve.values(), [](double value) { return !std::isfinite(value); }), "not finite");
    if (isLogarithmic)
        say(std::ranges::count_if(curve.values(), [](double value) { return std::isfinite(value) && value <= 0; }), "not above 0");
    say(curve.superseded(), "superseded");
    return text;
}

}  // namespace

std::vector<StyledLine> plotOf(const MetricCurve& curve, const CurveLook& look, int columns, int rows)
{
    constexpr int kGutter = 10;  // cells for the values at the axis: "-1.234e-05"
    const Drawing drawing(curve, look);
    DotCanvas raw(columns - kGutter - 1, rows - 2), smooth(columns - kGutter - 1, rows - 2);
    if (drawing.isRawDrawn())
        drawing.draw(curve.values(), raw);
    drawing.draw(curve.smoothed(), smooth);

    std::vector<StyledLine> lines {titleOf(curve, look).cutTo(columns)};
    for (int row = 0; row < rows - 2; ++row) {
        std::string label;
        const bool isLabelled = row == 0 || row == rows - 3 || (rows >= 9 && row == (rows - 3) / 2);
        if (isLabelled && !drawing.range().isEmpty()) {
            const double share = rows > 3 ? 1 - static_cast<double>(row) / (rows - 3) : 1;
            label = valueText(curve.metric(), drawing.valueAt(drawing.range().low * (1 - share) + drawing.range().high * share));
        }
        StyledLine line;
        line.padTo(kGutter - cellsOf(label)).add(label, Style::Dim).add(isLabelled ? "┤" : "│", Style::Dim);
        for (int column = 0; column < columns - kGutter - 1; ++column) {
            if (!smooth.isEmpty(column, row))
                line.add(smooth.cell(column, row), Style::Curve);
            else
                line.add(raw.cell(column, row), curve.smoothed().empty() ? Style::Curve : Style::Dim);
        }
        lines.push_back(std::move(line));
    }
    StyledLine axis;
    if (curve.steps().empty()) {
        axis.padTo(kGutter + 1).add("no values yet", Style::Dim);
    } else {
        const std::string first = formatCount(curve.steps().front()), last = formatCount(curve.steps().back());
        const std::string count = formatCount(static_cast<std::int64_t>(curve.steps().size())) + (curve.steps().size() == 1 ? " value" : " values");
        const std::string omitted = omissionsOf(curve, look.isLogarithmic);
        axis.padTo(kGutter + 1).add(first, Style::Dim);
        const int room = columns - axis.cells() - cellsOf(last) - 2;
        std::string middle = omitted.empty() ? count : count + ", " + omitted;
        if (cellsOf(middle) > room)
            middle = firstCells(omitted, static_cast<std::size_t>(std::max(room, 0)));
        axis.padTo(axis.cells() + 1 + (room - cellsOf(middle)) / 2).add(middle, omitted.empty() ? Style::Dim : Style::Warning);
        axis.padTo(columns - cellsOf(last)).add(last, Style::Dim);
    }
    lines.push_back(axis.cutTo(columns));
    return lines;
}

}  // namespace app
