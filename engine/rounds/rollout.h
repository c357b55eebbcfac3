// Draws the samples of a round: a micro-batch of a rank at a time.
// Dims: b rows of a micro-batch, W stochastic steps of a sample.
#pragma once
#include "engine/contract/experiment/policy_settings.h"
#include "engine/data/epoch_sampler.h"
#include "engine/diffusion/sde_window.h"
#include "engine/diffusion/stochastic_step.h"
#include "engine/rounds/branches.h"
#include "engine/rounds/guided_model.h"
#include "engine/rounds/rollout_source.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// The rows of one pass of this rank; tensors are on the device.
struct DrawnRows {
    std::vector<std::uint64_t> rows;     ///< their numbers in the round
    std::vector<std::int64_t> prompts;
    Conditions conditions;
    at::Tensor clean;                    ///< [b, C, H, W] float32: the samples

    // Of rollouts with stochastic steps.
    std::vector<SdeWindow> windows;      ///< all of size W
    at::Tensor latents;                  ///< [b, W + 1, C, H, W] float32: before each stochastic step, and after the last
    at::Tensor logProbs;                 ///< [b, W]
    at::Tensor means;                    ///< [b, W, C, H, W]; undefined unless they are kept
    at::Tensor weights;                  ///< [b, W] of the loss; undefined: 1
};

class Rollout {
public:
    /// @p source, @p model and @p dataRanks must outlive this object. @param keepsMeans see RolloutNeeds::stepMeans
    /// @throws std::invalid_argument when the window does not fit the steps, EngineError WrongUsage when no stochastic step, or no step at
    ///         all, lies in RolloutSource::trainedTimesteps().
    Rollout(const contract::PolicySettings& settings, RolloutSource& source, const GuidedModel& model, Group& dataRanks, std::uint64_t seed,
        c10::Device device, bool keepsMeans = false);

    const NoiseLevels& levels() const { return m_levels; }
    const TimestepRange& trainedTimesteps() const { return m_trained; }
    std::vector<float> trainedSteps() const;  ///< timesteps of the steps within trainedTimesteps(), descending
    /// W, or 0 for rollouts without stochastic steps.
    std::int64_t stochasticSteps() const { return m_window.size(); }
    double noiseLevel() const { return m_settings.rollout.noiseLevel; }

    /// Returns prompts, windows and weights of rows @p first … @p first + @p count - 1 of a round; they follow from the row numbers.
    DrawnRows plannedRows(std::int64_t first, std::int64_t count, std::int64_t round);

    /// Computes the trajectory prefixes that rows of the round share, with the weights of the current EvaluationScope. Collective.
    /// @param microBatch rows of a pass
    void begin(std::int64_t round, std::int64_t microBatch);

    /// Draws rows @p first … @p first + @p count - 1 of a round, by the weights of the current EvaluationScope. Row, round and seed
    /// determine prompt, noise and window, on any number of ranks. Collective, after begin().
    DrawnRows draw(std::int64_t first, std::int64_t count, std::int64_t round);

    /// Rows of RolloutSource::pairs() instead: those of the pairs @p first / 2 … of the round. @param count even, as @p first
    DrawnRows storedPairs(std::int64_t first, std::int64_t count, std::int64_t round);

    /// The distribution of the latents after a step. See transition().
    Transition step(const at::Tensor& latents, const at::Tensor& velocity, const std::vector<RowStep>& rows) const;
    std::vector<double> timesteps(const std::vector<RowStep>& rows) const;

private:
    std::vector<SdeWindow> windows(const std::vector<std::uint64_t>& rows, std::int64_t round) const;
    std::int64_t prompt(std::int64_t slot, std::int64_t round);
    at::Tensor noise(const std::vector<std::uint64_t>& keys, std::int64_t round) const;
    /// Runs the ODE from @p latents before step @p first to the clean samples.
    void drawStochastic(DrawnRows& drawn, at::Tensor latents, std::int64_t first, std::int64_t round) const;
    void planBranches(DrawnRows& drawn, std::int64_t round);
    /// Runs the rows from their branching step to the clean samples.
    void drawBranches(DrawnRows& drawn, std::int64_t round) const;
    void drawDeterministic(DrawnRows& drawn, at::Tensor latents) const;

    contract::PolicySettings m_settings;
    RolloutSource& m_source;
    const GuidedModel& m_model;
    Group& m_dataRanks;
    std::uint64_t m_seed;
    c10::Device m_device;
    bool m_keepsMeans;
    NoiseLevels m_levels;
    TimestepRange m_trained;
    StochasticStepping m_stepping;
    SdeWindowOptions m_windowOptions;
    SdeWindow m_window;  ///< of size W
    EpochSampler m_promptOrder;
    std::optional<Branches> m_branches;
};

}  // namespace engine
