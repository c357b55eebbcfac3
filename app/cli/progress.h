// The progress of a run, formatted as one line.
#pragma once
#include "engine/contract/run/journal_parser.h"

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

namespace app {

class Progress {
public:
    explicit Progress(std::int64_t totalSteps)
        : m_totalSteps(totalSteps)
    {
    }

    /// Forgets the steps so far: another attempt begins.
    void begin();

    /// @param line a step record of rank 0
    void addStep(const contract::JournalLine& line);

    /// @param line a record of rank 0 with other metrics than those of every step
    void addMetrics(const contract::JournalLine& line);

    std::int64_t step() const { return m_step; }
    std::int64_t totalSteps() const { return m_totalSteps; }
    void setTotalSteps(std::int64_t steps) { m_totalSteps = steps; }

    /// Estimated from the last 30 s of training; nullopt before the second step.
    std::optional<std::chrono::milliseconds> timeLeft() const;

    /// "step 120/2,000 (6 %)  loss 0.312  gradient norm 0.84  1,204 images/s  1 min 20 s left"
    std::string text() const;

private:
    struct Moment {
        std::int64_t step = 0;
        double tMs = 0;
    };

    std::int64_t m_totalSteps;
    std::int64_t m_step = 0;
    std::optional<double> m_reward;  ///< of the last round; nullopt in a run without rounds
    std::optional<double> m_loss;  ///< this and the next two are of the last step; nullopt when it has no such metric
    std::optional<double> m_gradNorm;
    std::optional<double> m_imagesPerSecond;
    std::deque<Moment> m_recent;
};

}  // namespace app
