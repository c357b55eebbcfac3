#include "launcher/home/keep_rules.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace launcher {
namespace {

/// The steps with the best values; of equal ones the later.
std::set<std::int64_t> bestSteps(const std::vector<CheckpointFacts>& checkpoints, const KeepRules& rules)
{
    std::vector<std::pair<double, std::int64_t>> ranked;  // the smallest is the best
    for (const CheckpointFacts& each : checkpoints) {
        const auto value = each.metrics.find(rules.best);
        if (value != each.metrics.end() && !std::isnan(value->second))
            ranked.emplace_back(rules.isHighestBest ? -value->second : value->second, -each.step);
    }
    std::ranges::sort(ranked);
    ranked.resize(std::min(ranked.size(), rules.bestCount));
    std::set<std::int64_t> steps;
    for (const auto& [value, step] : ranked)
        steps.insert(-step);
    return steps;
}

}  // namespace

std::vector<std::int64_t> surplusCheckpoints(const std::vector<CheckpointFacts>& checkpoints, const KeepRules& rules)
{
    const std::set<std::int64_t> best = bestSteps(checkpoints, rules);
    if (!rules.best.empty() && best.empty())
        return {};
    std::vector<std::int64_t> surplus;
    for (std::size_t at = 0; at < checkpoints.size(); ++at) {
        const CheckpointFacts& each = checkpoints[at];
        const bool isAmongLast = checkpoints.size() - at <= std::max<std::size_t>(rules.last.value_or(1), 1);
        if (!isAmongLast && !each.isPinned && !(rules.every && each.step % *rules.every == 0) && !best.contains(each.step))
            surplus.push_back(each.step);
    }
    return surplus;
}

}  // namespace launcher
