// What the ranks of a run recorded of their steps, by metric and rank, in bins of one width along an x axis.
#pragma once
#include "ui/plot/lines/plot_feed.h"
#include "ui/steps/step_bins.h"

#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ui {

class StepTimes {
public:
    static constexpr std::int64_t kMostBins = 512;

    explicit StepTimes(XAxis axis = XAxis::Step)
        : m_axis(axis)
    {
    }

    /// Takes what @p lines has gained of @p metrics since the last call; lines of other metrics, that have no places on the axis or that are gone are dropped.
    /// @param most how many points to take at most. @return whether that was all; else call it again
    bool update(const PlotFeed::Lines& lines, const std::vector<std::string>& metrics, std::size_t most = std::numeric_limits<std::size_t>::max());

    bool isEmpty() const { return m_series.empty(); }
    XAxis axis() const { return m_axis; }
    std::int64_t width() const { return m_width; }  ///< see StepBins
    std::int64_t first() const { return m_first; }  ///< the lowest bin of all
    std::int64_t last() const { return m_last; }
    std::vector<int> ranks() const;  ///< in ascending order
    bool has(const std::string& metric) const;

    /// No bins where nothing was recorded. Valid until the next update().
    const StepBins& bins(const std::string& metric, int rank) const;
    /// The line itself; null: there is none.
    const LineData* line(const std::string& metric, int rank) const;

private:
    struct Series {
        std::shared_ptr<const LineData> line;
        StepBins bins;
    };
    const Series* find(const std::string& metric, int rank) const;

    XAxis m_axis;
    std::map<std::pair<std::string, int>, Series> m_series;
    std::int64_t m_width = 1, m_first = 0, m_last = -1;
};

}  // namespace ui
