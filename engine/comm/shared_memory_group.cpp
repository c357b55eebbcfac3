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

constexpr std::int64_t kPieceBytes = 1 << 20;
constexpr std::int64_t kGrain = 1 << 16;

/// Calls @p work(begin, count) for ranges that cover all bytes, from all threads.
template <typename Work>
void inParallel(std::int64_t bytes, Work work)
{
    at::parallel_for(0, bytes, kGrain * 4,
        [&](std::int64_t begin, std::int64_t end) { work(begin, static_cast<std::size_t>(end - begin)); });
}

}  // namespace

struct SharedMemoryGroup::Arrival : Pending::Work {
    Arrival(SharedMemory& shared, std::uint32_t number, std::string name)
        : Work(std::move(name))
        , memory(shared)
        , collective(number)
    {
    }
    void wait() override { memory.await(&RankCounters::arrived, collective, what); }
    SharedMemory& memory;
    std::uint32_t collective;
};

struct SharedMemoryGroup::Sum final : SharedMemoryGroup::Arrival {
    using Arrival::Arrival;
    void wait() override
    {
        Arrival::wait();
        at::parallel_for(0, shard.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
            addUp(sources, dtype, begin, shard.data_ptr<float>() + begin, end - begin, adds);
        });
    }
    std::vector<const void*> sources;  ///< this rank's slot of every rank's tensor
    at::ScalarType dtype {};
    at::Tensor shard;
    bool adds = false;
};

/// Copies parts of what the other ranks have published.
struct SharedMemoryGroup::Copies final : SharedMemoryGroup::Arrival {
    Copies(SharedMemoryGroup& all, std::string name)
        : Arrival(*all.m_memory, all.m_collectives, std::move(name))
        , group(all)
    {
    }
    void wait() override
    {
        Arrival::wait();
        for (const auto& [from, to, bytes] : parts)
            inParallel(bytes, [from = from, to = to](std::int64_t begin, std::size_t count) {
                std::memcpy(to + begin, from + begin, count);
            });
        group.m_stagingTicket = group.noteRelease();
    }
    struct Part {
        const std::byte* from;
        std::byte* to;
        std::int64_t bytes;
    };
    SharedMemoryGroup& group;
    std::vector<Part> parts;
    at::Tensor out;  ///< kept alive
};

SharedMemoryGroup::SharedMemoryGroup(std::unique_ptr<SharedMemory> memory, int rank, int size)
    : Group(rank, size)
    , m_memory(std::move(memory))
    , m_staging(m_memory->allocate(kPieceBytes))
    , m_stagingBytes(kPieceBytes)
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

void SharedMemoryGroup::free(const at::Tensor& buffer, std::uint32_t ticket)
{
    const auto* const block = static_cast<const std::byte*>(buffer.const_data_ptr());
    if (m_oneCopies.erase(block) + m_blocks.erase(block) == 0)
        return;
    awaitRelease(ticket);
    m_memory->free(block);
}

std::uint32_t SharedMemoryGroup::noteRelease() { return m_memory->advance(&RankCounters::released); }

void SharedMemoryGroup::finishRelease(std::uint32_t ticket)
{
    m_memory->await(&RankCounters::released, ticket, "release of a shared buffer");
}

Pending SharedMemoryGroup::startAllGather(const at::Tensor& full, const std::string& what)
{
    const std::string name = "all-gather of " + what;
    if (!m_oneCopies.contains(full.data_ptr())) {
        gather(full, name);
        return {};
    }
    m_collectives = m_memory->advance(&RankCounters::arrived);
    return Pending(std::make_unique<Arrival>(*m_memory, m_collectives, name));
}

