// From noise level to noise level along a model's velocity.
#pragma once
#include "engine/diffusion/flow_match_schedule.h"

#include <ATen/core/Tensor.h>

#include <memory>

namespace engine {

/// One run's steps. Latents and velocities are float32 of one shape.
class FlowSolver {
public:
    virtual ~FlowSolver() = default;

    /// The latents at the next noise level, in memory of their own. Called for step 0, 1, … in turn.
    /// @param latents what the last call gave @param velocity the model's there
    virtual at::Tensor next(const at::Tensor& latents, const at::Tensor& velocity) = 0;
};

/// The solver that the levels were laid out for. @param levels outlives it.
std::unique_ptr<FlowSolver> makeSolver(const NoiseLevels& levels);

}  // namespace engine
