#include "engine/comm/group.h"

#include "engine/comm/trace.h"

#include <ATen/ops/empty.h>

#include <stdexcept>

namespace engine {

at::Tensor Group::allocate(std::int64_t bytes, Sharing, c10::Device device)
{
    return at::empty({bytes}, at::TensorOptions().dtype(at::kByte).device(device));
}

Pending Group::startSum(const at::Tensor&, const at::Tensor&, bool, const std::string& what)
{
    throw std::logic_error("startSum of " + what + ": this group does not support it");
}

void Group::wait(Pending& pending)
{
    if (!pending.m_work)
        return;
    const Moment start = Moment::on(waitingDevice());
    std::unique_ptr<Pending::Work> finished;  // owns the name that the range uses until it ends
    const TraceRange range("wait for", pending.m_work->what);
    pending.m_work->wait();
    m_waited.add(start, Moment::on(waitingDevice()));
    finished = std::move(pending.m_work);
}

void Group::awaitRelease(std::uint32_t ticket)
{
    const auto start = std::chrono::steady_clock::now();
    finishRelease(ticket);
    m_waited.add(std::chrono::steady_clock::now() - start);
}

void Group::allReduceSum(const at::Tensor& values, const std::string& what)
{
    Pending pending = startAllReduce(values, what);
    wait(pending);
}

void Group::barrier(const std::string& what)
{
    Pending pending = startBarrier(what);
    wait(pending);
    throwIfFailed();
}

at::Tensor Group::onHost(const at::Tensor& values) const
{
    at::Tensor host = values.cpu();
    throwIfFailed();
    return host;
}

WaitTime Group::takeWaited() { return std::exchange(m_waited, {}); }

Pending LoneGroup::startAllGather(const at::Tensor&, const std::string&) { return {}; }

Pending LoneGroup::startReduceScatter(const at::Tensor& shard, const at::Tensor& full, const std::string&)
{
    shard.copy_(full);
    return {};
}

Pending LoneGroup::startSum(const at::Tensor& shard, const at::Tensor& full, bool adds, const std::string&)
{
    if (adds)
        shard.add_(full);
    else
        shard.copy_(full);
    return {};
}

Pending LoneGroup::startAllReduce(const at::Tensor&, const std::string&) { return {}; }

Pending LoneGroup::startAllToAll(const at::Tensor& out, const at::Tensor& in, const std::string&)
{
    out.copy_(in);
    return {};
}

Pending LoneGroup::startShift(const at::Tensor& out, const at::Tensor& in, const std::string&)
{
    out.copy_(in);
    return {};
}

Pending LoneGroup::startBarrier(const std::string&) { return {}; }

}  // namespace engine
