#include "engine/rewards/win_rate.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>

#include <stdexcept>

namespace engine {

std::vector<SamplePair> allPairs(std::int64_t samples)
{
    std::vector<SamplePair> pairs;
    for (std::int64_t i = 0; i < samples; ++i) {
        for (std::int64_t k = i + 1; k < samples; ++k)
            pairs.push_back((i + k) % 2 == 1 ? SamplePair {i, k} : SamplePair {k, i});
    }
    return pairs;
}

at::Tensor WinRateReward::scores(const RewardBatch& batch)
{
    const std::int64_t samples = batch.images.size(0);
    if (samples < 2)
        throw std::invalid_argument("WinRateReward: " + std::to_string(samples) + " sample");
    const std::vector<SamplePair> pairs = allPairs(samples);
    const at::Tensor preferences = m_comparing->preferences(batch, pairs).to(at::kDouble).contiguous();
    const auto count = static_cast<std::int64_t>(pairs.size());
    if (preferences.sizes() != at::IntArrayRef(count) || !(preferences.ge(0) & preferences.le(1)).all().item<bool>())
        throw EngineError(EngineError::Kind::Failure,
            "the reward " + name() + " did not give each of " + std::to_string(count) + " pairs a number from 0 to 1");
    std::vector<double> wins(static_cast<std::size_t>(samples));
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        const double preference = preferences.const_data_ptr<double>()[i];
        wins[static_cast<std::size_t>(pairs[i].first)] += preference;
        wins[static_cast<std::size_t>(pairs[i].second)] += 1 - preference;
    }
    return (at::tensor(wins, at::kDouble) / static_cast<double>(samples - 1)).to(at::kFloat);
}

}  // namespace engine
