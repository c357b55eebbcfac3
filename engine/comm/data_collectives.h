// Sums and gathers of whatever belongs together: numbers, tensors, and named ones of both.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <map>
#include <string>
#include <variant>

namespace engine {

/// A number, a tensor, or such under names; every rank has the same names and shapes.
struct DataTree : std::variant<double, at::Tensor, std::map<std::string, DataTree>> {
    using variant::variant;
    const DataTree& at(const std::string& name) const
    {
        return std::get<std::map<std::string, DataTree>>(*this).at(name);
    }
    double number() const { return std::get<double>(*this); }
    const at::Tensor& tensor() const { return std::get<at::Tensor>(*this); }
};

enum class ReduceOp {
    Sum,
    Mean,  ///< each rank's share is divided before they are summed; floating-point only
    Max
};

// Collectives. Tensors come back on the device that they came from; the given ones stay as they are.

/// Over ranks, number by number. @param device of the group's messages
DataTree allReduced(Group& group, const DataTree& data, ReduceOp op, c10::Device device);

/// [n, …] of each rank → [ranks · n, …] in their order; a number counts as [1].
DataTree allGathered(Group& group, const DataTree& data, c10::Device device);

}  // namespace engine
