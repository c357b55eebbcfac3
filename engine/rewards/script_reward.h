// Scores of a model that a .pt file (TorchScript) or a .pt2 file (AOTInductor) holds. Such files are programs: loading one runs its code.
#pragma once
#include "engine/rewards/reward.h"

#include <filesystem>
#include <memory>
#include <string>

namespace engine {

/// Loads a TorchScript model, which is evaluated on the CPU, in evaluation mode and without gradients. Its forward() takes
/// images as in RewardBatch, and a list of b prompts if it has one argument more; it returns [b] or [b, 1].
/// @param comparesPairs whether it takes two tensors of images instead, the first and the second one of each of b pairs
/// @param name part of metric names
/// @throws EngineError naming the file when it cannot be loaded or takes other arguments
std::unique_ptr<ComparingReward> loadScriptReward(const std::string& name, const std::filesystem::path& file, bool comparesPairs = false);

/// Loads a model that AOTInductor has compiled for the CPU. It takes images as in RewardBatch, or two tensors of them for pairs, and
/// returns one tensor, [b] or [b, 1]; a model compiled for batches of one size scores only those.
/// @throws as above
std::unique_ptr<ComparingReward> loadPackageReward(const std::string& name, const std::filesystem::path& file);

}  // namespace engine
