// Layers over videos in which a frame depends only on itself and on earlier frames, so that a video is processed in chunks.
// Dims: B videos, C channels, F frames, H × W.
#pragma once
#include "engine/weights/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// The last frames that each layer keeps from the previous chunk: one slot per layer, in the order in which the layers run.
class FrameMemory {
public:
    /// Starts a chunk: the next takeSlot() returns the first slot.
    /// @param isLast no chunk follows, so keep() stores nothing; a single image thus costs no memory
    void beginChunk(bool isFirst, bool isLast);

    bool isFirstChunk() const { return m_isFirst; }
    /// Returns the slot of the next layer in this chunk. Each layer calls it once per chunk.
    std::size_t takeSlot();
    const at::Tensor& at(std::size_t slot) const { return m_frames[slot]; }  ///< undefined in the first chunk
    /// Stores a copy of the last @p count frames of @p frames.
    void keep(std::size_t slot, const at::Tensor& frames, std::int64_t count);

private:
    std::vector<at::Tensor> m_frames;
    std::size_t m_next = 0;
    bool m_isFirst = true, m_isLast = true;
};

/// A size-preserving convolution over three frames, the current one and the two before it (zeros before the first), and
/// @p extent × @p extent elements. @param x [B, C, F, H, W] → [B, channels, F, H, W]; @param extent odd
at::Tensor causalConvolution(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, std::int64_t extent,
    FrameMemory& memory);

/// A 1 × 1 × 1 convolution.
at::Tensor pointwise(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Halves the number of frames. The first chunk, which is one frame, is returned unchanged.
at::Tensor halvedFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory);

/// Doubles the number of frames. The first chunk, which is one frame, is returned unchanged.
at::Tensor doubledFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory);

/// x / |x| · √C · gamma, where |x| is the L2 norm over channels. @param x [B, C, …]
at::Tensor normedOverChannels(const WeightScope& weights, const at::Tensor& x);

/// [B, C, F, H, W] → [B · F, C, H, W].
at::Tensor framesAsImages(const at::Tensor& x);
/// The inverse of framesAsImages(). @param videos B
at::Tensor imagesAsFrames(const at::Tensor& images, std::int64_t videos);

}  // namespace engine
