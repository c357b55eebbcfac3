#include "engine/comm/staged_group.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

namespace engine {
namespace {

at::Tensor emptyOnHost(const at::Tensor& like) { return at::empty(like.sizes(), like.options().device(c10::DeviceType::CPU)); }

}  // namespace

/// A collective on the host. Its result goes to the GPU once it is there.
struct StagedGroup::Staged final : Pending::Work {
    Staged(Group& host, const std::string& name, at::Tensor source, at::Tensor from, at::Tensor target)
        : Pending::Work(name)
        , group(host)
        , sent(std::move(source))
        , arrived(std::move(from))
        , to(std::move(target))
    {
    }
    void wait() override
    {
        group.wait(pending);
        if (to.defined())
            to.copy_(arrived);
    }
    Group& group;
    at::Tensor sent, arrived;  ///< in the memory of the host
    at::Tensor to;
    Pending pending;
};

StagedGroup::StagedGroup(std::unique_ptr<Group> host)
    : Group(host->rank(), host->size())
    , m_host(std::move(host))
{
}

Pending StagedGroup::startAllGather(const at::Tensor& full, const std::string& what)
{
    const at::Tensor gathered = emptyOnHost(full);
    const std::int64_t length = full.numel() / size();
    gathered.narrow(0, rank() * length, length).copy_(full.narrow(0, rank() * length, length));
    auto staged = std::make_unique<Staged>(*m_host, what, at::Tensor(), gathered, full);
    staged->pending = m_host->startAllGather(gathered, what);
    return Pending(std::move(staged));
}

Pending StagedGroup::startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string& what)
{
    auto staged = std::make_unique<Staged>(*m_host, what, full.cpu(), emptyOnHost(shard), shard);
    staged->pending = m_host->startReduceScatter(staged->arrived, staged->sent, what);
    return Pending(std::move(staged));
}

Pending StagedGroup::startAllReduce(const at::Tensor& values, const std::string& what)
{
    auto staged = std::make_unique<Staged>(*m_host, what, at::Tensor(), emptyOnHost(values).copy_(values), values);
    staged->pending = m_host->startAllReduce(staged->arrived, what);
    return Pending(std::move(staged));
}

Pending StagedGroup::startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    auto staged = std::make_unique<Staged>(*m_host, what, in.cpu(), emptyOnHost(out), out);
    staged->pending = m_host->startAllToAll(staged->arrived, staged->sent, what);
    return Pending(std::move(staged));
}

Pending StagedGroup::startShift(const at::Tensor& out, const at::Tensor& in, const std::string& what)
{
    auto staged = std::make_unique<Staged>(*m_host, what, in.cpu(), emptyOnHost(out), out);
    staged->pending = m_host->startShift(staged->arrived, staged->sent, what);
    return Pending(std::move(staged));
}

Pending StagedGroup::startBarrier(const std::string& what)
{
    auto staged = std::make_unique<Staged>(*m_host, what, at::Tensor(), at::zeros({1}), at::Tensor());
    staged->pending = m_host->startAllReduce(staged->arrived, what);
    return Pending(std::move(staged));
}

}  // namespace engine
