#include "ui/plot/plot_arrangement.h"

#include <algorithm>

namespace ui {

std::vector<PlotGroup> PlotArrangement::all(const std::vector<RunInfo>& runs) const
{
    return metrics ? groupsOf(*metrics) : defaultGroups(runs);
}

std::vector<PlotGroup> PlotArrangement::plots(const std::vector<RunInfo>& runs) const
{
    std::vector<PlotGroup> groups = all(runs);
    std::erase_if(groups, [this](const PlotGroup& group) { return hidden.contains(group.id); });
    std::ranges::stable_sort(groups, {}, [this](const PlotGroup& group) { return std::ranges::find(order, group.id) - order.begin(); });
    return groups;
}

std::size_t PlotArrangement::hiddenPlots(const std::vector<RunInfo>& runs) const
{
    const auto isHidden = [this](const PlotGroup& group) { return hidden.contains(group.id); };
    return static_cast<std::size_t>(std::ranges::count_if(all(runs), isHidden));
}

void PlotArrangement::move(const std::vector<PlotGroup>& shown, const std::string& id, const std::string& before)
{
    if (id == before)
        return;
    // Plots that are not shown now keep their places relative to each other, after those that are.
    std::vector<std::string> ids;
    for (const PlotGroup& group : shown) {
        if (group.id != id)
            ids.push_back(group.id);
    }
    ids.insert(std::ranges::find(ids, before), id);
    for (const std::string& known : order) {
        if (std::ranges::find(ids, known) == ids.end())
            ids.push_back(known);
    }
    order = ids;
}

}  // namespace ui
