// Branching rollouts (TempFlow-GRPO, He et al., 2025; row A-147): the samples of a group share everything up to one stochastic step,
// so that differences between their rewards come from that step alone.
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

    /// Chooses the branching steps of round @p round; the methods below refer to that round.
    void plan(std::int64_t round) { m_steps = steps(round); }

    /// Integrates the ODE for each prompt of round @p round up to the steps where its samples branch. One data rank computes each prompt. Collective.
    /// @param noise [P, C, H, W] on the device; @param microBatch prompts of a pass
    void begin(std::int64_t round, const at::Tensor& noise, std::int64_t microBatch, Group& dataRanks, const PrefixStep& step);

    /// The first step, counted from the noise, that rows @p first … @p first + @p count - 1 of the round still have to compute.
    std::int64_t firstStep(std::int64_t first) const;
    /// Latents of a row's prompt before step @p step, a result of firstStep(): [C, H, W].
    at::Tensor prefix(std::int64_t row, std::int64_t step) const;
    SdeWindow stepOf(std::int64_t row) const;  ///< of size 1

    /// Factor of the row's loss: the standard deviation of its step's noise divided by the round's mean; 1 when noise-aware weighting is off.
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
