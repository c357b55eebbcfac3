// Turns preferences between two samples into a score of each.
#pragma once
#include "engine/rewards/reward.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Every pair of @p samples samples once: samples · (samples - 1) / 2. Each sample is the first of its pairs about as often as the second,
/// because models that compare images often favour one place.
std::vector<SamplePair> allPairs(std::int64_t samples);

/// A sample's score is its win rate: the mean preference for it over all others of its prompt, in [0, 1].
class WinRateReward final : public Reward {
public:
    explicit WinRateReward(std::unique_ptr<ComparingReward> comparing)
        : m_comparing(std::move(comparing))
    {
    }

    const std::string& name() const override { return m_comparing->name(); }

    /// @param batch at least two samples, all of one prompt
    /// @throws EngineError naming the reward also when a preference is not in [0, 1]
    at::Tensor scores(const RewardBatch& batch) override;
    void abandon() override { m_comparing->abandon(); }

private:
    std::unique_ptr<ComparingReward> m_comparing;
};

}  // namespace engine
