#include "engine/shard/buffer_pool.h"

#include <ATen/ops/empty.h>

namespace engine {

at::Tensor BufferPool::acquire(std::int64_t bytes)
{
    auto& free = m_free[bytes];
    if (free.empty()) {
        m_allocatedBytes += bytes;
        return at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(m_device));
    }
    at::Tensor buffer = std::move(free.back());
    free.pop_back();
    return buffer;
}

void BufferPool::release(at::Tensor buffer)
{
    m_free[buffer.numel()].push_back(std::move(buffer));
}

}  // namespace engine
