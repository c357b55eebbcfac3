// Reduces the values of each metric over all steps of an update and all data ranks to one number.
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
    std::optional<Aggregation> aggregation;  ///< nullopt: chosen by name, see aggregationOf()
};

/// Returns Max for a name that contains "max", Min for one that contains "min", else Mean.
Aggregation aggregationOf(const std::string& name);

/// Reduces each metric to one number. Collective; all ranks get the same result.
/// Mean and Sum first average over ranks, value by value; Min and Max are over all values of all ranks. A loss whose values
/// add up to the loss of the batch is therefore a Sum.
/// "grad_norm" ignores non-finite values, which skipped steps have; it is NaN when no value is finite.
/// @param device device of the tensors in the group's collectives
/// @throws std::invalid_argument on every rank when the names or the numbers of values differ between ranks.
NamedNumbers reduceMetrics(const std::map<std::string, Metric>& metrics, Group& dataRanks, c10::Device device);

}  // namespace engine
