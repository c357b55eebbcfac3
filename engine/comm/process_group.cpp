#include "engine/comm/process_group.h"

#include "engine/comm/errors.h"
#include "engine/comm/shared_sum.h"

#include <ATen/ops/empty.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <c10/util/Exception.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace engine {
namespace {

bool contains(std::string_view text, std::initializer_list<std::string_view> words)
{
    return std::ranges::any_of(words, [text](std::string_view word) { return text.find(word) != text.npos; });
}

/// Gloo throws types that its older headers do not declare, derived from std::runtime_error; LibTorch throws c10::Error, and
/// DistError where another process is involved.
EngineError::Kind kindOf(const std::exception& error)
{
    using Kind = EngineError::Kind;
    const std::string_view text = error.what();
    if (isOutOfMemory(error))
        return Kind::OutOfMemory;
    if (const auto* known = dynamic_cast<const EngineError*>(&error))
        return known->kind();
    const bool isOfOthers = dynamic_cast<const c10::DistError*>(&error)
        || (!dynamic_cast<const c10::Error*>(&error) && !dynamic_cast<const std::logic_error*>(&error));
    if (!isOfOthers || contains(text, {"[enforce fail", "ncclInvalid", "ncclUnhandledCudaError", "ncclInternalError"}))
        return Kind::Failure;
    return contains(text, {"imed out", "imeout"}) ? Kind::Timeout : Kind::LostPeer;
}

/// Runs a collective and turns LibTorch's exceptions into EngineError.
template <typename Collective>
auto translated(const std::string& what, Collective collective)
{
    try {
        return collective();
    } catch (const std::exception& error) {
        const EngineError::Kind kind = kindOf(error);
        throw EngineError(kind, what + " failed: " + (kind == EngineError::Kind::OutOfMemory ? "out of memory" : firstLine(error)));
    }
}

void waitFor(c10d::Work& work, const std::string& what)
{
    if (!translated(what, [&] { return work.wait(); }))
        throw EngineError(EngineError::Kind::LostPeer, what + " failed: it was aborted");
}

struct Started final : Pending::Work {
    Started(c10::intrusive_ptr<c10d::Work> started, std::string name)
        : Pending::Work(std::move(name))
        , work(std::move(started))
    {
    }
    void wait() override { waitFor(*work, what); }
    c10::intrusive_ptr<c10d::Work> work;
};

struct StartedAll final : Pending::Work {
    using Pending::Work::Work;
    void wait() override
    {
        for (const auto& work : works)
            waitFor(*work, what);
    }
    std::vector<c10::intrusive_ptr<c10d::Work>> works;
};

template <typename Collective>
Pending start(const std::string& what, Collective collective)
{
    return Pending(std::make_unique<Started>(translated(what, collective), what));
}

}  // namespace

/// Sums the parts once those of all ranks have arrived.
struct ReceivedParts final : Pending::Work {
    ReceivedParts(std::string name, GlooGroup& receiver)
        : Pending::Work(std::move(name))
        , group(receiver)
    {
    }
    void wait() override
    {
        waitFor(*work, what);
        const std::int64_t count = shard.numel();
        const auto bytes = static_cast<std::size_t>(parts.nbytes()) / static_cast<std::size_t>(group.size());
        std::vector<const void*> sources;
        for (int rank = 0; rank < group.size(); ++rank)
            sources.push_back(static_cast<const std::byte*>(parts.const_data_ptr()) + static_cast<std::size_t>(rank) * bytes);
        addUp(sources, parts.scalar_type(), 0, shard.mutable_data_ptr<float>(), count, adds);
        at::Tensor memory = parts.view(at::kByte);
        group.m_freeBuffers[memory.numel()].push_back(std::move(memory));
    }
    GlooGroup& group;
    c10::intrusive_ptr<c10d::Work> work;
    at::Tensor parts;  ///< [size × n]: slot r came from rank r
    at::Tensor shard;  ///< [n] float32
    bool adds = false;
};

ProcessGroup::ProcessGroup(c10::intrusive_ptr<c10d::Backend> backend)
    : Group(backend->getRank(), backend->getSize())
    , m_backend(std::move(backend))
{
}

ProcessGroup::~ProcessGroup() = default;

Pending ProcessGroup::startAllGather(const at::Tensor& full, const std::string& what)
{
    return start("all-gather of " + what, [&] {
        const std::int64_t length = full.numel() / size();
        at::Tensor output = full;
        at::Tensor input = full.narrow(0, rank() * length, length);
        return m_backend->_allgather_base(output, input);
    });
}

