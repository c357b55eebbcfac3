#include "engine/algorithm/branch_weights.h"

#include <numeric>

namespace engine {

std::vector<double> noiseAwareWeights(const std::vector<double>& spreads)
{
    const double mean = std::accumulate(spreads.begin(), spreads.end(), 0.0) / static_cast<double>(spreads.size());
    std::vector<double> weights = spreads;
    for (double& weight : weights)
        weight /= mean;
    return weights;
}

}  // namespace engine
