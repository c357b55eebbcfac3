#include "app/watch/watch_page.h"

#include "app/cli/format.h"
#include "app/watch/curve_plot.h"
#include "engine/contract/run/log_time.h"
#include "launcher/base/file_end.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace app {
namespace {

using launcher::RunState;

std::pair<const char*, Style> symbolOf(RunState state)
{
    switch (state) {
    case RunState::Running:
        return {"●", Style::Good};
    case RunState::Finished:
        return {"✓", Style::Good};
    case RunState::Failed:
    case RunState::Interrupted:
    case RunState::Missing:
        return {"✗", Style::Bad};
    case RunState::Stalled:
    case RunState::Restarting:
    case RunState::CutOff:
        return {"!", Style::Warning};
    case RunState::Stopped:
    case RunState::Imported:
        return {"■", Style::Bold};
    default:
        return {"…", Style::Bold};
    }
}

/// @p left, and @p right at the end of the line if there is room.
StyledLine spread(StyledLine left, std::string_view right, int columns)
{
    if (left.cells() + 2 + cellsOf(right) <= columns)
        left.padTo(columns - cellsOf(right)).add(right, Style::Dim);
    return left;
}

StyledLine progressLine(const RunFeed& feed, int columns)
{
    constexpr int kBar = 20;
    const launcher::RunStatus& status = feed.status();
    StyledLine line;
    if (columns >= 60 && status.totalSteps > 0) {
        const double share = std::clamp(static_cast<double>(status.step) / static_cast<double>(status.totalSteps), 0.0, 1.0);
        const int full = static_cast<int>(share * kBar);
        for (int cell = 0; cell < kBar; ++cell)
            line.add(cell < full ? "█" : "░", Style::Bar);
        line.add("  ");
    }
    line.add(progressText(feed));
    return line;
}

/// How many plots are beside and above each other in a rectangle of cells.
struct PlotGrid {
    int across = 1;
    int down = 1;
};

PlotGrid gridFor(int columns, int rows, std::size_t metrics, bool isOnePlot)
{
    constexpr int kNarrowest = 38, kLowest = 9;
    PlotGrid grid {std::clamp(columns / kNarrowest, 1, 4), std::clamp(rows / kLowest, 1, 4)};
    if (isOnePlot || metrics < 2)
        return {};
    while (static_cast<std::size_t>((grid.down - 1) * grid.across) >= metrics)
        --grid.down;
    while (static_cast<std::size_t>(grid.across - 1) >= metrics)
        --grid.across;
    return grid;
}

std::vector<StyledLine> plots(RunFeed& feed, const PageChoices& choices, int columns, int rows, bool hasStyles)
{
    const std::vector<std::string>& metrics = feed.metrics();
    if (metrics.empty())
        return {StyledLine(), StyledLine().add(feed.problem().empty() ? "No values yet." : "", Style::Dim)};
    const ui::Smoothing smoothing {choices.halfLife > 0 ? ui::Smoothing::Kind::Exponential : ui::Smoothing::Kind::Off, std::max(choices.halfLife, 1.0)};
    const PlotGrid grid = gridFor(columns, rows, metrics.size(), choices.isOnePlot);
    const int width = (columns - (grid.across - 1) * 2) / grid.across, height = rows / grid.down;
    std::vector<StyledLine> page;
    std::size_t shown = 0;
    for (int down = 0; down < grid.down; ++down) {
        std::vector<StyledLine> band(static_cast<std::size_t>(height));
        for (int across = 0; across < grid.across && shown < metrics.size(); ++across, ++shown) {
            const std::string& metric = metrics[(choices.firstMetric + shown) % metrics.size()];
            const MetricCurve& curve = feed.curve(metric, choices.rank, smoothing);
            const CurveLook look {choices.isLogarithmic, feed.ranksOf(metric).size() > 1, hasStyles};
            const std::vector<StyledLine> plot = plotOf(curve, look, width, height);
            for (std::size_t row = 0; row < band.size(); ++row)
                band[row].padTo(across * (width + 2)).add(plot[row]);
        }
        page.insert(page.end(), band.begin(), band.end());
    }
    return page;
}

StyledLine logLine(const LogEntry& entry)
{
    constexpr std::size_t kDate = 11;  // "2026-11-23 "
    const Style style = entry.level == ui::LogLevel::Error ? Style::Bad : entry.level == ui::LogLevel::Warning ? Style::Warning : Style::Plain;
    const bool isDated = contract::logTime(entry.text) > 0;
    return StyledLine().add(std::string_view(entry.text).substr(isDated ? kDate : 0), style);
}

StyledLine ruleLine(int columns)
{
    std::string rule = "── log ";
    for (int cells = cellsOf(rule); cells < columns; ++cells)
        rule += "─";
    return StyledLine().add(rule, Style::Dim);
}

StyledLine keysLine(const PageChoices& choices, std::size_t metrics)
{
    StyledLine line;
    const auto add = [&line](const char* key, const std::string& what) { line.add(key, Style::Bold).add(" " + what + "  ", Style::Dim); };
    add("q", "quit");
    add("←→", metrics == 0 ? "metric" : "metric " + std::to_string(choices.firstMetric + 1) + "/" + std::to_string(metrics));
    add("tab", "run");
    add("l", choices.isLogarithmic ? "linear y" : "log y");
    add("s", choices.halfLife > 0 ? "smooth " + formatNumber(choices.halfLife) : "smooth");
    add("r", "rank");
    add("p", choices.isOnePlot ? "more plots" : "one plot");
    add("o", "log");
    return line;
}

}  // namespace

