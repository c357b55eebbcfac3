// One number a metric, out of what all steps of an update measured on all data ranks.
#pragma once
#include "engine/comm/group.h"
#include "engine/train/forward_steps.h"

#include <c10/core/Device.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine {

enum class Aggregation { Mean, Sum, Min, Max };

struct Metric {
    std::vector<double> values;              ///< in the order of the steps
    std::optional<Aggregation> aggregation;  ///< nothing: by the name, see aggregationOf()
};

/// Max for a name with "max" in it, min for one with "min", else mean.
Aggregation aggregationOf(const std::string& name);

/// Mean and sum take the mean over ranks first, value by value; min and max are over everything. So a loss, whose
/// values add up to that of a batch, is a Sum. Collective, and all ranks get the same.
/// Norms of skipped steps are not finite: "grad_norm" is the mean of the others, NaN where there is none.
/// @param device of the group's messages
/// @throws std::invalid_argument on every rank where names or numbers of values differ between ranks.
NamedNumbers reduceMetrics(const std::map<std::string, Metric>& metrics, Group& dataRanks, c10::Device device);

/// As metrics of the policy's update are journalled: "actor/" before the name unless it stands there;
/// "perf/mfu/actor" for "mfu".
std::string actorMetric(const std::string& name);

}  // namespace engine
