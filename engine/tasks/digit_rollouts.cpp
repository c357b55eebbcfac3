#include "engine/tasks/digit_rollouts.h"

#include "engine/algorithm/digit_reward.h"
#include "engine/rounds/reward_watch.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/tensor.h>

#include <utility>

namespace engine {

DigitRollouts::DigitRollouts(const DataSplit& data, const Model& model, CheckpointModel* teacher, DigitJudge judge, const DigitJudge* gold,
    Group& dataRanks, c10::Device device, SampleKeeper keepSample)
    : m_classes(data.training.classes)
    , m_shape(data.training.images.sizes().slice(1).vec())
    , m_model(model)
    , m_teacher(teacher)
    , m_gold(gold)
    , m_dataRanks(dataRanks)
    , m_device(device)
    , m_keepSample(std::move(keepSample))
    , m_judge(std::move(judge))
{
}

NoiseLevels DigitRollouts::levels(std::int64_t steps) const { return noiseLevels({}, Spacing::Sigmas, steps, 0); }

Conditions DigitRollouts::conditions(const std::vector<std::int64_t>& prompts) const
{
    Conditions conditions;
    conditions.positive.labels = at::tensor(prompts, at::kLong).to(m_device);
    conditions.negative.emplace().labels = at::full_like(conditions.positive.labels, m_model.nullLabel());
    return conditions;
}

at::Tensor DigitRollouts::rewards(
    const at::Tensor& latents, const std::vector<std::uint64_t>& /*rows*/, const std::vector<std::int64_t>& prompts)
{
    const at::Tensor asked = at::tensor(prompts, at::kLong);
    if (m_gold)
        m_goldRewards.push_back(digitReward(*m_gold, latents, asked));
    return digitReward(m_judge, latents, asked);
}

at::Tensor DigitRollouts::watchedRewards() const { return m_goldRewards.empty() ? at::Tensor() : at::cat(m_goldRewards); }

void DigitRollouts::show(const std::vector<RoundSample>& samples, const at::Tensor& latents)
{
    if (!m_keepSample)
        return;
    const at::Tensor images = m_dataRanks.onHost(latents);
    for (std::size_t i = 0; i < samples.size(); ++i)
        m_keepSample(samples[i], "digit " + std::to_string(samples[i].prompt), images.narrow(0, static_cast<std::int64_t>(i), 1));
}

NamedNumbers DigitRollouts::takeRewardMeans()
{
    if (!m_gold)
        return {};
    const at::Tensor scores = watchedRewards();
    at::Tensor sums = at::tensor({scores.sum(at::kDouble).item<double>(), static_cast<double>(scores.size(0))}, at::kDouble).to(m_device);
    m_dataRanks.allReduceSum(sums, "the watched reward");
    const at::Tensor host = m_dataRanks.onHost(sums);
    m_goldRewards.clear();
    return {{kGoldReward, (host[0] / host[1]).item<double>()}};
}

}  // namespace engine
