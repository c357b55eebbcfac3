#include "engine/rounds/guided_model.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include <utility>

namespace engine {

GuidedModel::GuidedModel(Predictor predictor, const GuidanceOptions& guidance, double trainTimesteps, c10::Device device)
    : m_predictor(std::move(predictor))
    , m_guidance(guidance)
    , m_trainTimesteps(trainTimesteps)
    , m_device(device)
{
}

ModelInput GuidedModel::input(const Conditions& conditions, const at::Tensor& latents, const std::vector<double>& timesteps) const
{
    const bool usesNegative = m_guidance.usesNegative();
    ModelInput result = denoiserInput(conditions, usesNegative);
    std::vector<float> sigmas;
    for (const double timestep : timesteps)
        sigmas.push_back(static_cast<float>(timestep / m_trainTimesteps));
    const at::Tensor levels = at::tensor(sigmas, at::kFloat).to(m_device);
    result.latents = usesNegative ? at::cat({latents, latents}) : latents;
    result.sigmas = usesNegative ? at::cat({levels, levels}) : levels;
    return result;
}

at::Tensor GuidedModel::velocity(const at::Tensor& prediction) const
{
    if (!m_guidance.usesNegative())
        return prediction;
    const auto halves = prediction.chunk(2);
    return guided(halves[0], halves[1], m_guidance);
}

at::Tensor GuidedModel::velocityAt(const Conditions& conditions, const at::Tensor& latents, const std::vector<double>& timesteps) const
{
    return velocity(m_predictor(input(conditions, latents, timesteps), timesteps.front()));
}

}  // namespace engine
