// Weights of the trained steps of branching rollouts (TempFlow-GRPO, He et al., 2025; row A-147).
#pragma once
#include <vector>

namespace engine {

/// Noise-aware weights: the standard deviation of each trained step over their mean, so that steps that explore more count more.
/// @param spreads of whole steps, with √-dt; at least one, greater than 0
std::vector<double> noiseAwareWeights(const std::vector<double>& spreads);

}  // namespace engine
