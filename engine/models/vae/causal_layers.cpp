#include "engine/models/vae/causal_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv3d.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace engine {
namespace {

constexpr std::int64_t kEarlierFrames = 2;  ///< earlier frames that a causal convolution reads

at::Tensor joinedFrames(const at::Tensor& earlier, const at::Tensor& later)
{
    return at::cat(std::vector<at::Tensor> {earlier, later}, 2);
}

at::Tensor zeroFrames(const at::Tensor& like, std::int64_t count)
{
    auto shape = like.sizes().vec();
    shape[2] = count;
    return at::zeros(shape, like.options());
}

}  // namespace

void FrameMemory::beginChunk(bool isFirst, bool isLast)
{
    m_next = 0;
    m_isFirst = isFirst;
    m_isLast = isLast;
}

std::size_t FrameMemory::takeSlot()
{
    if (m_next == m_frames.size())
        m_frames.emplace_back();
    return m_next++;
}

void FrameMemory::keep(std::size_t slot, const at::Tensor& frames, std::int64_t count)
{
    m_frames[slot] = m_isLast ? at::Tensor() : frames.narrow(2, frames.size(2) - count, count).clone();
}

at::Tensor causalConvolution(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, std::int64_t extent,
    FrameMemory& memory)
{
    const at::Tensor weight = weights("weight", {channels, x.size(1), kEarlierFrames + 1, extent, extent});
    const at::Tensor bias = weights("bias", {channels});
    const std::int64_t margin = extent / 2;
    const std::size_t slot = memory.takeSlot();
    if (!memory.at(slot).defined() && x.size(2) == 1) {
        // The frames before it are zeros, so only the last frame of the kernel contributes.
        memory.keep(slot, joinedFrames(zeroFrames(x, 1), x), kEarlierFrames);
        return at::conv2d(x.squeeze(2), weight.select(2, kEarlierFrames), bias, 1, margin).unsqueeze(2);
    }
    const at::Tensor before = memory.at(slot).defined() ? memory.at(slot) : zeroFrames(x, kEarlierFrames);
    const at::Tensor frames = joinedFrames(before, x);
    memory.keep(slot, frames, kEarlierFrames);
    return at::conv3d(frames, weight, bias, 1, {0, margin, margin});
}

at::Tensor pointwise(const WeightScope& weights, const at::Tensor& x, std::int64_t channels)
{
    return at::conv3d(x, weights("weight", {channels, x.size(1), 1, 1, 1}), weights("bias", {channels}));
}

at::Tensor halvedFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory)
{
    const std::int64_t channels = x.size(1);
    const std::size_t slot = memory.takeSlot();
    const at::Tensor before = memory.at(slot);
    memory.keep(slot, x, 1);
    if (memory.isFirstChunk())
        return x;
    return at::conv3d(joinedFrames(before, x), weights("weight", {channels, channels, 3, 1, 1}),
        weights("bias", {channels}), {2, 1, 1});
}

at::Tensor doubledFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory)
{
    if (memory.isFirstChunk()) {
        memory.takeSlot();
        return x;
    }
    const at::Tensor pairs = causalConvolution(weights, x, 2 * x.size(1), 1, memory);
    return pairs.reshape({x.size(0), 2, x.size(1), x.size(2), x.size(3), x.size(4)})
        .permute({0, 2, 3, 1, 4, 5})
        .reshape({x.size(0), x.size(1), 2 * x.size(2), x.size(3), x.size(4)});
}

at::Tensor normedOverChannels(const WeightScope& weights, const at::Tensor& x)
{
    constexpr double kMinNorm = 1e-12;
    std::vector<std::int64_t> shape(static_cast<std::size_t>(x.dim() - 1), 1);
    shape[0] = x.size(1);
    const at::Tensor norm = at::linalg_vector_norm(x, 2, {1}, true).clamp_min(kMinNorm);
    return x / norm * std::sqrt(static_cast<double>(x.size(1))) * weights("gamma", shape);
}

at::Tensor framesAsImages(const at::Tensor& x) { return x.transpose(1, 2).flatten(0, 1); }

at::Tensor imagesAsFrames(const at::Tensor& images, std::int64_t videos)
{
    return images.reshape({videos, -1, images.size(1), images.size(2), images.size(3)}).transpose(1, 2);
}

}  // namespace engine
