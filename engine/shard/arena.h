// Memory for the values of one pass through a model: a stack, since backward frees in the reverse order.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/Storage.h>

#include <cstddef>
#include <vector>

namespace engine {

/// One thread. Grows while it learns how much a pass needs; from then on it asks nobody for memory. On CUDA,
/// reuse is ordered by the current stream.
class Arena {
public:
    explicit Arena(c10::Device device)
        : m_device(device)
    {
    }

    /// Contiguous, contents undefined, 64-byte aligned (256 on CUDA). Valid until a release() to a mark that
    /// was taken before.
    at::Tensor allocate(at::IntArrayRef shape, at::ScalarType dtype);

    struct Mark {
        std::size_t chunk = 0, used = 0;
    };
    Mark mark() const { return {m_chunk, m_used}; }

    /// Everything allocated since is gone. Back at the very bottom, several chunks make way for a single one.
    void release(Mark mark) noexcept;

    c10::Device device() const { return m_device; }
    std::size_t allocatedBytes() const;
    std::size_t peakBytes() const { return m_peak; }  ///< most in use at once

private:
    void addChunk(std::size_t atLeast);

    struct Chunk {
        c10::Storage storage;
        std::size_t bytes = 0;
    };
    c10::Device m_device;
    std::vector<Chunk> m_chunks;
    std::size_t m_chunk = 0;  ///< the one that is being filled
    std::size_t m_used = 0;   ///< bytes of it
    std::size_t m_peak = 0;
};

}  // namespace engine
