// What training by a reward maximizes: scores of finished samples.
#pragma once
#include "engine/data/prompt_list.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

/// Samples to score. They may be of several prompts; those of one prompt are next to each other. Where a reward of the run compares
/// samples, see RewardList::comparesSamples(), they are all samples of one prompt in a round.
struct RewardBatch {
    at::Tensor images;                   ///< [b, 3, H, W], or videos [b, F, 3, H, W]; float32 in [0, 1] on the CPU, contiguous
    std::vector<const Prompt*> prompts;  ///< of each image; never null
};

class Reward {
public:
    virtual ~Reward() = default;

    virtual const std::string& name() const = 0;  ///< as in reward.functions; part of metric names

    /// Scores images. Each rank scores its own samples; a collective only where the ranks share a model, see loadClipReward().
    /// @return [b] float32 on the CPU, finite
    /// @throws EngineError with a cause that names this reward
    virtual at::Tensor scores(const RewardBatch& batch) = 0;

    /// Makes scores() that waits for a program or a server fail soon, and all later ones at once. From any thread.
    virtual void abandon() { }
};

/// Indices of two samples of a batch.
struct SamplePair {
    std::int64_t first = 0, second = 0;
};

/// A reward that can also compare samples of one prompt with each other.
class ComparingReward : public Reward {
public:
    /// @param batch samples of one prompt @param pairs at least one
    /// @return [pairs] float32 on the CPU, by how much the first one is preferred: 1 entirely, 0 the second one is, 0.5 neither
    /// @throws as scores()
    virtual at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) = 0;
};

}  // namespace engine
