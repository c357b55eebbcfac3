#include "engine/contract/experiment/batch_shape.h"

namespace contract {

std::int64_t accumulationSteps(const Experiment& experiment, int dataRanks, std::optional<Problem>& problem)
{
    const std::int64_t global = experiment.integer("batch.global"), micro = experiment.integer("batch.micro");
    const std::int64_t accumulation = experiment.integer("batch.accumulation");
    if (global == 0)
        return accumulation;
    const std::string setting = "batch.global = " + std::to_string(global);
    if (accumulation != 1) {
        problem = Problem {"batch.accumulation",
            setting + " determines the number of passes per step: remove batch.accumulation = " + std::to_string(accumulation),
            0};
        return 1;
    }
    if (global % (micro * dataRanks) != 0) {
        problem = Problem {"batch.global",
            setting + " is not a multiple of batch.micro = " + std::to_string(micro) + " times the " + std::to_string(dataRanks)
                + " data-parallel ranks: choose a multiple",
            0};
        return 1;
    }
    return global / (micro * dataRanks);
}

}  // namespace contract
