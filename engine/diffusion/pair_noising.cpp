#include "engine/diffusion/pair_noising.h"

#include "engine/diffusion/flow_matching.h"
#include "engine/shard/upload.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/empty.h>

#include <stdexcept>
#include <string>

namespace engine {
namespace {

void requirePairs(const at::Tensor& latents)
{
    if (latents.dim() < 1 || latents.size(0) < 2 || latents.size(0) % 2 != 0)
        throw std::invalid_argument("preference pairs need an even number of latents, chosen and rejected in turn; given: "
            + std::to_string(latents.dim() < 1 ? 0 : latents.size(0)));
}

/// @param indices of each row in the table
NoisedPairs noisedAt(const at::Tensor& latents, const at::Tensor& noise, const std::vector<std::size_t>& indices, std::span<const float> table,
    std::span<const float> sigmas)
{
    const auto rows = static_cast<std::int64_t>(indices.size());
    NoisedPairs pairs {{}, uploaded(noise.to(latents.scalar_type()), latents.device()), at::empty({rows}, at::kFloat), {}};
    std::vector<std::int64_t> perRow(static_cast<std::size_t>(latents.dim()), 1);
    perRow.front() = rows;
    const at::Tensor levels = at::empty(perRow, at::kFloat);
    for (std::size_t row = 0; row < indices.size(); ++row) {
        pairs.timesteps.data_ptr<float>()[row] = table[indices[row]];
        levels.data_ptr<float>()[row] = sigmas[indices[row]];
    }
    pairs.sigmas = uploaded(levels.to(latents.scalar_type()), latents.device());
    pairs.noisy = pairs.sigmas * pairs.noise + (1 - pairs.sigmas) * latents;
    return pairs;
}

/// @param values [2P, …] @param name for the message
void requireEqualInPairs(const at::Tensor& values, std::int64_t rows, const char* name)
{
    if (values.dim() < 1 || values.size(0) != rows)
        throw std::invalid_argument(std::string("the field \"") + name + "\" must have one row for each of the " + std::to_string(rows) + " latents");
    const at::Tensor pairs = values.to(at::kFloat).reshape({rows / 2, 2, -1});
    if (!at::allclose(pairs.select(1, 0), pairs.select(1, 1)))
        throw std::invalid_argument(std::string("the field \"") + name + "\" differs within a pair; chosen and rejected must share it");
}

}  // namespace

NoisedPairs noisedPairs(const at::Tensor& latents, const at::Tensor& pairNoise, const at::Tensor& u, const TrainingLevels& levels)
{
    requirePairs(latents);
    const std::int64_t pairs = latents.size(0) / 2;
    if (pairNoise.sizes().slice(1) != latents.sizes().slice(1) || pairNoise.size(0) != pairs || u.dim() != 1 || u.size(0) != pairs)
        throw std::invalid_argument(std::to_string(pairs) + " preference pairs need as many draws of noise, in the shape of the latents, and of timesteps");
    const at::Tensor drawn = levelIndices(u, static_cast<std::int64_t>(levels.sigmas.size())).repeat_interleave(2);
    const auto* const first = drawn.const_data_ptr<std::int64_t>();
    return noisedAt(latents, pairNoise.repeat_interleave(2, 0), {first, first + drawn.numel()}, levels.timesteps, levels.sigmas);
}

NoisedPairs drawnPairs(const at::Tensor& latents, const std::vector<std::uint64_t>& pairs, std::uint64_t seed, std::uint64_t step,
    const TimestepDensity& density, const TrainingLevels& levels)
{
    const auto base = at::empty({static_cast<std::int64_t>(pairs.size())}, at::kFloat);
    auto* out = base.data_ptr<float>();
    for (const std::uint64_t pair : pairs) {
        const RandomKey key {.seed = seed, .purpose = "pair timestep", .step = step, .row = pair};
        density.kind == TimestepDensity::Kind::LogitNormal ? fillNormal({out, 1}, key) : fillUniform({out, 1}, key);
        ++out;
    }
    requirePairs(latents);
    return noisedPairs(latents, normalRows(pairs, latents.sizes().slice(1), seed, "pair noise", step), distributed(density, base), levels);
}

NoisedPairs noisedAsGiven(const at::Tensor& latents, const at::Tensor& noise, const at::Tensor& timesteps, std::span<const float> table,
    std::span<const float> sigmas)
{
    requirePairs(latents);
    if (!noise.defined() || !timesteps.defined())
        throw std::invalid_argument(std::string("the field \"") + (noise.defined() ? "timesteps" : "noise")
            + "\" is missing; noise and timesteps are used together");
    if (noise.sizes() != latents.sizes())
        throw std::invalid_argument("the field \"noise\" must have the shape of the latents");
    requireEqualInPairs(noise, latents.size(0), "noise");
    requireEqualInPairs(timesteps, latents.size(0), "timesteps");
    const at::Tensor values = timesteps.to(at::kCPU, at::kDouble).contiguous();
    std::vector<std::size_t> indices;
    for (const double timestep : std::span(values.const_data_ptr<double>(), static_cast<std::size_t>(values.numel())))
        indices.push_back(indexOfTimestep(table, timestep));
    return noisedAt(latents, noise, indices, table, sigmas);
}

}  // namespace engine
