#include "engine/shard/buffer_pool.h"

namespace engine {

std::int64_t bytesOf(std::int64_t elements, at::ScalarType dtype)
{
    return elements * static_cast<std::int64_t>(c10::elementSize(dtype));
}

at::Tensor BufferPool::acquire(std::int64_t bytes, Sharing sharing)
{
    auto& free = m_free[{sharing, bytes}];
    if (free.empty()) {
        m_allocatedBytes += bytes;
        return m_group.allocate(bytes, sharing, m_device);
    }
    Free last = std::move(free.back());
    free.pop_back();
    if (sharing != Sharing::None)
        m_group.awaitRelease(last.ticket);
    return std::move(last.buffer);
}

void BufferPool::release(at::Tensor buffer, Sharing sharing)
{
    const std::uint32_t ticket = sharing == Sharing::None ? 0 : m_group.noteRelease();
    m_free[{sharing, buffer.numel()}].push_back({std::move(buffer), ticket});
}

BufferPool::Reserve BufferPool::reserve() const
{
    Reserve reserve;
    for (const auto& [kind, free] : m_free)
        reserve[kind] = free.size();
    return reserve;
}

void BufferPool::trim(const Reserve& reserve)
{
    for (auto& [kind, free] : m_free) {
        const auto& [sharing, bytes] = kind;
        const auto kept = reserve.find(kind);
        for (const std::size_t count = kept == reserve.end() ? 0 : kept->second; free.size() > count; free.pop_back()) {
            if (sharing != Sharing::None)
                m_group.free(free.back().buffer, free.back().ticket);
            m_allocatedBytes -= bytes;
        }
    }
}

}  // namespace engine
