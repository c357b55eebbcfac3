#include "engine/shard/unit.h"

#include "engine/shard/unit_parts.h"

#include <ATen/ops/empty.h>

namespace engine {

Unit::Unit(const UnitSpec& spec, Group& group, BufferPool& pool, UnitOptions options, std::optional<std::uint64_t> seed)
    : Shard(partsOf(spec).at(0).spec, group.size(), group.rank(), pool.device(), options, seed)
    , m_group(group)
    , m_pool(pool)
    , m_computeDtype(options.computeDtype)
    , m_staysOnHost(options.copies != nullptr)
    , m_gathered(*this, group, pool, options)
    , m_gradients(*this, group, pool, options)
{
    for (std::size_t i = 0; i < this->spec().parameters.size(); ++i)
        m_parameters.push_back({.value = m_gathered.view(i), .grad = m_gradients.view(i), .isTrained = isTrained()});

    m_declared.resize(spec.parameters.size());
    const std::vector<UnitPart> parts = partsOf(spec);
    for (const UnitPart& part : parts) {
        const bool isOwn = &part == &parts.front();
        if (!isOwn)
            m_frozenParts.push_back(std::make_unique<Unit>(part.spec, group, pool, options, seed));
        for (std::size_t i = 0; i < part.places.size(); ++i)
            m_declared[part.places[i]] = &(isOwn ? *this : *m_frozenParts.back()).ownParameter(i);
    }
}

void Unit::startGather(Weights weights)
{
    for (const auto& part : m_frozenParts)
        part->startGather(weights);
    m_gathered.start(weights);
}

void Unit::finishGather()
{
    startGather(Weights::Master);
    for (const auto& part : m_frozenParts)
        part->finishGather();
    m_gathered.finish();
}

void Unit::reshard()
{
    for (const auto& part : m_frozenParts)
        part->reshard();
    m_gathered.free();
}

void Unit::reshardUntilBackward()
{
    for (const auto& part : m_frozenParts)
        part->reshardUntilBackward();
    m_gathered.freeUntilBackward();
}

void Unit::moveShards(c10::Device device, ShardParts parts)
{
    for (const auto& part : m_frozenParts)
        part->moveShards(device, parts);
    if (m_staysOnHost)
        return;
    if (m_gathered.isShardItself())
        m_gathered.free();  // the parameters would be views of freed memory
    moveTensors(device, parts);
}

at::Tensor Unit::wholeMaster() const
{
    const at::Tensor whole = at::empty({layout().length()}, master.options().device(m_pool.device()));
    whole.narrow(0, rank() * layout().shardLength, layout().shardLength).copy_(master);
    Pending pending = m_group.startAllGather(whole, name());
    m_group.wait(pending);
    return whole;
}

void Unit::setWholeMaster(const at::Tensor& whole)
{
    master.copy_(whole.narrow(0, rank() * layout().shardLength, layout().shardLength));
    masterReplaced();
    reshard();
}

}  // namespace engine
