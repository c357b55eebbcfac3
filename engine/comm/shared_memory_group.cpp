#include "engine/comm/shared_memory_group.h"

#include "engine/comm/shared_sum.h"

#include <ATen/Parallel.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/ScalarType.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace engine {
namespace {

constexpr std::int64_t kStagingBytes = 1 << 20;

}  // namespace

struct SharedMemoryGroup::Arrival : Pending::Work {
    Arrival(SharedMemory& shared, std::uint32_t number, std::string name)
        : memory(shared)
        , collective(number)
        , what(std::move(name))
    {
    }
    void wait() override { memory.await(&RankCounters::arrived, collective, what); }
    SharedMemory& memory;
    std::uint32_t collective;
    std::string what;
};

struct SharedMemoryGroup::Sum final : SharedMemoryGroup::Arrival {
    using Arrival::Arrival;
    void wait() override
    {
        Arrival::wait();
        constexpr std::int64_t kGrain = 1 << 16;
        at::parallel_for(0, shard.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            addUp(sources, dtype, begin, shard.data_ptr<float>() + begin, end - begin, adds);
        });
    }
    std::vector<const void*> sources;  ///< this rank's slot of every rank's tensor
    at::ScalarType dtype {};
    at::Tensor shard;
    bool adds = false;
};

SharedMemoryGroup::SharedMemoryGroup(std::unique_ptr<SharedMemory> memory, int rank, int size)
    : Group(rank, size)
    , m_memory(std::move(memory))
    , m_staging(m_memory->allocate(kStagingBytes))
{
}

at::Tensor SharedMemoryGroup::allocate(std::int64_t bytes, Sharing sharing, c10::Device device)
{
    if (sharing == Sharing::None)
        return Group::allocate(bytes, sharing, device);
    std::byte* block = nullptr;
    if (sharing == Sharing::OneCopy) {
        block = m_memory->allocateOneCopy(bytes);
        m_oneCopies[block] = static_cast<std::size_t>(bytes);
    } else {
        auto blocks = m_memory->allocate(bytes);
        block = blocks[static_cast<std::size_t>(rank())];
        m_blocks[block] = std::move(blocks);
    }
    return at::from_blob(block, {bytes}, at::TensorOptions().dtype(at::kByte));
}

std::uint32_t SharedMemoryGroup::noteRelease() { return m_memory->advance(&RankCounters::released); }

void SharedMemoryGroup::awaitRelease(std::uint32_t ticket)
{
    m_memory->await(&RankCounters::released, ticket, "release of a shared buffer");
}

Pending SharedMemoryGroup::startAllGather(const at::Tensor& full, const std::string& what)
{
    const std::string name = "all-gather of " + what;
    if (!m_oneCopies.contains(full.data_ptr())) {
        exchange(full, name);
        return {};
    }
    m_collectives = m_memory->advance(&RankCounters::arrived);
    return Pending(std::make_unique<Arrival>(*m_memory, m_collectives, name));
}

/// Through the staging memory, a piece at a time.
void SharedMemoryGroup::exchange(const at::Tensor& full, const std::string& what)
{
    auto* const to = static_cast<std::byte*>(full.data_ptr());
    const auto slot = static_cast<std::int64_t>(full.nbytes()) / size();
    for (std::int64_t begin = 0; begin < slot; begin += kStagingBytes) {
        const std::int64_t count = std::min(kStagingBytes, slot - begin);
        const auto bytes = static_cast<std::size_t>(count);
        std::memcpy(m_staging[static_cast<std::size_t>(rank())], to + rank() * slot + begin, bytes);
        barrier(what);
        for (int peer = 0; peer < size(); ++peer) {
            if (peer != rank())
                std::memcpy(to + peer * slot + begin, m_staging[static_cast<std::size_t>(peer)], bytes);
        }
        barrier(what);
    }
}

Pending SharedMemoryGroup::startReduceScatter(const at::Tensor&, const at::Tensor&, const std::string& what)
{
    throw std::logic_error("reduce-scatter of " + what + ": ranks that share memory use startSum");
}

Pending SharedMemoryGroup::startSum(
    const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what)
{
    m_collectives = m_memory->advance(&RankCounters::arrived);
    auto sum = std::make_unique<Sum>(*m_memory, m_collectives, "reduction of " + what);
    const auto offset = rank() * shard.numel() * static_cast<std::int64_t>(c10::elementSize(full.scalar_type()));
    for (const std::byte* block : m_blocks.at(full.data_ptr()))
        sum->sources.push_back(block + offset);
    sum->dtype = full.scalar_type();
    sum->shard = shard;
    sum->adds = adds;
    return Pending(std::move(sum));
}

Pending SharedMemoryGroup::startAllReduce(const at::Tensor& values, const std::string& what)
{
    // Two places in turn: who writes the next but one knows that all have read this one.
    const at::Tensor wide = values.to(at::kDouble).contiguous().view({-1});
    auto* const data = wide.data_ptr<double>();
    for (std::int64_t begin = 0; begin < wide.numel(); begin += RankCounters::kSmallValues) {
        const auto count = static_cast<std::size_t>(
            std::min<std::int64_t>(RankCounters::kSmallValues, wide.numel() - begin));
        const std::size_t place = (m_sums + 1) % 2;
        std::memcpy(m_memory->counters(rank()).small[place], data + begin, count * sizeof(double));
        m_sums = m_memory->advance(&RankCounters::summed);
        m_memory->await(&RankCounters::summed, m_sums, "all-reduce of " + what);
        for (std::size_t i = 0; i < count; ++i) {
            double sum = 0;
            for (int peer = 0; peer < size(); ++peer)
                sum += m_memory->counters(peer).small[place][i];
            data[static_cast<std::size_t>(begin) + i] = sum;
        }
    }
    if (!wide.is_alias_of(values))
        values.copy_(wide.view(values.sizes()));
    return {};
}

Pending SharedMemoryGroup::startBarrier(const std::string& what)
{
    m_collectives = m_memory->advance(&RankCounters::arrived);
    return Pending(std::make_unique<Arrival>(*m_memory, m_collectives, "barrier " + what));
}

}  // namespace engine
