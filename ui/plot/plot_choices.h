// The choices about plots that are kept between sessions.
#pragma once
#include "ui/plot/plot_settings.h"

#include <QByteArray>

#include <optional>
#include <set>
#include <string>

namespace ui {

struct PlotChoices {
    XAxis xAxis = XAxis::Step;
    Smoothing smoothing;
    bool showsSuperseded = true;
    bool showsDifferences = false;  ///< from the baseline
    std::set<std::string> logarithmic;  ///< ids of the plots with a logarithmic y axis
    std::set<std::string> clipped;      ///< ids of the plots whose y axis leaves out outliers
    std::optional<std::set<std::string>> metrics;  ///< those that have a plot; nullopt: the default ones

    bool operator==(const PlotChoices&) const = default;
};

QByteArray toJson(const PlotChoices& choices);
/// Choices that are missing or make no sense in @p json are the default ones.
PlotChoices plotChoicesFromJson(const QByteArray& json);

}  // namespace ui
