#include "engine/shard/gradient_reduction.h"

#include "engine/comm/shared_sum.h"
#include "engine/shard/squares.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <utility>

namespace engine {
namespace {

constexpr std::int64_t kElementsPerThread = 1 << 16;

/// Ranges of the flat buffer that no parameter covers, as (begin, count).
std::vector<std::pair<std::int64_t, std::int64_t>> gapsOf(const Shard& shard)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> used, gaps;
    for (std::size_t i = 0; i < shard.layoutTensors().size(); ++i)
        used.emplace_back(shard.layout().offsets[i], shard.layoutTensors()[i].elements);
    std::ranges::sort(used);
    used.emplace_back(shard.layout().length(), 0);
    std::int64_t cursor = 0;
    for (const auto& [begin, count] : used) {
        if (begin > cursor)
            gaps.emplace_back(cursor, begin - cursor);
        cursor = begin + count;
    }
    return gaps;
}

}  // namespace

GradientReduction::GradientReduction(Shard& shard, Group& group, BufferPool& pool, const UnitOptions& options)
    : m_shard(shard)
    , m_group(group)
    , m_pool(pool)
    , m_computeDtype(options.computeDtype)
    , m_reduceDtype(options.reduceDtype)
    , m_replicas(options.replicas)
    , m_copies(options.copies)
    , m_storage(shard.layout().length(), m_computeDtype, pool.device())
{
    for (const auto& [begin, count] : gapsOf(shard))
        m_gaps.push_back(m_storage.view(begin, {count}));
}

at::Tensor GradientReduction::view(std::size_t index) const
{
    return m_storage.view(m_shard.layout().offsets[index], m_shard.spec().parameters[index].shape);
}

void GradientReduction::begin(std::vector<Parameter>& parameters)
{
    if (!m_shard.isTrained())
        return;
    m_gradBuffer = m_pool.acquire(bytesOf(m_shard.layout().length(), m_computeDtype), Sharing::OnePerRank);
    m_storage.attach(m_gradBuffer);
    for (const at::Tensor& gap : m_gaps)
        gap.zero_();
    for (Parameter& parameter : parameters)
        parameter.isGradWritten = false;
}

void GradientReduction::start(Reduction reduction, std::vector<Parameter>& parameters, Arena* arena)
{
    if (!m_shard.isTrained())
        return;
    for (Parameter& parameter : parameters) {
        if (!parameter.isGradWritten)
            parameter.grad.zero_();
    }
    m_reduction = reduction;
    at::Tensor gradients = m_storage.flat();
    if (reduction == Reduction::None || m_hasUnsharded) {
        accumulateUnsharded();
        releaseGradients();
        gradients = m_unsharded;
    }
    if (reduction == Reduction::None)
        return;
    m_hasUnsharded = false;
    provideShard(reduction == Reduction::All && !m_copies ? arena : nullptr);
    const bool isNarrowed = c10::elementSize(m_reduceDtype) < c10::elementSize(gradients.scalar_type());
    if (m_group.supportsStartSum() && !m_copies && (m_group.sharesMemory() || !isNarrowed))
        m_reduce = m_group.startSum(m_shard.gradShard, gradients, m_hasGrad, m_shard.name());
    else
        startReduceScatter(gradients);
    m_isReducing = true;
}

void GradientReduction::provideShard(Arena* arena)
{
    if (m_hasGrad || m_keepsMemory)
        return;
    if (arena) {
        const at::Tensor lasting = arena->allocateLasting({m_shard.layout().shardLength}, at::kFloat);
        if (lasting.defined()) {
            m_shard.gradShard = lasting;
            return;
        }
    }
    m_shard.allocateGradients();
    m_keepsMemory = !arena || arena->isSettled();
}

