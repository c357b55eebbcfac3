// Samples to score.
#pragma once
#include "engine/rewards/reward.h"

#include <ATen/ops/full.h>

#include <cstdint>
#include <deque>
#include <string>

namespace tests {

/// Images of 2 × 3 pixels; image i has the value i / 10 everywhere and the prompt "prompt i".
class RewardSamples {
public:
    explicit RewardSamples(std::int64_t count, std::int64_t height = 3, std::int64_t width = 2)
    {
        batch.images = at::full({count, 3, height, width}, 0, at::kFloat);
        for (std::int64_t i = 0; i < count; ++i) {
            batch.images.select(0, i).fill_(static_cast<double>(i) / 10);
            m_prompts.push_back({"prompt " + std::to_string(i), "{}"});
            batch.prompts.push_back(&m_prompts.back());
        }
    }
    engine::Prompt& prompt(std::size_t i) { return m_prompts[i]; }

    engine::RewardBatch batch;

private:
    std::deque<engine::Prompt> m_prompts;
};

}  // namespace tests