Pending ProcessGroup::startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what)
{
    return start("reduce-scatter of " + what, [&] {
        at::Tensor output = shard;
        at::Tensor input = full;
        return m_backend->_reduce_scatter_base(output, input);
    });
}

Pending ProcessGroup::startAllReduce(const at::Tensor& values, const std::string& what)
{
    return start("all-reduce of " + what, [&] {
        std::vector<at::Tensor> tensors = {values};
        return m_backend->allreduce(tensors);
    });
}

Pending ProcessGroup::startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    return start("all-to-all of " + what, [&] {
        at::Tensor output = out.view({-1}), input = in.view({-1});
        std::vector<std::int64_t> even;
        return m_backend->alltoall_base(output, input, even, even);
    });
}

/// An all-to-all that sends everything to one rank: NCCL runs it as a send and a receive in one group call, which cannot
/// block each other.
Pending ProcessGroup::startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    return start("shift of " + what, [&] {
        at::Tensor output = out.view({-1}), input = in.view({-1});
        std::vector<std::int64_t> to(static_cast<std::size_t>(size())), from(to);
        to[static_cast<std::size_t>((rank() + 1) % size())] = input.numel();
        from[static_cast<std::size_t>((rank() + size() - 1) % size())] = output.numel();
        return m_backend->alltoall_base(output, input, from, to);
    });
}

Pending ProcessGroup::startBarrier(const std::string& what)
{
    return start("barrier " + what, [&] { return m_backend->barrier(); });
}

NcclGroup::NcclGroup(c10::intrusive_ptr<c10d::Backend> backend, std::chrono::milliseconds timeout, c10::DeviceType device)
    : ProcessGroup(std::move(backend))
    , m_timeout(timeout)
    , m_device(device)
{
}

Pending NcclGroup::startBarrier(const std::string& what)
{
    c10d::BarrierOptions options;
    if (m_device != c10::DeviceType::CPU)  // otherwise NCCL guesses a device from the rank
        options.device = c10::impl::VirtualGuardImpl(m_device).getDevice();
    return start("barrier " + what, [&] { return m_backend->barrier(options); });
}

void NcclGroup::throwIfFailed() const
{
    switch (m_backend->getError()) {
    case c10d::ErrorType::SUCCESS:
        return;
    case c10d::ErrorType::TIMEOUT:
        throw EngineError(EngineError::Kind::Timeout,
            "a collective of NCCL did not complete within "
                + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(m_timeout).count())
                + " s: another rank is stuck or slow; launch.timeout sets the limit");
    case c10d::ErrorType::COMM_ERROR:
    case c10d::ErrorType::REMOTE_ERROR:
        break;
    }
    throw EngineError(EngineError::Kind::LostPeer, "a collective of NCCL failed: the connection to another rank is lost");
}

Pending GlooGroup::startAllGather(const at::Tensor& full, const std::string& what)
{
    auto started = std::make_unique<StartedAll>("all-gather of " + what);
    const std::int64_t length = full.numel() / size();
    const auto slot = [&](int rank) { return full.narrow(0, rank * length, length); };
    at::Tensor own = slot(rank());
    for (int distance = 1; distance < size(); ++distance) {
        const int receiver = (rank() + distance) % size(), sender = (rank() + size() - distance) % size();
        std::vector<std::int64_t> to(static_cast<std::size_t>(size())), from(to);
        to[static_cast<std::size_t>(receiver)] = from[static_cast<std::size_t>(sender)] = length;
        at::Tensor output = slot(sender);
        started->works.push_back(
            translated(started->what, [&] { return m_backend->alltoall_base(output, own, from, to); }));
    }
    return Pending(std::move(started));
}

Pending GlooGroup::startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string& what)
{
    auto started = std::make_unique<ReceivedParts>("reduce-scatter of " + what, *this);
    auto& free = m_freeBuffers[static_cast<std::int64_t>(full.nbytes())];
    if (free.empty())
        free.push_back(at::empty({static_cast<std::int64_t>(full.nbytes())}, at::kByte));
    started->parts = free.back().view(full.scalar_type());
    free.pop_back();
    started->shard = shard;
    started->adds = adds;
    std::vector<std::int64_t> even;
    at::Tensor input = full;
    started->work = translated(
        started->what, [&] { return m_backend->alltoall_base(started->parts, input, even, even); });
    return Pending(std::move(started));
}

}  // namespace engine
