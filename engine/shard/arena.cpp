#include "engine/shard/arena.h"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/TensorOptions.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

constexpr std::size_t kByteAlignment = 256;
constexpr std::size_t kSmallestChunk = std::size_t {4} << 20;
constexpr std::size_t kGrowthShare = 8;  ///< a further chunk adds at most this fraction of the memory, or what one tensor needs

std::size_t aligned(std::size_t bytes) { return (bytes + kByteAlignment - 1) / kByteAlignment * kByteAlignment; }

}  // namespace

at::Tensor Arena::allocate(at::IntArrayRef shape, at::ScalarType dtype)
{
    const auto elements
        = std::accumulate(shape.begin(), shape.end(), std::int64_t {1}, std::multiplies<>());
    const std::size_t bytes = aligned(static_cast<std::size_t>(elements) * c10::elementSize(dtype));
    while (m_chunks.empty() || m_used + bytes > m_chunks[m_chunk].bytes)
        useNextChunk(bytes);
    const auto offset = static_cast<std::int64_t>(m_used / c10::elementSize(dtype));
    m_used += bytes;
    m_peak = std::max(m_peak, m_chunks[m_chunk].usedBefore + m_used);

    const c10::DispatchKey key = c10::computeDispatchKey(dtype, c10::kStrided, m_device);
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(m_chunks[m_chunk].storage),
        c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(dtype));
    tensor.unsafeGetTensorImpl()->set_storage_offset(offset);
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
    return tensor;
}

void Arena::useNextChunk(std::size_t atLeast)
{
    const std::size_t usedBefore = m_chunks.empty() ? 0 : m_chunks[m_chunk].usedBefore + m_used;
    const std::size_t next = m_chunks.empty() ? 0 : m_chunk + 1;
    if (next == m_chunks.size()) {
        // Further chunks are small, since a pass that needs a little more than the largest so far must not take twice as much.
        const std::size_t bytes = std::max({kSmallestChunk, atLeast, m_chunks.empty() ? m_peak : allocatedBytes() / kGrowthShare});
        const auto memory = at::empty({static_cast<std::int64_t>(bytes)},
            at::TensorOptions().dtype(at::kByte).device(m_device));
        m_chunks.push_back({memory.storage(), bytes, 0});
    }
    m_chunk = next;
    m_chunks[m_chunk].usedBefore = usedBefore;
    m_used = 0;
}

void Arena::release(Mark mark) noexcept
{
    m_chunk = mark.chunk;
    m_used = mark.used;
    if (m_chunk == 0 && m_used == 0 && m_chunks.size() > 1)
        m_chunks.clear();
}

std::size_t Arena::allocatedBytes() const
{
    return std::accumulate(m_chunks.begin(), m_chunks.end(), std::size_t {0},
        [](std::size_t sum, const Chunk& chunk) { return sum + chunk.bytes; });
}

}  // namespace engine
