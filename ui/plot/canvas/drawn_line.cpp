#include "ui/plot/canvas/drawn_line.h"

#include "engine/contract/run/journal.h"
#include "ui/base/look.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace ui {
namespace {

constexpr double kLineContrast = 3.0;
constexpr float kEdgePart = 0.45F;
constexpr std::size_t kMostBandedRuns = 2;  ///< bands of more cover each other and the lines

QString text(const char* source)
{
    return QCoreApplication::translate("ui::Plots", source);
}

DrawnLine::Edge edgeOf(const PlotGroup& group, const LineData& line)
{
    using enum DrawnLine::Edge;
    if (line.runs > 0)  // the band of a group of runs is its own
        return line.key.part == LinePart::Low ? Low : line.key.part == LinePart::High ? High : None;
    return line.key.metric == group.band.low ? Low : line.key.metric == group.band.high ? High : None;
}

/// "3 runs", "3 runs, 6 ranks", "2 ranks"; and of an edge of the band, which one.
QStringList groupParts(const LineData& line)
{
    QStringList parts;
    if (line.runs > 1)
        parts << text(QT_TRANSLATE_NOOP("ui::Plots", "%1 runs")).arg(line.runs);
    if (line.lines > line.runs)
        parts << text(QT_TRANSLATE_NOOP("ui::Plots", "%1 ranks")).arg(line.lines);
    if (parts.isEmpty())
        parts << text(QT_TRANSLATE_NOOP("ui::Plots", "1 run"));
    if (line.key.part != LinePart::Line)
        parts << (line.key.part == LinePart::Low ? text(QT_TRANSLATE_NOOP("ui::Plots", "lower edge"))
                                                 : text(QT_TRANSLATE_NOOP("ui::Plots", "upper edge")));
    return parts;
}

}  // namespace

QPen drawnPen(const DrawnLine& line, const QPalette& palette)
{
    QPen pen(lineColour(line.look, palette), 1, lineStyle(line.look));
    pen.setCosmetic(true);
    if (line.edge != DrawnLine::Edge::None)
        return faint(pen, kEdgePart, palette);
    if (line.variant == 0)
        return pen;
    if (line.variants <= 8 && line.isVariantMetric) {
        // Different metrics of one run get different colours of the same palette.
        pen.setColor(lineColour(paletteIndex(line.look) + line.variant, palette));
        return pen;
    }
    const double part = 0.6 * line.variant / std::max(1, line.variants - 1);
    // Between the run's colour and the text colour.
    const QColor shaded = blended(pen.color(), palette.color(QPalette::Text), static_cast<float>(part));
    pen.setColor(withContrast(shaded, palette.color(QPalette::Base), kLineContrast));
    return pen;
}

contract::LineMarker drawnMarker(const DrawnLine& line)
{
    return line.edge == DrawnLine::Edge::None ? lineMarker(line.look) : contract::LineMarker::None;
}

QColor blended(const QColor& a, const QColor& b, float part)
{
    const auto mix = [part](float x, float y) { return x + (y - x) * part; };
    return QColor::fromRgbF(
        mix(a.redF(), b.redF()), mix(a.greenF(), b.greenF()), mix(a.blueF(), b.blueF()));
}

QPen faint(QPen pen, float part, const QPalette& palette)
{
    pen.setColor(blended(palette.color(QPalette::Base), pen.color(), part));
    return pen;
}

std::vector<DrawnLine> linesOf(const PlotGroup& group, const std::vector<DrawnRunName>& runs,
    const std::map<LineKey, std::shared_ptr<LineData>>& lines)
{
    std::vector<DrawnLine> drawn;
    std::set<int> ranks;
    std::set<std::string> metrics;
    for (const DrawnRunName& run : runs) {
        const std::size_t first = drawn.size();
        int variants = 0;
        for (const std::string& metric : group.metrics) {
            for (auto line = lines.lower_bound({run.id, metric, contract::kHostRank});
                 line != lines.end() && line->first.run == run.id && line->first.metric == metric; ++line) {
                if (group.isRankZeroOnly && line->first.rank != 0)
                    continue;
                const DrawnLine::Edge edge = edgeOf(group, *line->second);
                if (edge != DrawnLine::Edge::None && line->second->runs == 0 && runs.size() > kMostBandedRuns)
                    continue;
                ranks.insert(line->first.rank);
                metrics.insert(metric);
                DrawnLine& entry = drawn.emplace_back();
                entry.data = line->second;
                entry.look = run.look;
                entry.edge = edge;
                if (entry.edge == DrawnLine::Edge::None)
                    entry.variant = variants++;
                entry.unit = metricUnit(metric);
            }
        }
        for (std::size_t index = first; index < drawn.size(); ++index) {
            drawn[index].variants = variants;
            // With several runs the hue identifies the run, so metrics cannot have their own.
            drawn[index].isVariantMetric = group.metrics.size() > 1 && runs.size() == 1;
        }
    }
    for (DrawnLine& line : drawn) {
        QStringList parts;
        const LineKey& key = line.data->key;
        const auto run = std::find_if(runs.begin(), runs.end(), [&](const auto& r) { return r.id == key.run; });
        if (line.data->runs > 0)
            parts << (run->name + QStringLiteral(", ") + groupParts(*line.data).join(QStringLiteral(", ")));
        else if (runs.size() > 1)
            parts << run->name;
        if (metrics.size() > 1 || (runs.size() == 1 && ranks.size() == 1 && line.data->runs == 0))
            parts << metricTitle(key.metric);
        if (ranks.size() > 1)
            parts << text(QT_TRANSLATE_NOOP("ui::Plots", "rank %1")).arg(key.rank);
        line.name = parts.join(QStringLiteral(" · "));
    }
    return drawn;
}

}  // namespace ui