/// Copies @p data into this rank's staging memory, where the others read it. The memory grows to the largest size requested.
void SharedMemoryGroup::publish(const void* data, std::int64_t bytes)
{
    awaitRelease(m_stagingTicket);
    if (bytes > m_stagingBytes) {
        m_memory->free(m_staging[static_cast<std::size_t>(rank())]);
        m_staging = m_memory->allocate(bytes);
        m_stagingBytes = bytes;
    }
    auto* const to = m_staging[static_cast<std::size_t>(rank())];
    const auto* const from = static_cast<const std::byte*>(data);
    inParallel(bytes, [=](std::int64_t begin, std::size_t count) { std::memcpy(to + begin, from + begin, count); });
    m_collectives = m_memory->advance(&RankCounters::arrived);
}

void SharedMemoryGroup::gather(const at::Tensor& full, const std::string& what)
{
    auto* const to = static_cast<std::byte*>(full.data_ptr());
    const auto slot = static_cast<std::int64_t>(full.nbytes()) / size();
    for (std::int64_t begin = 0; begin < slot; begin += kPieceBytes) {
        const std::int64_t count = std::min(kPieceBytes, slot - begin);
        publish(to + rank() * slot + begin, count);
        m_memory->await(&RankCounters::arrived, m_collectives, what);
        for (int peer = 0; peer < size(); ++peer) {
            if (peer != rank())
                std::memcpy(to + peer * slot + begin, m_staging[static_cast<std::size_t>(peer)],
                    static_cast<std::size_t>(count));
        }
        m_stagingTicket = noteRelease();
    }
}

void SharedMemoryGroup::sumInPieces(const at::Tensor& values, const std::string& what)
{
    auto* const data = values.data_ptr<float>();
    const std::int64_t most = kPieceBytes / static_cast<std::int64_t>(sizeof(float));
    for (std::int64_t first = 0; first < values.numel(); first += most) {
        const std::int64_t count = std::min(most, values.numel() - first);
        publish(data + first, count * static_cast<std::int64_t>(sizeof(float)));
        m_memory->await(&RankCounters::arrived, m_collectives, what);
        const std::vector<const void*> sources(m_staging.begin(), m_staging.end());
        at::parallel_for(0, count, kGrain, [&](std::int64_t begin, std::int64_t end) {
            addUp(sources, at::kFloat, begin, data + first + begin, end - begin, false);
        });
        m_stagingTicket = noteRelease();
    }
}

Pending SharedMemoryGroup::startReduceScatter(const at::Tensor&, const at::Tensor&, const std::string& what)
{
    throw std::logic_error("reduce-scatter of " + what + ": ranks that share memory must use startSum");
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

Pending SharedMemoryGroup::startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    publish(in.data_ptr(), static_cast<std::int64_t>(in.nbytes()));
    auto copies = std::make_unique<Copies>(*this, "all-to-all of " + what);
    copies->out = out;
    const auto slot = static_cast<std::int64_t>(in.nbytes()) / size();
    for (int peer = 0; peer < size(); ++peer)
        copies->parts.push_back({m_staging[static_cast<std::size_t>(peer)] + rank() * slot,
            static_cast<std::byte*>(out.data_ptr()) + peer * slot, slot});
    return Pending(std::move(copies));
}

Pending SharedMemoryGroup::startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    publish(in.data_ptr(), static_cast<std::int64_t>(in.nbytes()));
    auto copies = std::make_unique<Copies>(*this, "shift of " + what);
    copies->out = out;
    const auto before = static_cast<std::size_t>((rank() + size() - 1) % size());
    copies->parts.push_back({m_staging[before], static_cast<std::byte*>(out.data_ptr()),
        static_cast<std::int64_t>(out.nbytes())});
    return Pending(std::move(copies));
}

Pending SharedMemoryGroup::startAllReduce(const at::Tensor& values, const std::string& what)
{
    if (values.scalar_type() == at::kFloat && values.numel() > static_cast<std::int64_t>(RankCounters::kSmallValues)) {
        sumInPieces(values, "all-reduce of " + what);
        return {};
    }
    // Two places in turn: a rank that writes a place again has awaited the sum in between, to which every rank contributed
    // only after it had read this place.
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
