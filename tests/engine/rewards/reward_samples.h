// Samples to score.
#pragma once
#include "engine/comm/errors.h"
#include "engine/rewards/reward.h"

#include <ATen/ops/full.h>
#include <QByteArray>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
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

/// How long a scorer is waited for that answers.
inline constexpr std::chrono::milliseconds kPatience {60000};

/// The message of the engine::EngineError that @p act throws.
inline QByteArray causeOf(const std::function<void()>& act)
{
    try {
        act();
    } catch (const engine::EngineError& error) {
        return error.what();
    }
    return "no error";
}

}  // namespace tests