StyledLine stateLine(const launcher::RunStatus& status)
{
    const auto [symbol, style] = symbolOf(status.state);
    StyledLine line;
    line.add(symbol, style).add(" ").add(launcher::stateName(status.state), style);
    line.add(printable(launcher::waitText(status)));
    if (!status.activity.empty())
        line.add(", " + printable(status.activity));
    if (!status.place.empty())
        line.add(" (" + printable(status.place) + ")", Style::Dim);
    if (launcher::isActive(status.state) && status.lastRecordUnixMs > 0 && launcher::nowUnixMs() - status.lastRecordUnixMs >= 10'000)
        line.add(", last record " + formatAge(status.lastRecordUnixMs), Style::Warning);
    if (!status.cause.empty())
        line.add(": " + printable(status.cause));
    return line;
}

std::string progressText(const RunFeed& feed)
{
    const launcher::RunStatus& status = feed.status();
    const bool isActive = launcher::isActive(status.state);
    if (const Progress* progress = feed.progress(); progress && isActive)
        return printable(progress->text());
    if (isActive && status.step == 0)
        return "no step yet";
    const std::string steps = "step " + formatCount(status.step) + "/" + formatCount(status.totalSteps);
    return status.lastRecordUnixMs > 0 ? steps + ", last record " + formatAge(status.lastRecordUnixMs) : steps;
}

std::vector<StyledLine> pageOf(RunFeed& feed, const PageChoices& choices, const std::string& place, const TerminalSize& size, bool hasStyles)
{
    constexpr int kLowestPlot = 5;
    std::vector<StyledLine> page;
    StyledLine heading;
    heading.add(printable(feed.name()), Style::Bold);
    if (feed.name() != feed.folder().id())
        heading.add("  " + printable(feed.folder().id()), Style::Dim);
    page.push_back(spread(std::move(heading), "run " + place, size.columns));
    page.push_back(stateLine(feed.status()));
    page.push_back(progressLine(feed, size.columns));
    if (!feed.problem().empty())
        page.push_back(StyledLine().add(printable(feed.problem()), Style::Warning));

    const bool hasKeys = choices.hasKeys && size.rows >= 6;
    const int rows = size.rows - (hasKeys ? 1 : 0);
    const int below = std::max(rows - static_cast<int>(page.size()), 0);
    const int logShare = std::min(below, choices.isLogLarge ? below : std::max(4, below / 4));
    const std::vector<LogEntry> log = feed.log().last(static_cast<std::size_t>(std::max(logShare - 1, 0)));
    const int logRows = log.empty() ? 0 : static_cast<int>(log.size()) + 1;
    if (below - logRows >= kLowestPlot && size.columns >= 24) {
        for (StyledLine& line : plots(feed, choices, size.columns, below - logRows, hasStyles))
            page.push_back(std::move(line));
    }
    page.resize(static_cast<std::size_t>(rows - logRows));
    if (logRows > 0)
        page.push_back(ruleLine(size.columns));
    for (const LogEntry& entry : log)
        page.push_back(logLine(entry));
    if (hasKeys)
        page.push_back(keysLine(choices, feed.metrics().size()));
    return page;
}

}  // namespace app
