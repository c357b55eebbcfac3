// What training by a reward maximizes: scores of finished samples.
#pragma once
#include "engine/data/prompt_list.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace engine {

/// Samples to score. They may be of several prompts; those of one prompt are next to each other.
struct RewardBatch {
    at::Tensor images;                   ///< [b, 3, H, W] float32 in [0, 1] on the CPU
    std::vector<const Prompt*> prompts;  ///< of each image; never null
};

class Reward {
public:
    virtual ~Reward() = default;

    virtual const std::string& name() const = 0;  ///< as in reward.functions; part of metric names

    /// Scores images. Not a collective: each rank scores its own samples.
    /// @return [b] float32 on the CPU, finite
    /// @throws EngineError with a cause that names this reward
    virtual at::Tensor scores(const RewardBatch& batch) = 0;
};

}  // namespace engine
