// Buffers for gathered parameters and gradients, reused for the life of the model.
#pragma once
#include "engine/comm/group.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace engine {

std::int64_t bytesOf(std::int64_t elements, at::ScalarType dtype);

/// Hands out byte buffers with undefined contents; a released buffer is reused for the next request of the same size and
/// sharing. Use it on one thread; where memory is shared, all ranks acquire and release in the same order. On CUDA,
/// reuse is ordered by the current stream, which collectives wait for when they start.
class BufferPool {
public:
    BufferPool(Group& group, c10::Device device)
        : m_group(group)
        , m_device(device)
    {
    }

    /// Blocks until no rank reads the buffer any more. @return [bytes] uint8
    at::Tensor acquire(std::int64_t bytes, Sharing sharing);
    void release(at::Tensor buffer, Sharing sharing);

    c10::Device device() const { return m_device; }
    std::int64_t allocatedBytes() const { return m_allocatedBytes; }

    /// The free buffers, to come back to. See trim().
    using Reserve = std::map<std::pair<Sharing, std::int64_t>, std::size_t>;
    Reserve reserve() const;
    /// Gives the memory of free buffers beyond those of @p reserve back. Collective where memory is shared.
    void trim(const Reserve& reserve);

private:
    struct Free {
        at::Tensor buffer;
        std::uint32_t ticket;  ///< see Group::awaitRelease
    };
    Group& m_group;
    c10::Device m_device;
    std::int64_t m_allocatedBytes = 0;
    std::map<std::pair<Sharing, std::int64_t>, std::vector<Free>> m_free;
};

}  // namespace engine
