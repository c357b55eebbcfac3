// Layers over videos in which a frame depends on itself and on earlier ones, so that a video goes through in chunks.
// Dims: B videos, C channels, F frames, H × W.
#pragma once
#include "engine/model/weight_lookup.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace engine {

/// What layers remember of the chunks before, one slot for each layer in the order in which they run.
class FrameMemory {
public:
    /// @param isLast nothing needs to be remembered any more: a lone picture costs no memory
    void beginChunk(bool isFirst, bool isLast);

    bool isFirstChunk() const { return m_isFirst; }
    /// The next layer's slot, for this chunk.
    std::size_t takeSlot();
    const at::Tensor& at(std::size_t slot) const { return m_frames[slot]; }  ///< undefined: nothing yet
    /// Keeps the last @p count frames of @p frames, in memory of their own.
    void keep(std::size_t slot, const at::Tensor& frames, std::int64_t count);

private:
    std::vector<at::Tensor> m_frames;
    std::size_t m_next = 0;
    bool m_isFirst = true, m_isLast = true;
};

/// A convolution over three frames, this one and the two before (zeros before the first), and @p extent × @p extent
/// elements, that keeps the size. @param x [B, C, F, H, W] → [B, channels, F, H, W]; @param extent odd
at::Tensor causalConvolution(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, std::int64_t extent,
    FrameMemory& memory);

/// Each element by itself.
at::Tensor pointwise(const WeightScope& weights, const at::Tensor& x, std::int64_t channels);

/// Half the frames, but the first chunk's, which is one frame, as it is.
at::Tensor halvedFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory);

/// Twice the frames, but the first chunk's, which is one frame, as it is.
at::Tensor doubledFrames(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory);

/// x / |x| √C gamma, the length over channels. @param x [B, C, …]
at::Tensor normedOverChannels(const WeightScope& weights, const at::Tensor& x);

/// [B, C, F, H, W] → [B · F, C, H, W], and back.
at::Tensor framesAsPictures(const at::Tensor& x);
at::Tensor picturesAsFrames(const at::Tensor& pictures, std::int64_t videos);

}  // namespace engine
