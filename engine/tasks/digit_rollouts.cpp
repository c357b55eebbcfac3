#include "engine/tasks/digit_rollouts.h"

#include "engine/algorithm/digit_reward.h"
#include "engine/rounds/reward_watch.h"

#include <ATen/ops/full_like.h>
#include <ATen/ops/tensor.h>

namespace engine {

DigitRollouts::DigitRollouts(const DataSplit& data, const Model& model, CheckpointModel* teacher, const DigitJudge* gold, Group& dataRanks,
    std::uint64_t seed, c10::Device device)
    : m_classes(data.training.classes)
    , m_shape(data.training.images.sizes().slice(1).vec())
    , m_model(model)
    , m_teacher(teacher)
    , m_gold(gold)
    , m_dataRanks(dataRanks)
    , m_device(device)
    , m_judge(DigitJudge::train(data, seed, DigitNetwork::Shape::Wide))
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

at::Tensor DigitRollouts::rewards(const at::Tensor& latents, const std::vector<std::int64_t>& prompts)
{
    const at::Tensor asked = at::tensor(prompts, at::kLong);
    if (m_gold)
        m_goldSum += digitReward(*m_gold, latents, asked).sum(at::kDouble).item<double>();
    m_scored += latents.size(0);
    return digitReward(m_judge, latents, asked);
}

NamedNumbers DigitRollouts::takeRewardMeans()
{
    if (!m_gold)
        return {};
    at::Tensor sums = at::tensor({m_goldSum, static_cast<double>(m_scored)}, at::kDouble).to(m_device);
    m_dataRanks.allReduceSum(sums, "the watched reward");
    const at::Tensor host = m_dataRanks.onHost(sums);
    m_goldSum = 0;
    m_scored = 0;
    return {{kGoldReward, (host[0] / host[1]).item<double>()}};
}

}  // namespace engine
