// By which options two experiments differ.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <vector>

namespace contract {

/// The options whose values differ, in the order of options().
std::vector<const Option*> differingOptions(const Experiment& one, const Experiment& other);

}  // namespace contract
