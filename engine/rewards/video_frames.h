// Videos for rewards that look at images.
#pragma once
#include "engine/rewards/reward.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace engine {

inline constexpr std::int64_t kScoredFrames = 8;  ///< of a video, for scorers that take long over an image

/// Returns at most @p most frames of each video, evenly spaced from the first to the last. Images are returned as they are.
/// @param images as in RewardBatch
at::Tensor evenlySpacedFrames(const at::Tensor& images, std::int64_t most);

/// Returns the mean score of each video's frames, or the scores of images.
/// @param score of a batch of images @return [b]
at::Tensor meanOverFrames(const RewardBatch& batch, const std::function<at::Tensor(const RewardBatch& images)>& score);

}  // namespace engine
