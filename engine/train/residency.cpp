#include "engine/train/residency.h"

#include <stdexcept>

namespace engine {
namespace {

const c10::Device kHost(c10::DeviceType::CPU);

ShardParts partsFor(Residency::Use use)
{
    const bool trains = use == Residency::Use::Training;
    return {.weights = use != Residency::Use::Nothing, .gradients = trains, .optimizer = trains};
}

ShardParts idleParts(const std::string& offload)
{
    const bool isAll = offload == "idle";
    return {.weights = isAll, .gradients = isAll, .optimizer = isAll || offload == "optimizer"};
}

/// What is in @p parts and not in @p others.
ShardParts without(const ShardParts& parts, const ShardParts& others)
{
    return {.weights = parts.weights && !others.weights, .gradients = parts.gradients && !others.gradients,
        .optimizer = parts.optimizer && !others.optimizer};
}

bool isNone(const ShardParts& parts) { return !parts.weights && !parts.gradients && !parts.optimizer; }

}  // namespace

Residency::Residency(UnitSequence& units, Accelerator* accelerator, const contract::Experiment& experiment)
    : m_units(units)
    , m_accelerator(accelerator)
    , m_device(units.arena().device())
    , m_idle(idleParts(experiment.text("engine.offload")))
{
}

void Residency::setUse(Use use)
{
    if (use == m_use)
        return;
    if (m_use == Use::Training)
        m_units.zeroGrad();
    m_use = use;
    const ShardParts needed = partsFor(use);
    to(kHost, without(m_idle, needed));
    to(m_device, needed);
}

void Residency::to(c10::Device device, ShardParts parts)
{
    if (device != kHost && device != m_device)
        throw std::invalid_argument("shards cannot move to " + device.str() + ": they live on " + m_device.str()
            + " and on the host");
    if (isNone(parts))
        return;
    for (std::size_t i = 0; i < m_units.size(); ++i)
        m_units[i].moveShards(device, parts);
    // Copies to the host are read by it: they must be there.
    if (device != m_device && m_accelerator) {
        m_accelerator->synchronize();
        m_accelerator->emptyCache();
    }
}

}  // namespace engine
