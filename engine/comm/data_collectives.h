// All-reduce and all-gather of nested data: numbers, tensors, and maps of both by name.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <map>
#include <string>
#include <variant>

namespace engine {

/// A number, a tensor, or a map from names to further DataTrees. Every rank passes the same names and shapes.
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
    Mean,  ///< each rank's value is divided by the number of ranks before the sum; floating-point only
    Max
};

// Collectives: all ranks of the group call them. Result tensors are on the device of the input tensors, which are not changed.

/// Reduces every number and every tensor element over the ranks. @param device on which the group communicates
DataTree allReduced(Group& group, const DataTree& data, ReduceOp op, c10::Device device);

/// Concatenates each rank's [n, …] to [ranks · n, …] in rank order; a number counts as a tensor of shape [1].
DataTree allGathered(Group& group, const DataTree& data, c10::Device device);

}  // namespace engine
