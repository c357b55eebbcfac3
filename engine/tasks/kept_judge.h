// Classifiers of digits, trained once for all runs of a data home.
#pragma once
#include "engine/algorithm/digit_judge.h"
#include "engine/tasks/task.h"

#include <cstdint>
#include <string>

namespace engine {

/// Returns what DigitJudge::train() makes, which takes a few seconds, from the cache if an earlier run has left it there. Not
/// collective: ranks that find none train the same one.
/// @param use for the progress message, as in "trains the classifier that judges"
DigitJudge keptDigitJudge(
    const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape, const TaskContext& context, const std::string& use);

}  // namespace engine
