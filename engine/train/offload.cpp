#include "engine/train/offload.h"

#include <stdexcept>

namespace engine {
namespace {

const c10::Device kHost(c10::DeviceType::CPU);

ShardParts partsFor(Offload::Use use)
{
    const bool isTraining = use == Offload::Use::Training;
    return {.weights = use != Offload::Use::None, .gradients = isTraining, .optimizer = isTraining};
}

ShardParts offloadedParts(const std::string& offload)
{
    const bool isIdle = offload == "idle";
    return {.weights = isIdle, .gradients = isIdle, .optimizer = isIdle || offload == "optimizer"};
}

/// Returns @p parts without those in @p others.
ShardParts without(const ShardParts& parts, const ShardParts& others)
{
    return {.weights = parts.weights && !others.weights, .gradients = parts.gradients && !others.gradients,
        .optimizer = parts.optimizer && !others.optimizer};
}

bool isNone(const ShardParts& parts) { return !parts.weights && !parts.gradients && !parts.optimizer; }

}  // namespace

Offload::Offload(UnitSequence& units, Accelerator* accelerator, const contract::Experiment& experiment)
    : m_units(units)
    , m_accelerator(accelerator)
    , m_device(units.arena().device())
    , m_offloaded(offloadedParts(experiment.text("engine.offload")))
{
}

void Offload::setUse(Use use)
{
    if (use == m_use)
        return;
    if (m_use == Use::Training)
        m_units.zeroGrad();
    m_use = use;
    const ShardParts needed = partsFor(use);
    to(kHost, without(m_offloaded, needed));
    to(m_device, needed);
}

void Offload::to(c10::Device device, ShardParts parts)
{
    if (device != kHost && device != m_device)
        throw std::invalid_argument("shards cannot move to " + device.str() + ": only " + m_device.str()
            + " and the host can hold them");
    if (isNone(parts))
        return;
    for (std::size_t i = 0; i < m_units.size(); ++i)
        m_units[i].moveShards(device, parts);
    // Copies to the host are asynchronous, and code on the host reads them next.
    if (device != m_device && m_accelerator) {
        m_accelerator->synchronize();
        m_accelerator->emptyCache();
    }
}

}  // namespace engine
