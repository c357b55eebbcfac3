// A model under guidance, as rollouts and updates use it: the same rows give the same velocity in both, to the last bit.
// Dims: b rows.
#pragma once
#include "engine/diffusion/guided_sampler.h"

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>

#include <functional>
#include <vector>

namespace engine {

/// Runs one pass without recording it for backward. Collective. @param timestep of the first row
using Predictor = std::function<at::Tensor(const ModelInput& input, double timestep)>;

class GuidedModel {
public:
    /// @param trainTimesteps of the schedule: the timestep of pure noise
    GuidedModel(Predictor predictor, const GuidanceOptions& guidance, double trainTimesteps, c10::Device device);

    /// The input of one pass. With guidance, the rows with the negative prompt follow the rows with the prompt.
    /// @param latents [b, …] on the device; @param timesteps of each row
    ModelInput input(const Conditions& conditions, const at::Tensor& latents, const std::vector<double>& timesteps) const;

    /// The velocity from the model's prediction for input(). @return [b, …]
    at::Tensor velocity(const at::Tensor& prediction) const;

    /// input(), the predictor's pass and velocity() in turn. Collective.
    at::Tensor velocityAt(const Conditions& conditions, const at::Tensor& latents, const std::vector<double>& timesteps) const;

private:
    Predictor m_predictor;
    GuidanceOptions m_guidance;
    double m_trainTimesteps;
    c10::Device m_device;
};

}  // namespace engine
