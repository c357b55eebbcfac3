#include "engine/comm/group.h"

#include "engine/comm/errors.h"

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace engine {
namespace {

[[noreturn]] void throwLostPeer(const std::string& what, const std::exception& error)
{
    throw EngineError(EngineError::Kind::LostPeer, what + " failed: " + firstLine(error));
}

/// Runs a collective, translating what LibTorch throws.
template <typename Collective>
auto translated(const std::string& what, Collective collective)
{
    try {
        return collective();
    } catch (const std::exception& error) {
        throwLostPeer(what, error);
    }
}

}  // namespace

struct Pending::Started {
    c10::intrusive_ptr<c10d::Work> work;
    std::string what;
};

Pending::Pending() = default;
Pending::Pending(c10::intrusive_ptr<c10d::Work> work, std::string what)
    : m_started(new Started {std::move(work), std::move(what)})
{
}
Pending::Pending(Pending&&) noexcept = default;
Pending& Pending::operator=(Pending&&) noexcept = default;
Pending::~Pending() = default;

Group::Group() = default;

Group::Group(c10::intrusive_ptr<c10d::Backend> backend)
    : m_backend(std::move(backend))
    , m_rank(m_backend->getRank())
    , m_size(m_backend->getSize())
{
}

Group::~Group() = default;

Pending Group::startAllGather(const at::Tensor& full, const std::string& what)
{
    if (m_size == 1)
        return {};
    const std::string name = "all-gather of " + what;
    return translated(name, [&] {
        const std::int64_t length = full.numel() / m_size;
        at::Tensor output = full;
        at::Tensor input = full.narrow(0, m_rank * length, length);
        return Pending(m_backend->_allgather_base(output, input), name);
    });
}

Pending Group::startReduceScatter(
    const at::Tensor& shard, const at::Tensor& full, const std::string& what)
{
    if (m_size == 1) {
        shard.copy_(full);
        return {};
    }
    const std::string name = "reduce-scatter of " + what;
    return translated(name, [&] {
        at::Tensor output = shard;
        at::Tensor input = full;
        return Pending(m_backend->_reduce_scatter_base(output, input), name);
    });
}

void Group::wait(Pending& pending)
{
    if (!pending.m_started)
        return;
    const auto start = std::chrono::steady_clock::now();
    translated(pending.m_started->what, [&] { return pending.m_started->work->wait(); });
    pending.m_started.reset();
    m_waited += std::chrono::steady_clock::now() - start;
}

void Group::allReduceSum(const at::Tensor& values, const std::string& what)
{
    if (m_size == 1)
        return;
    const std::string name = "all-reduce of " + what;
    std::vector<at::Tensor> tensors = {values};
    Pending pending(translated(name, [&] { return m_backend->allreduce(tensors); }), name);
    wait(pending);
}

void Group::barrier(const std::string& what)
{
    if (m_size == 1)
        return;
    const std::string name = "barrier " + what;
    Pending pending(translated(name, [&] { return m_backend->barrier(); }), name);
    wait(pending);
}

double Group::takeWaitedMs()
{
    const std::chrono::duration<double, std::milli> waited = m_waited;
    m_waited = {};
    return waited.count();
}

}  // namespace engine
