// What a model says of a batch, out of what it says of each micro-batch at each timestep.
#pragma once
#include "engine/train/forward_steps.h"

#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// Written into the whole at once: nothing is kept twice.
class StackedOutputs {
public:
    StackedOutputs(std::int64_t microBatches, std::int64_t timesteps)
        : m_microBatches(microBatches)
        , m_timesteps(timesteps)
    {
    }

    /// @param outputs [b, …] each, copied; one call for each micro-batch and timestep
    /// @throws std::invalid_argument naming an output whose shape or dtype is not that of the first.
    void add(std::int64_t micro, std::int64_t timestep, const NamedTensors& outputs);

    /// [M · b, T, …] each, on the device of the first.
    /// @throws std::invalid_argument naming an output that a micro-batch or timestep lacked.
    NamedTensors take();

private:
    std::int64_t m_microBatches, m_timesteps;
    NamedTensors m_whole;
    std::map<std::string, std::int64_t> m_added;
};

}  // namespace engine
