// Which plots there are, in which order, and what each of them draws, as the user has arranged them.
#pragma once
#include "ui/plot/layout/plot_groups.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace ui {

struct PlotArrangement {
    std::optional<std::set<std::string>> metrics;  ///< those that are drawn; nullopt: the default ones
    std::vector<std::string> order;  ///< ids of plots, in the order in which they are shown, before all others
    std::set<std::string> hidden;    ///< ids of the plots that are not shown
    /// Metrics that the user has put into the plot of another one, by that metric, which is in its usual plot.
    std::map<std::string, std::string> placed;

    bool operator==(const PlotArrangement&) const = default;

    /// The plots that @p runs have, as arranged, without the hidden ones.
    std::vector<PlotGroup> plots(const std::vector<RunInfo>& runs) const;
    /// Draws the metrics @p moved in plot @p plot, one of @p shown, and no longer where they were.
    void place(const std::vector<PlotGroup>& shown, const std::set<std::string>& moved, const std::string& plot);
    /// Draws the metrics @p separated where they usually are.
    void separate(const std::set<std::string>& separated);
    /// How many plots of @p runs are hidden.
    std::size_t hiddenPlots(const std::vector<RunInfo>& runs) const;
    /// Moves plot @p id to where @p before is, one of @p shown; to the end when @p before is none of them.
    void move(const std::vector<PlotGroup>& shown, const std::string& id, const std::string& before);

private:
    std::vector<PlotGroup> all(const std::vector<RunInfo>& runs) const;
};

}  // namespace ui
