#include "engine/comm/data_collectives.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scalar_tensor.h>

#include <vector>

namespace engine {
namespace {

using Branches = std::map<std::string, DataTree>;

at::Tensor gathered(Group& group, const at::Tensor& values, c10::Device device)
{
    const at::Tensor mine = (values.dim() == 0 ? values.view({1}) : values).to(device).contiguous();
    std::vector<std::int64_t> shape = mine.sizes().vec();
    shape.front() *= group.size();
    const at::Tensor all = at::empty(shape, mine.options());
    if (mine.numel() > 0) {
        const at::Tensor bytes = all.view({-1}).view(at::kByte);  // as bytes: any dtype works
        const std::int64_t length = bytes.numel() / group.size();
        bytes.narrow(0, group.rank() * length, length).copy_(mine.view({-1}).view(at::kByte));
        Pending pending = group.startAllGather(bytes, "data");
        group.wait(pending);
    }
    return values.is_cpu() ? group.onHost(all) : all.to(values.device());
}

at::Tensor reduced(Group& group, const at::Tensor& values, ReduceOp op, c10::Device device)
{
    if (op == ReduceOp::Max) {
        std::vector<std::int64_t> shape = values.sizes().vec();
        shape.insert(shape.begin(), group.size());
        return gathered(group, values, device).view(shape).amax(0);
    }
    const at::Tensor sum = values.to(device, values.scalar_type(), /*non_blocking=*/false, /*copy=*/true).contiguous();
    if (op == ReduceOp::Mean)
        sum.div_(group.size());
    group.allReduceSum(sum, "data");
    return values.is_cpu() ? group.onHost(sum) : sum.to(values.device());
}

/// Calls @p onTensor for every leaf (a number as a 0-dim tensor); @p onNumber converts the result of a number.
template <typename OnTensor, typename OnNumber>
DataTree forEachLeaf(const DataTree& data, OnTensor onTensor, OnNumber onNumber)
{
    if (const auto* branches = std::get_if<Branches>(&data)) {
        Branches result;
        for (const auto& [name, branch] : *branches)
            result.emplace(name, forEachLeaf(branch, onTensor, onNumber));
        return result;
    }
    if (const auto* number = std::get_if<double>(&data))
        return onNumber(onTensor(at::scalar_tensor(*number, at::kDouble)));
    return onTensor(std::get<at::Tensor>(data));
}

}  // namespace

DataTree allReduced(Group& group, const DataTree& data, ReduceOp op, c10::Device device)
{
    return forEachLeaf(
        data, [&](const at::Tensor& values) { return reduced(group, values, op, device); },
        [](const at::Tensor& number) { return number.item<double>(); });
}

DataTree allGathered(Group& group, const DataTree& data, c10::Device device)
{
    return forEachLeaf(
        data, [&](const at::Tensor& values) { return gathered(group, values, device); },
        [](const at::Tensor& numbers) { return numbers; });
}

}  // namespace engine
