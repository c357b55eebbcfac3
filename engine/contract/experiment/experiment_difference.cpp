#include "engine/contract/experiment/experiment_difference.h"

namespace contract {

std::vector<const Option*> differingOptions(const Experiment& one, const Experiment& other)
{
    std::vector<const Option*> differing;
    for (const Option& option : options()) {
        if (one.value(option.key) != other.value(option.key))
            differing.push_back(&option);
    }
    return differing;
}

}  // namespace contract
