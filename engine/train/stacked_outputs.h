// Assembles a model's outputs for a whole batch from its outputs for each micro-batch and timestep.
#pragma once
#include "engine/train/forward_steps.h"

#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// Copies each output directly into the preallocated result, so that no output is held twice.
class StackedOutputs {
public:
    StackedOutputs(std::int64_t microBatches, std::int64_t timesteps)
        : m_microBatches(microBatches)
        , m_timesteps(timesteps)
    {
    }

    /// @param outputs [b, …] each, copied; one call for each micro-batch and timestep
    /// @throws std::invalid_argument naming an output that differs in shape or dtype from the first one of its name.
    void add(std::int64_t micro, std::int64_t timestep, const NamedTensors& outputs);

    /// Returns each output as [M · b, T, …], on the device of its first part.
    /// @throws std::invalid_argument naming an output that was missing for a micro-batch or timestep.
    NamedTensors take();

private:
    std::int64_t m_microBatches, m_timesteps;
    NamedTensors m_stacked;
    std::map<std::string, std::int64_t> m_passes;  ///< by output: how many passes have added it
};

}  // namespace engine
