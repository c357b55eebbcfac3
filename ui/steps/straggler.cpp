#include "ui/steps/straggler.h"

#include "engine/contract/run/journal.h"

#include <algorithm>

namespace ui {
namespace {

constexpr double kLeastExcess = 0.1;

double meanOfLast(const LinePoints& points, std::size_t count)
{
    const auto values = points.raw().values();
    const auto last = values.subspan(values.size() - std::min(count, values.size()));
    double sum = 0;
    for (const double value : last)
        sum += value;
    return sum / static_cast<double>(last.size());
}

double lowerMedian(std::vector<double> values)
{
    std::ranges::sort(values);
    return values[(values.size() - 1) / 2];
}

}  // namespace

std::vector<RankLoad> rankLoads(const StepTimes& times, std::size_t steps)
{
    std::vector<RankLoad> loads;
    for (const int rank : times.ranks()) {
        const LineData* whole = times.line(contract::metric::kStepTime, rank);
        const LineData* waiting = times.line(contract::metric::kCommunicationTime, rank);
        if (!whole || !waiting)
            continue;
        const double wait = meanOfLast(waiting->points, steps);
        loads.push_back({rank, meanOfLast(whole->points, steps) - wait, wait, std::min(steps, whole->points.size())});
    }
    return loads;
}

std::optional<Straggler> findStraggler(std::vector<RankLoad> ranks)
{
    if (ranks.size() < 2)
        return std::nullopt;
    std::vector<double> computing, waiting;
    for (const RankLoad& load : ranks)
        computing.push_back(load.computing);
    const RankLoad slowest = *std::ranges::max_element(ranks, {}, &RankLoad::computing);
    for (const RankLoad& load : ranks) {
        if (load.rank != slowest.rank)
            waiting.push_back(load.waiting);
    }
    const double usual = lowerMedian(computing), excess = slowest.computing / usual - 1;
    if (!(usual > 0) || !(excess >= kLeastExcess))
        return std::nullopt;
    return Straggler {slowest.rank, excess, lowerMedian(waiting), std::ranges::min(ranks, {}, &RankLoad::steps).steps};
}

}  // namespace ui
