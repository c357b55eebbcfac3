#include "engine/algorithm/metric_reduction.h"

#include "engine/comm/data_collectives.h"
#include "engine/contract/run/journal.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace engine {
namespace {

/// Gathers every rank's values. @return [ranks, values per rank]
at::Tensor gatherValues(const std::vector<double>& values, Group& ranks, c10::Device device)
{
    return allGathered(ranks, at::tensor(values, at::kDouble), device)
        .tensor()
        .view({ranks.size(), static_cast<std::int64_t>(values.size())});
}

/// @throws std::invalid_argument unless all ranks have the same names and counts.
void compareRanks(const std::map<std::string, Metric>& metrics, Group& ranks, c10::Device device)
{
    double namesHash = 0;
    std::vector<double> counts;
    for (const auto& [name, metric] : metrics) {
        for (const char character : name + '\n')
            namesHash = std::fmod(namesHash * 257 + static_cast<unsigned char>(character), 4'294'967'291.0);
        counts.push_back(static_cast<double>(metric.values.size()));
    }
    const at::Tensor names = gatherValues({namesHash, static_cast<double>(metrics.size())}, ranks, device);
    if (!names.eq(names[0]).all().item<bool>())
        throw std::invalid_argument("the ranks measured different metrics; all ranks must have the same names");
    const at::Tensor all = gatherValues(counts, ranks, device);
    std::int64_t column = 0;
    for (const auto& [name, metric] : metrics) {
        const at::Tensor ofMetric = all.select(1, column++);
        const double fewest = ofMetric.min().item<double>(), most = ofMetric.max().item<double>();
        if (fewest != most)
            throw std::invalid_argument("the ranks have between " + std::to_string(static_cast<std::int64_t>(fewest))
                + " and " + std::to_string(static_cast<std::int64_t>(most)) + " values of the metric \"" + name
                + "\"; all ranks must have equally many");
    }
}

/// @param values [ranks, n]
double aggregated(const at::Tensor& values, Aggregation aggregation)
{
    switch (aggregation) {
    case Aggregation::Min:
        return values.min().item<double>();
    case Aggregation::Max:
        return values.max().item<double>();
    case Aggregation::Sum:
        return values.mean(0).sum().item<double>();
    case Aggregation::Mean:
        break;
    }
    return values.mean().item<double>();
}

}  // namespace

Aggregation aggregationOf(const std::string& name)
{
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    return has("max") ? Aggregation::Max : has("min") ? Aggregation::Min : Aggregation::Mean;
}

NamedNumbers reduceMetrics(const std::map<std::string, Metric>& metrics, Group& dataRanks, c10::Device device)
{
    compareRanks(metrics, dataRanks, device);
    std::vector<double> mine;
    for (const auto& [name, metric] : metrics)
        mine.insert(mine.end(), metric.values.begin(), metric.values.end());
    const at::Tensor all = gatherValues(mine, dataRanks, device);
    NamedNumbers result;
    std::int64_t first = 0;
    for (const auto& [name, metric] : metrics) {
        const auto count = static_cast<std::int64_t>(metric.values.size());
        at::Tensor values = all.narrow(1, first, count);
        first += count;
        if (name == contract::metric::kGradNorm)
            values = values.masked_select(values.isfinite());
        result[name] = values.numel() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                           : aggregated(values, metric.aggregation.value_or(aggregationOf(name)));
    }
    return result;
}

}  // namespace engine
