// Integrates a model's velocity from noise level to noise level.
#pragma once
#include "engine/diffusion/flow_match_schedule.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>

namespace engine {

/// Steps of one sampling run. Latents and velocities are float32 of one shape.
class FlowSolver {
public:
    virtual ~FlowSolver() = default;

    /// Returns the latents at the next noise level, as a new tensor. Called once for each step 0, 1, … in order.
    /// @param latents the result of the previous call (first: the initial noise)
    /// @param velocity the model's prediction for @p latents
    virtual at::Tensor next(const at::Tensor& latents, const at::Tensor& velocity) = 0;
};

/// Returns fresh standard normal float32 noise for a step, 0, 1, …, in the shape of the latents.
using StepNoise = std::function<at::Tensor(std::size_t step)>;

/// The solver that @p levels was made for: UniPC if it has options for it, else Euler. @param levels must outlive the solver
/// @param noise used by stochastic levels alone (row A-020); its tensors may be on the CPU
/// @throws std::invalid_argument when stochastic levels get none.
std::unique_ptr<FlowSolver> makeSolver(const NoiseLevels& levels, StepNoise noise = {});

}  // namespace engine
