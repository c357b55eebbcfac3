// What the cases of goldens/algorithms ask for, by the "op" that their json names. Each table is a source file of its name.
#pragma once
#include "tests/engine/goldens/golden_case.h"

#include <functional>
#include <map>
#include <string>

namespace tests {

struct GoldenOperation {
    const char* rows;                        ///< numbers of the fact sheets' rows that its cases prove, as "A-021 A-022"
    std::function<void(GoldenCase&)> check;  ///< computes everything that the case expects and hands it to the case
};
using GoldenOperations = std::map<std::string, GoldenOperation>;

GoldenOperations diffusionOperations();  ///< tables, steps, windows, guidance, noising
GoldenOperations lossOperations();       ///< loss_*, actor_loss
GoldenOperations optimizerOperations();  ///< optimizers, clipping, schedules of the learning rate, adapters' averages
GoldenOperations rolloutOperations();    ///< advantages, pairs, rewards, rollout correction, decay of the old policy, metrics

}  // namespace tests
