#include "engine/rewards/reward_list.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <utility>

namespace engine {

RewardList::RewardList(std::vector<WeightedReward> rewards, double clip)
    : m_rewards(std::move(rewards))
    , m_clip(clip)
{
}

std::vector<std::string> RewardList::names() const
{
    std::vector<std::string> names;
    for (const WeightedReward& weighted : m_rewards)
        names.push_back(weighted.reward->name());
    return names;
}

bool RewardList::comparesSamples() const { return std::ranges::any_of(m_rewards, &WeightedReward::comparesSamples); }

RewardScores RewardList::scores(const RewardBatch& batch)
{
    const at::NoGradGuard noGrad;
    const std::int64_t count = batch.images.size(0);
    at::Tensor total = at::zeros({count}, at::kDouble);
    RewardScores result;
    for (const WeightedReward& weighted : m_rewards) {
        const at::Tensor scores = weighted.reward->scores(batch);
        if (scores.sizes() != at::IntArrayRef(count) || !scores.isfinite().all().item<bool>())
            throw EngineError(EngineError::Kind::Failure,
                "the reward " + weighted.reward->name() + " did not give one finite score to each of " + std::to_string(count) + " images");
        total += scores.to(at::kDouble) * weighted.weight;
        result.each[weighted.reward->name()] = scores;
    }
    if (m_clip > 0)
        total.clamp_(-m_clip, m_clip);
    result.total = total.to(at::kFloat);
    if (!result.total.isfinite().all().item<bool>())
        throw EngineError(EngineError::Kind::Failure,
            "the weighted sum of rewards is too large for a float32; choose smaller weights in reward.functions");
    return result;
}

std::future<RewardScores> RewardList::submit(RewardBatch batch)
{
    auto task = std::make_shared<std::packaged_task<RewardScores()>>([this, batch = std::move(batch)] { return scores(batch); });
    std::future<RewardScores> result = task->get_future();
    if (std::ranges::any_of(m_rewards, &WeightedReward::isCollective))
        (*task)();
    else
        m_thread.run([task] { (*task)(); });
    return result;
}

void RewardList::abandon()
{
    for (const WeightedReward& weighted : m_rewards)
        weighted.reward->abandon();
}

}  // namespace engine
