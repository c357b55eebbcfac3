// DiffusionNFT (Zheng et al., 2025): the forward process trains on samples of the old policy, towards those that the reward
// prefers and away from the others. Rows.
#pragma once
#include "engine/algorithm/loss/algorithm_loss.h"

#include <string_view>

namespace engine {

/// Which advantages count, and how much, in rewardProbability().
enum class AdvantageMode { Continuous, PositiveOnly, NegativeOnly, OneOnly, Binary };

/// The mode that @p name names: "continuous", "positive_only", "negative_only", "one_only" or "binary".
/// @throws EngineError WrongUsage for another name, listing these.
AdvantageMode advantageMode(std::string_view name);

/// The probability in [0, 1] that a sample is a good one; 0.5 for an advantage of 0.
/// @param advantages of any shape; @param limit greater than 0: where they are clamped
at::Tensor rewardProbability(const at::Tensor& advantages, AdvantageMode mode, double limit);

/// [B, …] each.
struct NftRows {
    at::Tensor prediction;                ///< of the model that trains, with the graph
    at::Tensor oldPrediction;             ///< gets no gradient
    at::Tensor referencePrediction = {};  ///< gets no gradient; undefined: without a penalty
    at::Tensor clean, noisy;              ///< x₀ and x_t
    at::Tensor times;                     ///< t in [0, 1], [B, 1, …]
    at::Tensor rewardProbability;         ///< [B], or [B, …] of which the mean counts
};

struct NftOptions {
    double mixBeta = 0.5;               ///< greater than 0: how far the two implicit policies are from the old one
    double referenceCoefficient = 0;    ///< of the squared distance from the reference
    double smallestWeight = 1e-5;       ///< greater than 0: lower limit of a row's mean error, which divides its loss
    double advantageLimit = 5;          ///< scales the loss, as it has clamped the advantages
};

AlgorithmLoss nftLoss(const NftRows& rows, const NftOptions& options);

}  // namespace engine
