// Which metrics share a plot, and what plots are called.
#pragma once
#include "ui/plot/line_loader.h"

#include <QString>

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

enum class Unit { None, Bytes, Milliseconds, PerSecond, Share };

struct PlotGroup {
    std::string id;  ///< the first metric's name
    std::vector<std::string> metrics;
    bool isRankZeroOnly = false;  ///< too many lines otherwise: the title says so

    bool operator==(const PlotGroup&) const = default;
};

/// "Loss", "Memory, resident"; a metric we know nothing of keeps its name.
QString metricTitle(const std::string& metric);
QString groupTitle(const PlotGroup& group);
Unit metricUnit(const std::string& metric);
/// @p value with its unit, four digits or (exact) all.
QString formatValue(double value, Unit unit, bool isExact);

/// The plots that are shown unless the user says otherwise, of those that @p runs have: loss, gradient norm,
/// memory, images per second, model FLOPs utilisation, learning rate, step time.
std::vector<PlotGroup> defaultGroups(const std::vector<RunInfo>& runs);

/// The same for what the user chose: metrics that have a place in a default plot are put there.
std::vector<PlotGroup> groupsOf(const std::set<std::string>& metrics);

/// All metrics of @p runs.
std::set<std::string> metricNames(const std::vector<RunInfo>& runs);

}  // namespace ui
