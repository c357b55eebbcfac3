#include "engine/shard/arena.h"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>

#include <algorithm>
#include <numeric>

namespace engine {
namespace {

constexpr std::size_t kByteAlignment = 256;
constexpr std::size_t kSmallestChunk = std::size_t {4} << 20;

std::size_t aligned(std::size_t bytes) { return (bytes + kByteAlignment - 1) / kByteAlignment * kByteAlignment; }

}  // namespace

at::Tensor Arena::allocate(at::IntArrayRef shape, at::ScalarType dtype)
{
    const auto elements
        = std::accumulate(shape.begin(), shape.end(), std::int64_t {1}, std::multiplies<>());
    const std::size_t bytes = aligned(static_cast<std::size_t>(elements) * c10::elementSize(dtype));
    while (m_chunk < m_chunks.size() && m_used + bytes > m_chunks[m_chunk].bytes) {
        ++m_chunk;
        m_used = 0;
    }
    if (m_chunk == m_chunks.size())
        addChunk(bytes);
    const auto offset = static_cast<std::int64_t>(m_used / c10::elementSize(dtype));
    m_used += bytes;
    std::size_t inUse = m_used;
    for (std::size_t i = 0; i < m_chunk; ++i)
        inUse += m_chunks[i].bytes;
    m_peak = std::max(m_peak, inUse);

    const auto key = m_device.is_cuda() ? c10::DispatchKey::CUDA : c10::DispatchKey::CPU;
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(m_chunks[m_chunk].storage),
        c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(dtype));
    tensor.unsafeGetTensorImpl()->set_storage_offset(offset);
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
    return tensor;
}

void Arena::addChunk(std::size_t atLeast)
{
    // Doubling, so that a pass of any size takes a handful of chunks the first time, and then one.
    const std::size_t bytes = std::max({kSmallestChunk, atLeast, m_chunks.empty() ? m_peak : allocatedBytes()});
    const auto memory = at::empty({static_cast<std::int64_t>(bytes)},
        at::TensorOptions().dtype(at::kByte).device(m_device));
    m_chunks.push_back({memory.storage(), bytes});
    m_chunk = m_chunks.size() - 1;
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
