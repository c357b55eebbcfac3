#include "tests/bench/engine_gate.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

/// Root mean square of the relative differences over all steps.
double difference(const std::vector<double>& ours, const std::vector<double>& peer)
{
    double sum = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
        const double relative = ours[i] / peer[i] - 1;
        sum += relative * relative;
    }
    return std::sqrt(sum / static_cast<double>(ours.size()));
}

void requireEqual(const nlohmann::json& ours, const nlohmann::json& peer, const char* key, double tolerance, const std::string& what)
{
    auto mine = ours.at(key).get<std::vector<double>>();
    auto theirs = peer.at(key).get<std::vector<double>>();
    const std::size_t steps = std::min(mine.size(), theirs.size());
    mine.resize(steps);
    theirs.resize(steps);
    const double found = steps > 0 ? difference(mine, theirs) : std::numeric_limits<double>::quiet_NaN();
    if (!(found <= tolerance))
        throw std::runtime_error(what + ": over " + std::to_string(steps) + " steps our " + key + " differ from the peer's by "
            + std::to_string(found) + ", more than " + std::to_string(tolerance));
}

}  // namespace

void requireEqualTraining(const nlohmann::json& ours, const nlohmann::json& peer, const std::string& what, bool isBfloat16)
{
    requireEqual(ours, peer, "losses", isBfloat16 ? 1.2e-2 : 2e-5, what);
    requireEqual(ours, peer, "norms", isBfloat16 ? 2.5e-2 : 1e-4, what);
}

void requireEqualRounds(const nlohmann::json& ours, const nlohmann::json& peer, const std::string& what, bool isBfloat16)
{
    requireEqual(ours, peer, "rewards", isBfloat16 ? 5e-2 : 1e-5, what);
    requireEqual(ours, peer, "norms", isBfloat16 ? 0.4 : 1e-3, what);
}

}  // namespace bench
