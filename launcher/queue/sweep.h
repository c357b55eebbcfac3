// A sweep: runs of one experiment that differ in the values of some options, one for every combination.
#pragma once
#include "engine/contract/experiment/options.h"

#include <string>
#include <vector>

namespace launcher {

/// Whether several values may be given for the option, with commas between them. Not for texts, which may have commas in them.
bool mayList(const contract::Option& option);

struct ListedOption {
    std::string key;
    std::vector<std::string> values;  ///< one or more
};

/// The values without those that mean the same as one before them, as 0.001 does after 1e-3.
std::vector<std::string> distinctValues(const ListedOption& option);

struct SweepRun {
    std::vector<std::string> values;  ///< of each option, in their order
    std::string nameEnding;           ///< " lr=1e-4 rank=8": the options that have several values
};

/// Every combination of distinct values, the last option's varying fastest.
std::vector<SweepRun> combinations(const std::vector<ListedOption>& options);

}  // namespace launcher