void GradientReduction::accumulateUnsharded()
{
    if (!m_unsharded.defined())
        m_unsharded
            = m_group.allocate(bytesOf(m_shard.layout().length(), at::kFloat), Sharing::OnePerRank, m_pool.device()).view(at::kFloat);
    const at::Tensor& gradients = m_storage.flat();
    const bool adds = std::exchange(m_hasUnsharded, true);
    if (gradients.is_cpu()) {  // LibTorch would convert to a copy in float32 first
        at::parallel_for(0, gradients.numel(), kElementsPerThread, [&](std::int64_t begin, std::int64_t end) {
            addUp({gradients.const_data_ptr()}, gradients.scalar_type(), begin, m_unsharded.data_ptr<float>() + begin, end - begin, adds);
        });
    } else if (adds) {
        m_unsharded.add_(gradients);
    } else {
        m_unsharded.copy_(gradients);
    }
}

void GradientReduction::startReduceScatter(const at::Tensor& gradients)
{
    at::Tensor full = gradients;
    if (m_reduceDtype != gradients.scalar_type()) {
        m_sendBuffer = m_pool.acquire(bytesOf(m_shard.layout().length(), m_reduceDtype), Sharing::None);
        full = m_sendBuffer.view(m_reduceDtype);
        full.copy_(gradients);
    }
    m_receiveBuffer = m_pool.acquire(bytesOf(m_shard.layout().shardLength, m_reduceDtype), Sharing::None);
    m_received = m_receiveBuffer.view(m_reduceDtype);
    m_reduce = m_group.startReduceScatter(m_received, full, m_shard.name());
}

void GradientReduction::finish()
{
    if (!std::exchange(m_isReducing, false))
        return;
    m_group.wait(m_reduce);
    at::Tensor& gradShard = m_shard.gradShard;
    if (m_copies)
        copyToHost();
    else if (m_received.defined() && m_hasGrad)
        gradShard.add_(m_received);
    else if (m_received.defined())
        gradShard.copy_(m_received);
    m_hasGrad = true;
    const bool isLast = m_reduction == Reduction::All;
    if (isLast && !m_replicas && !m_copies && gradShard.is_cpu())
        m_squares = sumOfSquares(gradShard);
    releaseGradients();
    release(m_sendBuffer, Sharing::None);
    if (!m_copies)
        releaseBuffers();
    if (isLast && m_replicas && !m_copies)
        m_replicate = m_replicas->startAllReduce(gradShard, m_shard.name() + " over replicas");
}

void GradientReduction::copyToHost()
{
    if (m_replicas)
        m_replicas->allReduceSum(m_received, m_shard.name() + " over replicas");
    m_isAdding = m_hasGrad;
    if (m_isAdding && !m_arrival.defined())
        m_arrival = m_shard.makeTensor(at::kFloat);
    const CopyStream::Scope copying(*m_copies);
    (m_isAdding ? m_arrival : m_shard.gradShard).copy_(m_received, /*non_blocking=*/true);
    m_copied.emplace(*m_copies);
}

void GradientReduction::releaseBuffers()
{
    if (m_copied)
        m_copied->computeWaits();  // whatever reuses the buffers is ordered after the copy
    m_received.reset();
    release(m_receiveBuffer, Sharing::None);
}

void GradientReduction::finishStep()
{
    if (m_replicas)
        m_replicas->wait(m_replicate);
    if (m_copied)
        m_copied->hostWaits();
    if (std::exchange(m_isAdding, false))
        m_shard.gradShard.add_(m_arrival);
}

double GradientReduction::squares() const { return m_squares ? *m_squares : sumOfSquares(m_shard.gradShard); }

void GradientReduction::zero()
{
    m_hasGrad = false;
    m_hasUnsharded = false;
    m_squares.reset();
    if (!m_keepsMemory)
        m_shard.releaseGradients();
}

void GradientReduction::releaseGradients()
{
    m_storage.detach();
    release(m_gradBuffer, Sharing::OnePerRank);
}

void GradientReduction::release(at::Tensor& buffer, Sharing sharing)
{
    if (buffer.defined())
        m_pool.release(std::exchange(buffer, at::Tensor()), sharing);
}

}  // namespace engine
