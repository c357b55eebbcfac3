// The algorithms that train on noised samples: diffusion_nft, dpo, awm (advantage-weighted matching) and dgpo.
//
// Output: "prediction" [b, …], the velocity. Fields: "clean", "noise" and "noisy" [b, …]; "times" [b, 1, …], the noise level in
// [0, 1]; "timesteps" and "advantages" [b]; predictions of other weights for the same noisy latents as needed: "ref_prediction",
// "old_prediction" and "ema_prediction" [b, …].
#pragma once
#include "engine/algorithm/algorithm.h"
#include "engine/contract/experiment/policy_settings.h"

#include <memory>

namespace engine {

/// @param settings of an algorithm for which isForward is true
std::unique_ptr<Algorithm> makeForwardAlgorithm(const contract::PolicySettings& settings);

}  // namespace engine
