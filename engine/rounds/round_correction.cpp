#include "engine/rounds/round_correction.h"

#include "engine/algorithm/rollout_correction.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

namespace engine {

NamedNumbers correctRound(std::vector<TrainedRows>& micros, const contract::CorrectionSpec& spec, std::int64_t rows, Group& dataRanks,
    c10::Device device)
{
    const std::int64_t steps = micros.front().fields.at("old_log_probs").size(1);
    at::Tensor all = at::zeros({3, rows, steps}, at::TensorOptions().dtype(at::kFloat).device(device));  // old, rollout, timesteps
    for (const TrainedRows& micro : micros) {
        const auto count = static_cast<std::int64_t>(micro.drawn.rows.size());
        const auto placeOf = [&](std::int64_t which) { return all.select(0, which).narrow(0, static_cast<std::int64_t>(micro.drawn.rows.front()), count); };
        placeOf(0).copy_(micro.fields.at("old_log_probs"));
        placeOf(1).copy_(micro.fields.at("rollout_log_probs"));
        at::Tensor timesteps = at::zeros({count, steps});
        for (std::int64_t step = 0; step < steps; ++step) {
            for (std::int64_t row = 0; row < count; ++row)
                timesteps.data_ptr<float>()[row * steps + step]
                    = static_cast<float>(micro.timesteps[static_cast<std::size_t>(step)][static_cast<std::size_t>(row)]);
        }
        placeOf(2).copy_(timesteps);
    }
    dataRanks.allReduceSum(all, "log-probabilities");
    const at::Tensor old = all.select(0, 0), rollout = all.select(0, 1);
    RolloutCorrection correction = rolloutCorrection(old, rollout, spec);
    correction.metrics.merge(logProbDifferences(old, rollout, dataRanks.onHost(all.select(0, 2).contiguous())));

    const at::Tensor weights = correction.weights();
    for (TrainedRows& micro : micros) {
        micro.fields.erase("rollout_log_probs");
        if (!weights.defined())
            continue;
        const at::Tensor mine = weights.narrow(0, static_cast<std::int64_t>(micro.drawn.rows.front()), static_cast<std::int64_t>(micro.drawn.rows.size()));
        at::Tensor& field = micro.fields["rollout_is_weights"];
        field = field.defined() ? field * mine : mine.contiguous();
    }
    NamedNumbers numbers;
    for (const auto& [name, value] : correction.metrics)
        numbers[name] = value.item<double>();
    return numbers;
}

}  // namespace engine
