#include "engine/shard/arena.h"

#include <ATen/ops/empty.h>
#include <c10/core/ScalarType.h>
#include <c10/core/TensorImpl.h>
#include <c10/core/TensorOptions.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace engine {
namespace {

constexpr std::size_t kByteAlignment = 256;
constexpr std::size_t kSmallestChunk = std::size_t {4} << 20;
constexpr std::size_t kGrowthShare = 8;  ///< a further chunk adds at most this fraction of the memory, or what one tensor needs

std::size_t aligned(std::size_t bytes) { return (bytes + kByteAlignment - 1) / kByteAlignment * kByteAlignment; }

std::size_t bytesOf(at::IntArrayRef shape, at::ScalarType dtype)
{
    const auto elements = std::accumulate(shape.begin(), shape.end(), std::int64_t {1}, std::multiplies<>());
    return aligned(static_cast<std::size_t>(elements) * c10::elementSize(dtype));
}

}  // namespace

at::Tensor Arena::allocate(at::IntArrayRef shape, at::ScalarType dtype)
{
    const std::size_t bytes = bytesOf(shape, dtype);
    while (m_chunks.empty() || m_top.used + bytes > m_chunks[m_top.chunk].bytes)
        useNextChunk(bytes);
    const Mark place = m_top;
    m_top.used += bytes;
    m_peak = std::max(m_peak, m_chunks[m_top.chunk].usedBefore + m_top.used);
    return tensorAt(place, shape, dtype);
}

at::Tensor Arena::tensorAt(Mark place, at::IntArrayRef shape, at::ScalarType dtype) const
{
    const c10::DispatchKey key = c10::computeDispatchKey(dtype, c10::kStrided, m_device);
    auto tensor = at::detail::make_tensor<c10::TensorImpl>(c10::Storage(m_chunks[place.chunk].storage),
        c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(dtype));
    tensor.unsafeGetTensorImpl()->set_storage_offset(static_cast<std::int64_t>(place.used / c10::elementSize(dtype)));
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous(shape);
    return tensor;
}

void Arena::useNextChunk(std::size_t atLeast)
{
    const std::size_t usedBefore = m_chunks.empty() ? 0 : m_chunks[m_top.chunk].usedBefore + m_top.used;
    const std::size_t next = m_chunks.empty() ? 0 : m_top.chunk + 1;
    if (next == m_chunks.size()) {
        // Further chunks are small, since a pass that needs a little more than the largest so far must not take twice as much.
        const std::size_t bytes = std::max({kSmallestChunk, atLeast, m_chunks.empty() ? m_peak : allocatedBytes() / kGrowthShare});
        const auto memory = at::empty({static_cast<std::int64_t>(bytes)},
            at::TensorOptions().dtype(at::kByte).device(m_device));
        m_chunks.push_back({memory.storage(), bytes, 0});
    }
    m_top = {.chunk = next, .used = 0};
    m_chunks[next].usedBefore = usedBefore;
}

void Arena::release(Mark mark) noexcept
{
    std::erase_if(m_retired, [&](const Range& range) { return mark <= Mark {range.chunk, range.begin}; });
    if (mark < m_floor)
        m_pending = mark;
    m_top = std::max(mark, m_floor);
    if (m_top == Mark() && m_chunks.size() > 1)
        m_chunks.clear();
}

void Arena::retire(Mark begin, Mark end)
{
    while (begin < end) {
        const std::size_t until = begin.chunk == end.chunk ? end.used : m_chunks[begin.chunk].bytes;
        m_retiredBytes += until - begin.used;
        const auto above = std::ranges::find_if(m_retired,
            [&](const Range& range) { return range.chunk == begin.chunk && range.begin == until; });
        if (above != m_retired.end())
            above->begin = begin.used;
        else if (begin.used < until)
            m_retired.push_back({begin.chunk, begin.used, until});
        begin = {.chunk = begin.chunk + 1, .used = 0};
    }
}

at::Tensor Arena::allocateLasting(at::IntArrayRef shape, at::ScalarType dtype)
{
    const std::size_t bytes = bytesOf(shape, dtype);
    const auto range = std::ranges::find_if(m_retired, [&](const Range& own) { return own.end - own.begin >= bytes; });
    if (range == m_retired.end())
        return {};
    range->end -= bytes;  // from its end: what is retired next lies before its beginning
    if (m_floor == Mark())
        m_pending = m_top;
    m_floor = std::max(m_floor, Mark {range->chunk, range->end + bytes});
    return tensorAt({range->chunk, range->end}, shape, dtype);
}

std::size_t Arena::roomInFirstPass(std::size_t peak, std::size_t piece)
{
    std::size_t room = 0;
    for (std::size_t total = 0; total < peak;) {
        const std::size_t used = std::min(std::max(kSmallestChunk, total / kGrowthShare), peak - total);
        room += used / aligned(piece) * aligned(piece);
        total += used;
    }
    return room;
}

void Arena::reclaim() noexcept
{
    m_retired.clear();
    m_retiredBytes = 0;
    if (const Mark floor = std::exchange(m_floor, Mark()); m_top == floor && floor != Mark())
        release(m_pending);
}

std::size_t Arena::allocatedBytes() const
{
    return std::accumulate(m_chunks.begin(), m_chunks.end(), std::size_t {0},
        [](std::size_t sum, const Chunk& chunk) { return sum + chunk.bytes; });
}

}  // namespace engine
