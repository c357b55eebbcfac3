#include "engine/rewards/video_frames.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/tensor.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

bool areVideos(const at::Tensor& images) { return images.dim() == 5; }

}  // namespace

at::Tensor evenlySpacedFrames(const at::Tensor& images, std::int64_t most)
{
    if (!areVideos(images) || images.size(1) <= most)
        return images;
    const std::int64_t frames = images.size(1);
    std::vector<std::int64_t> picked;
    for (std::int64_t i = 0; i < most; ++i)
        picked.push_back(most == 1 ? 0 : i * (frames - 1) / (most - 1));
    return images.index_select(1, at::tensor(picked, images.options().dtype(at::kLong)));
}

at::Tensor meanOverFrames(const RewardBatch& batch, const std::function<at::Tensor(const RewardBatch& images)>& score)
{
    if (!areVideos(batch.images))
        return score(batch);
    const std::int64_t frames = batch.images.size(1);
    RewardBatch images {batch.images.flatten(0, 1), {}};
    for (const Prompt* prompt : batch.prompts)
        images.prompts.insert(images.prompts.end(), static_cast<std::size_t>(frames), prompt);
    return score(images).view({-1, frames}).mean(1);
}

}  // namespace engine
