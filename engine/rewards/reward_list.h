// The rewards of a run together: what each gives, and their weighted sum, which is trained on.
#pragma once
#include "engine/checkpoint/background_thread.h"
#include "engine/rewards/reward.h"

#include <ATen/core/Tensor.h>

#include <future>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace engine {

struct WeightedReward {
    std::unique_ptr<Reward> reward;
    double weight = 1;  ///< 0: scored for its metric only
    bool comparesSamples = false;  ///< needs all samples of a prompt at once
    bool isCollective = false;     ///< its scores() is one
};

struct RewardScores {
    at::Tensor total;                         ///< [b] float32: the weighted sum, clamped
    std::map<std::string, at::Tensor> each;   ///< by name: the scores of each reward, [b] float32, neither weighted nor clamped
};

class RewardList {
public:
    /// @param clip totals are clamped to this distance from 0; 0: they are not
    RewardList(std::vector<WeightedReward> rewards, double clip);

    std::vector<std::string> names() const;  ///< as in RewardScores::each
    bool comparesSamples() const;            ///< whether any of them does, so that each batch must be all samples of a prompt

    /// Scores @p batch by all rewards, one after another.
    /// @throws EngineError naming a reward that fails, or breaks the promise of Reward::scores()
    RewardScores scores(const RewardBatch& batch);

    /// Does the same on a thread of its own, after the batches that were submitted before, while the caller draws the next samples; but at
    /// once where a reward is a collective, which may not meet those of drawing.
    /// The result has the scores or the error. The images must stay as they are, and the prompts live, until it is there.
    /// One thread at a time may call this or scores(), and scores() only when no submitted batch is left.
    std::future<RewardScores> submit(RewardBatch batch);

    /// Ends the waiting for programs and servers: batches that are not scored yet fail, as do all later ones.
    void abandon();

private:
    std::vector<WeightedReward> m_rewards;
    double m_clip;
    BackgroundThread m_thread;  ///< declared last, because it uses the other members
};

}  // namespace engine
