#include "engine/algorithm/rollout_steps.h"

#include "engine/algorithm/timestep_fields.h"

namespace engine {

RolloutSteps::RolloutSteps(
    const RolloutBatch& batch, std::int64_t microBatch, const std::string& timestepsField, c10::Device device)
    : m_microBatch(microBatch)
    , m_micros(engine::microBatches(batch, microBatch))
    , m_timesteps(timestepsField.empty() ? 1 : timestepsOf(batch, timestepsField))
    , m_device(device)
{
}

void RolloutSteps::load(std::int64_t micro)
{
    m_loaded = m_micros.at(static_cast<std::size_t>(micro)).to(m_device);
    m_firstRow = micro * m_microBatch;
}

}  // namespace engine
