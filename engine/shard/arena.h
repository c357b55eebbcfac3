// Memory for the values of one pass through a model: a stack, since backward frees in reverse order.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include <cstddef>
#include <vector>

namespace engine {

/// Use it on one thread. Grows during the first passes; once it has the size that a pass needs, it allocates no more memory.
/// On CUDA, reuse is ordered by the current stream.
class Arena {
public:
    explicit Arena(c10::Device device)
        : m_device(device)
    {
    }

    /// Returns a contiguous tensor with undefined contents, 64-byte aligned (256 on CUDA). Valid until release() of a mark
    /// that was taken before.
    at::Tensor allocate(at::IntArrayRef shape, at::ScalarType dtype);

    struct Mark {
        std::size_t chunk = 0, used = 0;
    };
    Mark mark() const { return {m_chunk, m_used}; }

    /// Frees everything allocated since @p mark. When the arena becomes empty, several chunks are replaced by a single one, as
    /// large as the pass needed.
    void release(Mark mark) noexcept;

    c10::Device device() const { return m_device; }
    std::size_t allocatedBytes() const;
    std::size_t peakBytes() const { return m_peak; }  ///< the largest number of bytes in use at once

private:
    /// Goes on to the next chunk, which is allocated with @p atLeast bytes if there is none yet.
    void useNextChunk(std::size_t atLeast);

    struct Chunk {
        c10::Storage storage;
        std::size_t bytes = 0;
        std::size_t usedBefore = 0;  ///< bytes in use in all earlier chunks, while this one is in use
    };
    c10::Device m_device;
    std::vector<Chunk> m_chunks;
    std::size_t m_chunk = 0;  ///< the one that is being filled
    std::size_t m_used = 0;   ///< bytes used in that chunk
    std::size_t m_peak = 0;
};

}  // namespace engine
