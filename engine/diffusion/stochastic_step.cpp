#include "engine/diffusion/stochastic_step.h"

#include "engine/contract/formats/text.h"
#include "engine/diffusion/pairwise_sum.h"
#include "engine/shard/upload.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

/// A step of one row: mean = ofLatents · x + ofVelocity · v.
struct Coefficients {
    double ofLatents = 0, ofVelocity = 0;
    double deviation = 0, spread = 0, sqrtDt = 0;
    double precision = 0, offset = 0;  ///< as in Transition; 0 without a density
};
constexpr std::int64_t kCoefficients = 7;

Coefficients coefficientsOf(const NoiseLevels& levels, const StochasticStepping& stepping, const RowStep& row)
{
    const auto steps = static_cast<std::int64_t>(levels.timesteps.size());
    if (row.step < 0 || row.step >= steps)
        throw std::invalid_argument("step " + std::to_string(row.step) + " is outside of a table of " + std::to_string(steps) + " steps");
    if (!(row.noiseLevel >= 0 && std::isfinite(row.noiseLevel)))
        throw std::invalid_argument("the noise level is " + contract::shortestText(row.noiseLevel) + "; it must be 0 or more");
    const auto step = static_cast<std::size_t>(row.step);
    const double sigma = levels.sigmas[step], next = levels.sigmas[step + 1], dt = next - sigma, eta = row.noiseLevel;
    if (levels.uniPc || !(dt < 0))
        throw std::invalid_argument(levels.uniPc ? "stochastic steps cannot be taken between the noise levels of UniPC; make a table without it"
                                                 : "stochastic steps need noise levels that descend; set invert_sigmas to false");
    Coefficients result;
    result.sqrtDt = std::sqrt(-dt);
    if (stepping.type == SdeType::Cps) {
        const double fresh = next * std::sin(eta * std::numbers::pi / 2), kept = std::sqrt(std::max(0.0, next * next - fresh * fresh));
        result.ofLatents = 1 - next + kept;
        result.ofVelocity = (1 - sigma) * kept - sigma * (1 - next);
        result.deviation = result.spread = fresh;
        result.precision = 1;
        return result;
    }
    // The score of x at σ is -(x + (1 - σ) v) / σ; noise of variance rate g² adds -g² / 2 of it to the drift.
    const double clean = 1 - (sigma == 1 ? levels.sigmas[1] : sigma);
    const double rate = stepping.type == SdeType::Sde ? sigma / clean * eta * eta : eta * eta;
    result.ofLatents = 1 + rate / (2 * sigma) * dt;
    result.ofVelocity = (1 + rate * (1 - sigma) / (2 * sigma)) * dt;
    result.spread = std::sqrt(rate) * result.sqrtDt;
    result.deviation = stepping.type == SdeType::Sde ? std::sqrt(rate) : result.spread;
    if (result.spread > 0) {
        result.precision = 1 / (2 * result.spread * result.spread);
        if (stepping.includesNormaliser)
            result.offset = std::log(result.spread) + std::log(2 * std::numbers::pi) / 2;
    }
    return result;
}

std::string nameOf(const at::Tensor& values) { return c10::toString(values.scalar_type()); }

}  // namespace

SdeType sdeType(std::string_view name)
{
    if (name == "sde")
        return SdeType::Sde;
    if (name == "cps")
        return SdeType::Cps;
    if (name == "dance_sde")
        return SdeType::DanceSde;
    throw std::invalid_argument("there is no stochastic step \"" + std::string(name) + "\"; known: sde, cps, dance_sde");
}

Transition transition(const NoiseLevels& levels, const StochasticStepping& stepping, const at::Tensor& latents, const at::Tensor& velocity,
    std::span<const RowStep> rows)
{
    for (const at::Tensor* values : {&latents, &velocity}) {
        if (values->scalar_type() != at::kFloat)
            throw std::invalid_argument("a stochastic step is computed in float32; convert latents and velocity to it (given: " + nameOf(*values) + ")");
    }
    const auto count = static_cast<std::int64_t>(rows.size());
    if (latents.dim() < 1 || latents.size(0) != count || velocity.sizes() != latents.sizes())
        throw std::invalid_argument("a stochastic step of " + std::to_string(count) + " rows needs as many rows of latents and of velocity");
    const at::Tensor packed = at::empty({kCoefficients, count}, at::kFloat);
    auto values = packed.accessor<float, 2>();
    bool hasDensity = false;
    for (std::int64_t i = 0; i < count; ++i) {
        const Coefficients row = coefficientsOf(levels, stepping, rows[static_cast<std::size_t>(i)]);
        std::int64_t k = 0;
        for (const double value : {row.ofLatents, row.ofVelocity, row.deviation, row.spread, row.sqrtDt, row.precision, row.offset})
            values[k++][i] = static_cast<float>(value);
        hasDensity = hasDensity || row.precision > 0;
    }
    const at::Tensor own = uploaded(packed, latents.device());
    std::vector<std::int64_t> broadcast(static_cast<std::size_t>(latents.dim()), 1);
    broadcast.front() = count;
    const auto perRow = [&](std::int64_t k) { return own[k].view(broadcast); };
    // Products and sums each in a kernel of its own: fused ones round differently in a vector's body and in its tail.
    Transition result {latents * perRow(0) + velocity * perRow(1), perRow(2), perRow(3), own[4], {}, {}};
    if (hasDensity) {
        result.precision = own[5];
        result.offset = own[6];
    }
    return result;
}

at::Tensor nextLatents(const Transition& transition, const at::Tensor& noise) { return transition.mean + transition.spread * noise; }

at::Tensor logProbability(const Transition& transition, const at::Tensor& next)
{
    if (!transition.precision.defined())
        return {};
    const at::Tensor distance = next.detach() - transition.mean;
    return -(pairwiseRowMeans(distance * distance) * transition.precision) - transition.offset;
}

double spreadOf(const NoiseLevels& levels, SdeType type, const RowStep& row) { return coefficientsOf(levels, {.type = type}, row).spread; }

std::vector<RowStep> rowSteps(const NoiseLevels& levels, const at::Tensor& timesteps, double noiseLevel)
{
    if (!timesteps.is_floating_point())
        throw std::invalid_argument("timesteps of " + nameOf(timesteps) + " are not accepted; give the table's own values, not their indices");
    if (timesteps.dim() != 1)
        throw std::invalid_argument("timesteps have " + std::to_string(timesteps.dim()) + " dims; give one timestep for each row, [B]");
    const at::Tensor values = timesteps.to(at::kDouble).contiguous();
    std::vector<RowStep> rows;
    for (const double timestep : std::span(values.const_data_ptr<double>(), static_cast<std::size_t>(values.numel())))
        rows.push_back({static_cast<std::int64_t>(indexOfTimestep(levels.timesteps, timestep)), noiseLevel});
    return rows;
}

}  // namespace engine
