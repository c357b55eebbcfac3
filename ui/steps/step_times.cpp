#include "ui/steps/step_times.h"

#include <algorithm>
#include <set>

namespace ui {

bool StepTimes::update(const PlotFeed::Lines& lines, const std::vector<std::string>& metrics, std::size_t most)
{
    bool isAll = true;
    std::set<std::pair<std::string, int>> present;
    for (const auto& [key, line] : lines) {
        if (std::ranges::find(metrics, key.metric) == metrics.end() || line->points.isEmpty() || !line->points.has(m_axis))
            continue;
        present.emplace(key.metric, key.rank);
        Series& series = m_series[{key.metric, key.rank}];
        if (series.line != line)  // another run, or attempts that have changed
            series = {line, StepBins(m_axis)};
        most -= series.bins.extend(line->points, most);
        isAll = isAll && series.bins.points() == line->points.size();
    }
    std::erase_if(m_series, [&](const auto& entry) { return !present.contains(entry.first); });

    m_width = 1;
    for (const auto& [key, series] : m_series)
        m_width = std::max(m_width, series.bins.neededWidth(kMostBins));
    m_first = 0;
    m_last = -1;
    for (auto& [key, series] : m_series) {
        if (series.bins.isEmpty())
            continue;
        series.bins.widen(m_width);
        m_first = m_last < 0 ? series.bins.first() : std::min(m_first, series.bins.first());
        m_last = std::max(m_last, series.bins.last());
    }
    return isAll;
}

std::vector<int> StepTimes::ranks() const
{
    std::set<int> ranks;
    for (const auto& [key, series] : m_series)
        ranks.insert(key.second);
    return {ranks.begin(), ranks.end()};
}

bool StepTimes::has(const std::string& metric) const
{
    return std::ranges::any_of(m_series, [&](const auto& entry) { return entry.first.first == metric; });
}

const StepTimes::Series* StepTimes::find(const std::string& metric, int rank) const
{
    const auto found = m_series.find({metric, rank});
    return found == m_series.end() ? nullptr : &found->second;
}

const StepBins& StepTimes::bins(const std::string& metric, int rank) const
{
    static const StepBins none;
    const Series* series = find(metric, rank);
    return series ? series->bins : none;
}

const LineData* StepTimes::line(const std::string& metric, int rank) const
{
    const Series* series = find(metric, rank);
    return series ? series->line.get() : nullptr;
}

}  // namespace ui
