// Branching rollouts (TempFlow-GRPO, He et al., 2025; row A-147): the samples of a group share everything up to one stochastic step,
// so that their rewards tell what that step was worth.
// Dims: P prompts of a round, S adjacent steps where samples branch.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/policy_settings.h"
#include "engine/diffusion/sde_window.h"
#include "engine/diffusion/stochastic_step.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace engine {

/// One step of the ODE for some prompts of the round. Collective over the ranks that share the model. @param latents [p, C, H, W]
using PrefixStep = std::function<at::Tensor(const std::vector<std::int64_t>& prompts, const at::Tensor& latents, std::int64_t step)>;

class Branches {
public:
    /// @throws std::invalid_argument when the steps do not fit.
    Branches(const contract::RolloutSettings& rollout, NoiseLevels levels, SdeType type, std::uint64_t seed);

    /// The steps where samples of round @p round branch: the same on all ranks.
    SdeWindow steps(std::int64_t round) const;

    /// Chooses the steps of round @p round, which the methods below then speak of.
    void plan(std::int64_t round) { m_steps = steps(round); }

    /// Takes each prompt of round @p round by the ODE to the steps where its samples branch; each is computed by one data rank. Collective.
    /// @param noise [P, C, H, W] on the device; @param microBatch prompts of a pass
    void begin(std::int64_t round, const at::Tensor& noise, std::int64_t microBatch, Group& dataRanks, const PrefixStep& step);

    /// The step from which rows @p first … @p first + @p count - 1 of the round need passes, counted from the noise.
    std::int64_t firstStep(std::int64_t first) const;
    /// Latents of a row's prompt before step @p step, a result of firstStep(): [C, H, W].
    at::Tensor prefix(std::int64_t row, std::int64_t step) const;
    SdeWindow stepOf(std::int64_t row) const;  ///< of size 1

    /// Factor of the row's loss: the deviation of its step's noise over the mean of those of the round; 1 when that is not asked for.
    double weight(std::int64_t row) const;

private:
    contract::RolloutSettings m_rollout;
    NoiseLevels m_levels;
    SdeType m_type;
    std::uint64_t m_seed;
    SdeWindow m_steps;      ///< of the round
    at::Tensor m_prefixes;  ///< [P, S, C, H, W]
};

}  // namespace engine
