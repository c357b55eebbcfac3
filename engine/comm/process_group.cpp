#include "engine/comm/process_group.h"

#include "engine/comm/errors.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include <vector>

namespace engine {
namespace {

/// Runs a collective, translating what LibTorch throws.
template <typename Collective>
auto translated(const std::string& what, Collective collective)
{
    try {
        return collective();
    } catch (const std::exception& error) {
        throw EngineError(EngineError::Kind::LostPeer, what + " failed: " + firstLine(error));
    }
}

struct Started final : Pending::Work {
    Started(c10::intrusive_ptr<c10d::Work> started, std::string name)
        : Pending::Work(std::move(name))
        , work(std::move(started))
    {
    }
    void wait() override
    {
        translated(what, [&] { return work->wait(); });
    }
    c10::intrusive_ptr<c10d::Work> work;
};

template <typename Collective>
Pending start(const std::string& what, Collective collective)
{
    return Pending(std::make_unique<Started>(translated(what, collective), what));
}

}  // namespace

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

/// An all-to-all in which all goes to one rank: with NCCL a pair of calls in one group, which cannot block each other.
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

}  // namespace engine
