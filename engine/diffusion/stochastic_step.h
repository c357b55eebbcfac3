// Steps of a sampling run as draws from a normal distribution, whose log-probability policy gradients need (rows ).
// σ, σ' are the noise levels before and after a step, dt = σ' - σ < 0, v the velocity, n standard normal noise.
#pragma once
#include "engine/diffusion/flow_match_schedule.h"

#include <ATen/core/Tensor.h>

#include <span>
#include <string_view>
#include <vector>

namespace engine {

enum class SdeType {
    Sde,      ///< Flow-GRPO (Liu et al., 2025): noise of std² = η² σ / (1 - σ) per unit of σ; at σ = 1 with the second level in 1 - σ
    Cps,      ///< coefficients-preserving sampling (Wang et al., 2025): x' keeps the noise level σ', of which σ' sin(η π / 2) is fresh
    DanceSde  ///< DanceGRPO (Xue et al., 2025): noise of std² = η² per unit of σ
};

/// @param name sde, cps or dance_sde. @throws std::invalid_argument naming these otherwise.
SdeType sdeType(std::string_view name);

/// What one row does: from levels.sigmas[step] to levels.sigmas[step + 1].
struct RowStep {
    std::int64_t step = 0;
    double noiseLevel = 0.7;  ///< η; 0: the step of the ODE
};

/// How a step's draws are made and scored.
struct StochasticStepping {
    SdeType type = SdeType::Sde;
    bool includesNormaliser = true;  ///< of the log-probability: - log g - log(2π) / 2; never with Cps
};

/// The distribution N(mean, g²) of the latents after a step. Each row's values depend on that row alone, to the last bit: they are
/// the same in any batch, so that a ratio to the same policy's earlier pass is exactly 1.
struct Transition {
    at::Tensor mean;       ///< [B, …] float32; gradients of it and of logProbability() reach the velocity
    at::Tensor deviation;  ///< [B, 1, …] float32, "std_dev_t" of the references: of a unit of σ with Sde, else of the whole step
    at::Tensor spread;     ///< [B, 1, …] float32: g, which is deviation · √-dt with Sde, else deviation (row A-082)
    at::Tensor sqrtDt;     ///< [B] float32: √-dt
    at::Tensor precision, offset;  ///< [B] float32: log p is - precision · mean of squares - offset; undefined when no row has one
};

/// Everything is computed in float32, with coefficients of a row in float64. The host does not wait for the device.
/// @param latents, velocity [B, …] float32; @param rows of length B
/// @throws std::invalid_argument for another dtype or number of rows, a step that the table does not have, a negative or
///         non-finite noise level, a table of UniPC or one that does not descend.
Transition transition(const NoiseLevels& levels, const StochasticStepping& stepping, const at::Tensor& latents, const at::Tensor& velocity,
    std::span<const RowStep> rows);

/// Returns the latents after the step, mean + g n. @param noise [B, …] standard normal float32, on the latents' device
at::Tensor nextLatents(const Transition& transition, const at::Tensor& noise);

/// Mean over a row's elements of the log-density at @p next: [B] float32. With Cps, it is minus the squared distance from the mean
/// (row A-024). No gradient reaches @p next. Where η is 0 there is no density, except with Cps: such rows get 0, and when all are
/// such the result is undefined (row A-029).
at::Tensor logProbability(const Transition& transition, const at::Tensor& next);

/// g of one step.
double spreadOf(const NoiseLevels& levels, SdeType type, const RowStep& row);

/// One row for each of @p timesteps, by their indices in the table (row A-027). For values on the CPU.
/// @param timesteps [B] of a floating dtype. @throws std::invalid_argument for integers (row A-020: indices are not timesteps),
///        another shape (row A-030: one timestep per row), a timestep that is not in the table.
std::vector<RowStep> rowSteps(const NoiseLevels& levels, const at::Tensor& timesteps, double noiseLevel);

}  // namespace engine
