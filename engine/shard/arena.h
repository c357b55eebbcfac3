// Memory for the values of one pass through a model: a stack, since backward frees in reverse order.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include <compare>
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

        auto operator<=>(const Mark&) const = default;
    };
    Mark mark() const { return m_top; }

    /// Frees everything allocated since @p mark. When the arena becomes empty, several chunks are replaced by a single one, as
    /// large as the pass needed.
    void release(Mark mark) noexcept;

    /// Says that nothing reads any more what was allocated between the marks, though it has not been released.
    void retire(Mark begin, Mark end);

    /// Returns a tensor as allocate() does, in memory that has been retired; undefined if there is no room. Valid until reclaim(),
    /// even when marks that were taken before its memory was allocated are released meanwhile.
    at::Tensor allocateLasting(at::IntArrayRef shape, at::ScalarType dtype);

    /// Frees what allocateLasting() has returned. Call it between passes.
    void reclaim() noexcept;

    /// Whether the passes so far have found room in a single chunk, as later ones will.
    bool isSettled() const { return m_chunks.size() <= 1; }
    /// The bytes of all tensors, of @p piece bytes each, for which the retired chunks of a first pass have room that took @p peak bytes.
    static std::size_t roomInFirstPass(std::size_t peak, std::size_t piece);
    std::size_t retiredBytes() const { return m_retiredBytes; }  ///< since the last reclaim()

    c10::Device device() const { return m_device; }
    std::size_t allocatedBytes() const;
    std::size_t peakBytes() const { return m_peak; }  ///< the largest number of bytes in use at once

private:
    /// Goes on to the next chunk, which is allocated with @p atLeast bytes if there is none yet.
    void useNextChunk(std::size_t atLeast);
    at::Tensor tensorAt(Mark place, at::IntArrayRef shape, at::ScalarType dtype) const;

    struct Chunk {
        c10::Storage storage;
        std::size_t bytes = 0;
        std::size_t usedBefore = 0;  ///< bytes in use in all earlier chunks, while this one is in use
    };
    struct Range {
        std::size_t chunk = 0, begin = 0, end = 0;
    };
    c10::Device m_device;
    std::vector<Chunk> m_chunks;
    Mark m_top;  ///< the chunk that is being filled, and the bytes used in it
    std::size_t m_peak = 0;

    std::vector<Range> m_retired;  ///< without what lasts
    std::size_t m_retiredBytes = 0;
    Mark m_floor;    ///< the end of what lasts; nothing below it is released
    Mark m_pending;  ///< what would have been released without it
};

}  // namespace engine
