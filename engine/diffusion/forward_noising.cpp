#include "engine/diffusion/forward_noising.h"

#include "engine/diffusion/flow_matching.h"
#include "engine/shard/upload.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/lerp.h>

#include <sstream>
#include <stdexcept>
#include <string>

namespace engine {

NoisedLatents noised(const at::Tensor& clean, const at::Tensor& timesteps, const at::Tensor& noise,
    std::int64_t trainTimesteps)
{
    std::vector<std::int64_t> shape(static_cast<std::size_t>(clean.dim()), 1);
    shape.front() = clean.size(0);
    const at::Tensor times = timesteps.to(at::kFloat).div(static_cast<double>(trainTimesteps)).view(shape);
    return {at::lerp(clean.to(at::kFloat), noise.to(at::kFloat), times), times};
}

at::Tensor givenNoise(const at::Tensor& given, const at::Tensor& clean, std::int64_t timestep)
{
    const at::Tensor noise = given.dim() == clean.dim() + 1 ? given.select(1, timestep) : given;
    if (noise.sizes() != clean.sizes()) {
        std::ostringstream text;
        text << "noise of shape " << given.sizes() << " does not fit latents of " << clean.sizes()
             << ": it must have the same shape, or in addition a dim of timesteps after the batch dim";
        throw std::invalid_argument(text.str());
    }
    return noise;
}

at::Tensor drawnNoise(const at::Tensor& clean, const std::vector<std::uint64_t>& rows, std::uint64_t seed,
    std::uint64_t step, std::int64_t timestep)
{
    return uploaded(
        normalRows(rows, clean.sizes().slice(1), seed, "forward noise/" + std::to_string(timestep), step), clean.device());
}

}  // namespace engine
