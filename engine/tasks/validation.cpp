#include "engine/tasks/validation.h"

#include "engine/diffusion/flow_matching.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

namespace engine {

std::optional<double> validationLoss(const Model& model, UnitSequence& units, Weights weights, Group& group,
    const LabelledImages& data, std::uint64_t seed, c10::Device device)
{
    constexpr std::int64_t kMostRows = 256;
    const at::NoGradGuard noGrad;
    const UnitSequence::EvaluationScope scope(units, weights);
    const std::int64_t count = data.labels.defined() ? data.labels.size(0) : 0;
    if (count == 0)
        return std::nullopt;

    double sum = 0;
    const std::int64_t stride = group.size() * kMostRows;
    for (std::int64_t start = 0; start < count; start += stride) {
        const std::int64_t share
            = std::min(kMostRows, (std::min(stride, count - start) + group.size() - 1) / group.size());
        std::vector<std::int64_t> picked;
        std::vector<std::uint64_t> rows;
        std::int64_t real = 0;  // rows past the end repeat the last one, because every rank must run the same passes
        for (std::int64_t i = 0; i < share; ++i) {
            const std::int64_t row = start + group.rank() * share + i;
            real += row < count ? 1 : 0;
            picked.push_back(std::min(row, count - 1));
            rows.push_back(static_cast<std::uint64_t>(picked.back()));
        }
        const at::Tensor index = at::tensor(picked, at::kLong);
        const FlowBatch batch = noiseBatch(data.images.index_select(0, index),
            data.labels.index_select(0, index), rows, seed + 1, 0, 0, model.nullLabel());
        const at::Tensor velocity = predict(model, units,
            {batch.noisy.to(device), batch.sigmas.to(device), batch.labels.to(device)});
        if (real > 0) {
            const at::Tensor error = (velocity.cpu() - batch.target).narrow(0, 0, real);
            sum += (error * error).mean({1, 2, 3}).sum().item<double>();
        }
    }
    at::Tensor total = at::tensor(std::vector<double> {sum}, at::kDouble).to(device);
    group.allReduceSum(total, "validation loss");
    return group.onHost(total).item<double>() / static_cast<double>(count);
}

}  // namespace engine
