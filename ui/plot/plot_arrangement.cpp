#include "ui/plot/layout/plot_arrangement.h"

#include <algorithm>
#include <span>

namespace ui {

namespace {

auto plotOf(std::vector<PlotGroup>& groups, const std::string& metric)
{
    return std::ranges::find_if(groups, [&](const PlotGroup& group) { return std::ranges::count(group.metrics, metric) > 0; });
}

/// Moves @p metric into the plot of @p host; both must have one.
void moveInto(std::vector<PlotGroup>& groups, const std::string& metric, const std::string& host)
{
    const auto from = plotOf(groups, metric), to = plotOf(groups, host);
    if (from == groups.end() || to == groups.end() || from == to)
        return;
    to->metrics.push_back(metric);
    ++to->added;
    std::erase(from->metrics, metric);
    if (from->band.low == metric || from->band.high == metric)
        from->band = {};
    if (from->metrics.empty())
        groups.erase(from);
    else
        from->id = from->metrics.front();
}

}  // namespace

std::vector<PlotGroup> PlotArrangement::all(const std::vector<RunInfo>& runs) const
{
    std::vector<PlotGroup> groups = metrics ? groupsOf(*metrics) : defaultGroups(runs);
    for (const auto& [metric, host] : placed)
        moveInto(groups, metric, host);
    return groups;
}

void PlotArrangement::place(const std::vector<PlotGroup>& shown, const std::set<std::string>& moved, const std::string& plot)
{
    const auto target = std::ranges::find(shown, plot, &PlotGroup::id);
    if (target == shown.end())
        return;
    // One that stays where it is, so that others can be found by it.
    const auto nativesOf = [](const PlotGroup& group) { return std::span(group.metrics).first(group.metrics.size() - group.added); };
    const auto stays = [&](const std::string& metric) { return !moved.contains(metric); };
    const auto natives = nativesOf(*target);
    const auto host = std::ranges::find_if(natives, stays);
    const std::string hostName = host == natives.end() ? natives.front() : *host;
    placed.erase(hostName);
    for (const std::string& metric : moved) {
        if (metric == hostName || std::ranges::count(natives, metric) > 0)
            continue;
        placed[metric] = hostName;
        // What had been put to it stays in the plot that it leaves.
        for (auto other = placed.begin(); other != placed.end();) {
            if (other->second != metric) {
                ++other;
                continue;
            }
            const auto left = std::ranges::find_if(shown, [&](const PlotGroup& group) { return std::ranges::count(group.metrics, metric) > 0; });
            const auto others = left == shown.end() ? std::span<const std::string>() : nativesOf(*left);
            const auto next = std::ranges::find_if(others, stays);
            if (next == others.end()) {
                other = placed.erase(other);
            } else {
                other->second = *next;
                ++other;
            }
        }
    }
}

void PlotArrangement::separate(const std::set<std::string>& separated)
{
    for (const std::string& metric : separated)
        placed.erase(metric);
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
