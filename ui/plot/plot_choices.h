// The choices about plots that are kept between sessions and in saved views.
#pragma once
#include "ui/plot/layout/plot_arrangement.h"
#include "ui/plot/layout/plot_history.h"
#include "ui/plot/lines/grouping.h"
#include "ui/plot/lines/plot_settings.h"

#include <QByteArray>

#include <set>
#include <string>

namespace ui {

struct PlotChoices {
    XAxis xAxis = XAxis::Step;
    Smoothing smoothing;
    bool showsSuperseded = true;
    bool showsDifferences = false;  ///< from the baseline
    Grouping grouping;                      ///< not while differences are shown
    std::set<std::string> logarithmic;  ///< ids of the plots with a logarithmic y axis
    std::set<std::string> clipped;      ///< ids of the plots whose y axis leaves out outliers
    std::set<std::string> tables;       ///< ids of the plots that show their values as a table
    PlotPlace place;                    ///< the visible range
    PlotArrangement plots;

    bool operator==(const PlotChoices&) const = default;
};

QByteArray toJson(const PlotChoices& choices);
/// Choices that are missing or make no sense in @p json are the default ones.
PlotChoices plotChoicesFromJson(const QByteArray& json);

}  // namespace ui
