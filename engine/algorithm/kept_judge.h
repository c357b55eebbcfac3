// Classifiers of digits, trained once for all runs of a data home.
#pragma once
#include "engine/algorithm/digit_judge.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace engine {

struct KeptJudges {
    std::filesystem::path cache;                        ///< shared by all runs
    std::function<void(const std::string&)> onTraining;  ///< gets "trains the classifier that judges"
    std::function<void(const std::string&)> warn;        ///< gets why a classifier cannot be kept
};

/// Returns a trained DigitJudge, from the cache if an earlier run stored one there, otherwise from DigitJudge::train(). Not
/// collective: ranks that find none in the cache train identical ones.
/// @param use for the progress message: "judges"
DigitJudge keptDigitJudge(
    const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape, const KeptJudges& kept, const std::string& use);

}  // namespace engine
