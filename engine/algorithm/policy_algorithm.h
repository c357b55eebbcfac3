// The algorithms that optimize a policy by the log-probabilities of its stochastic steps: flow_grpo, dance_grpo, mix_grpo,
// flow_dppo and grpo_guard.
//
// Outputs, computed from the prediction by the stochastic step (see Transition): "log_probs" and "sqrt_dt" [b], "prev_sample_mean"
// [b, …], "std_dev_t" (the transition's deviation) and "transition_std" (its spread) [b, 1, …]. Fields: "old_log_probs" and
// "advantages" [b]; "old_prev_sample_mean", "ref_prev_sample_mean" and "teacher_prev_sample_mean" [b, …] as needed; optionally
// "rollout_is_weights" [b]. Distillation from the teacher's velocity takes the output "noise_pred" and the field
// "teacher_noise_pred" [b, …].
#pragma once
#include "engine/algorithm/algorithm.h"
#include "engine/contract/experiment/policy_settings.h"

#include <memory>

namespace engine {

/// Makes any algorithm, those of forward_algorithm.h too. @throws EngineError WrongUsage when rollout correction is not what correction.* allow.
std::unique_ptr<Algorithm> makePolicyAlgorithm(const contract::PolicySettings& settings);

}  // namespace engine
