// Corrects an update for samples that another policy has drawn than the one that it starts from: importance weights, rejection
// of rows or entries, and how far the two are apart. Rows.
#pragma once
#include "engine/contract/experiment/correction_spec.h"
#include "engine/train/forward_steps.h"

#include <ATen/core/Tensor.h>

namespace engine {

struct RolloutCorrection {
    at::Tensor importance;  ///< [B, T] importance weights; undefined when not asked for
    at::Tensor keep;        ///< [B, T] 1 or 0; undefined without rejection
    NamedTensors metrics;   ///< [] each, "rollout_corr/…"

    /// The factor of each entry's loss: weight · keep. Undefined when neither was asked for.
    at::Tensor weights() const;
};

/// Compares log-probabilities [B, T] of the same steps. No gradient. Weights that are normalised have a mean of 1 over the given
/// rows: pass those of the whole global batch, which is small, for the mean over all ranks.
/// @param policy under the policy that the update starts from ("old"), or at each step of it under the current one (bypass mode)
/// @param rollout under the policy that sampled, as the sampler recorded them
/// @throws std::invalid_argument when one is missing, has another shape or is not [B, T].
RolloutCorrection rolloutCorrection(const at::Tensor& policy, const at::Tensor& rollout, const contract::CorrectionSpec& spec);

/// How far two policies are apart (row A-105), without the absolute differences.
NamedTensors offPolicyMetrics(const at::Tensor& policy, const at::Tensor& rollout);

/// Absolute differences of log-probabilities, also by timestep (row A-105).
/// @param timesteps on the CPU; ignored when undefined or of another shape than the log-probabilities
NamedTensors logProbDifferences(const at::Tensor& policy, const at::Tensor& rollout, const at::Tensor& timesteps = {});

}  // namespace engine
