// Rewards that need no model: an image's size as JPEG, its brightness, its colour.
#pragma once
#include "engine/rewards/reward.h"

#include <memory>
#include <string>
#include <vector>

namespace engine {

/// Names that makeBuiltInReward() knows, sorted.
///
/// brightness                   mean of all values of the image, in [0, 1]
/// redness, greenness, blueness mean of that colour minus the mean of the other two, in [-1, 1]
/// jpeg_size                    minus the size of the image as JPEG of quality 95, in units of 1000 bytes: simple images score best
/// jpeg_size_up                 the same without the minus: detailed images score best
///
/// A video's score is the mean of those of its frames.
std::vector<std::string> builtInRewardNames();

/// Returns the reward of that name, or nullptr when there is none. The reward may be used by several threads at a time.
std::unique_ptr<Reward> makeBuiltInReward(const std::string& name);

}  // namespace engine
