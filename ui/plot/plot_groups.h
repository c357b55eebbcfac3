// Groups metrics into plots, and gives plots their titles.
#pragma once
#include "ui/plot/lines/line_loader.h"

#include <QString>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

enum class Unit { None, Bytes, Milliseconds, PerSecond, Share };

/// Two metrics between which a plot is filled: the spread of what another one is the mean of.
struct Band {
    std::string low, high;

    bool operator==(const Band&) const = default;
};

struct PlotGroup {
    std::string id;  ///< the first metric's name
    std::vector<std::string> metrics;
    bool isRankZeroOnly = false;  ///< draws rank 0 only, to limit the number of lines; the title says so
    std::string title = {};       ///< to be translated; empty: the first metric's
    Band band = {};               ///< of the group's metrics; empty names: none
    std::size_t added = 0;        ///< how many of the metrics, the last ones, the user has put there

    bool operator==(const PlotGroup&) const = default;
};

/// The translated title of a metric ("Loss", "Memory, resident"); for an unknown metric, its name.
QString metricTitle(const std::string& metric);
/// Names the metrics that the user has put there, too: "Loss, Gradient norm".
QString groupTitle(const PlotGroup& group);
Unit metricUnit(const std::string& metric);
/// @p value with its unit, with @p digits (≥ 4) significant digits; bytes and shares with as many less.
QString formatValue(double value, Unit unit, int digits = 4);

/// The plots shown by default, as far as @p runs have their metrics: of training by a reward first the rewards, clipping, ratios,
/// divergence and the phases of a round; then loss, gradient norm, memory, images per second, model FLOPs utilisation, learning rate,
/// step time, and the judge's agreement.
std::vector<PlotGroup> defaultGroups(const std::vector<RunInfo>& runs);

/// The plots for the metrics that the user chose. Metrics that share a default plot share one here too; each of
/// the others gets its own plot.
std::vector<PlotGroup> groupsOf(const std::set<std::string>& metrics);

/// All metrics of @p runs but those of the machine, see system_metrics.h.
std::set<std::string> metricNames(const std::vector<RunInfo>& runs);

}  // namespace ui
