#include "engine/shard/gathered_parameters.h"

#include <utility>

namespace engine {

GatheredParameters::GatheredParameters(const Shard& shard, Group& group, BufferPool& pool, const UnitOptions& options)
    : m_shard(shard)
    , m_group(group)
    , m_pool(pool)
    , m_dtype(options.computeDtype)
    , m_reshardGroup(options.reshardGroup)
    , m_copies(options.copies)
    , m_storage(shard.layout().length(), m_dtype, pool.device())
    , m_slot(m_storage.view(shard.rank() * shard.layout().shardLength, {shard.layout().shardLength}))
{
}

at::Tensor GatheredParameters::view(std::size_t index) const
{
    return m_storage.view(m_shard.layout().offsets[index], m_shard.spec().parameters[index].shape);
}

bool GatheredParameters::isShardItself() const
{
    return !m_shard.isTrained() && m_group.size() == 1 && m_shard.master.scalar_type() == m_dtype
        && m_shard.master.device() == m_pool.device();
}

void GatheredParameters::start(Weights weights)
{
    if (m_state != State::Sharded)
        return;
    if (isShardItself()) {
        m_storage.attach(m_shard.master);
        m_state = State::Gathered;
        return;
    }
    m_buffer = m_pool.acquire(bytesOf(m_shard.layout().length(), m_dtype), Sharing::OneCopy);
    m_storage.attach(m_buffer);
    if (m_kept.defined()) {
        m_storage.flat().narrow(0, m_reshardGroup->rank() * m_kept.numel(), m_kept.numel()).copy_(m_kept);
        releaseKept();
        m_pending = m_reshardGroup->startAllGather(m_storage.flat(), m_shard.name());
    } else {
        gatherSlot(weights);
    }
    m_state = State::Gathering;
}

void GatheredParameters::gatherSlot(Weights weights)
{
    const at::Tensor& source = m_shard.chosen(weights);
    if (!m_copies) {
        m_slot.copy_(source);
        m_pending = m_group.startAllGather(m_storage.flat(), m_shard.name());
        return;
    }
    const CopyStream::Scope copying(*m_copies);
    m_slot.copy_(source.is_same(m_shard.master) ? m_shard.hostCopy() : source, /*non_blocking=*/true);
    m_pending = m_group.startAllGather(m_storage.flat(), m_shard.name());
    m_uploaded.emplace(*m_copies);
}

void GatheredParameters::finish()
{
    if (m_state != State::Gathering)
        return;
    wait();
    m_state = State::Gathered;
}

void GatheredParameters::wait()
{
    m_group.wait(m_pending);
    if (m_uploaded)
        m_uploaded->computeWaits();
}

at::Tensor GatheredParameters::slotToRefresh() const
{
    if (m_copies)
        return m_shard.hostCopy().is_same(m_shard.master) ? at::Tensor() : m_shard.hostCopy();
    return m_state == State::Gathered ? m_slot : at::Tensor();
}

void GatheredParameters::refresh()
{
    if (m_copies)
        gatherSlot(Weights::Master);
    else
        m_pending = m_group.startAllGather(m_storage.flat(), m_shard.name());
    m_state = State::Gathering;
}

void GatheredParameters::freeUntilBackward()
{
    at::Tensor kept;
    if (m_state == State::Gathered && m_reshardGroup && !m_group.sharesMemory()) {
        const std::int64_t part = m_shard.layout().length() / m_reshardGroup->size();
        kept = m_pool.acquire(bytesOf(part, m_dtype), Sharing::None).view(m_dtype);
        kept.copy_(m_storage.flat().narrow(0, m_reshardGroup->rank() * part, part));
    } else {
        kept = std::exchange(m_kept, at::Tensor());
    }
    free();
    m_kept = kept;
}

void GatheredParameters::free()
{
    releaseKept();
    if (m_state == State::Sharded)
        return;
    wait();
    m_storage.detach();
    if (m_buffer.defined())
        m_pool.release(std::exchange(m_buffer, at::Tensor()), Sharing::OneCopy);
    m_state = State::Sharded;
}

void GatheredParameters::releaseKept()
{
    if (m_kept.defined())
        m_pool.release(m_kept.view(at::kByte), Sharing::None);
    m_kept.reset();
}

}  // namespace engine
