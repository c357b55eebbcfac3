// The noise levels of a sampling run, as in diffusers' FlowMatchEulerDiscreteScheduler and UniPCMultistepScheduler. Rows A-001
// to A-012 of the algorithm sheet. Does not include torch.
#pragma once
#include "engine/contract/formats/json_config.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace engine {

/// Options of the UniPC solver, which also uses the predictions of earlier steps; see flow_solver.cpp.
struct UniPcConfig {
    std::int64_t order = 2;                      ///< 1 or 2
    bool lowersFinalOrder = true;                ///< lower_order_final: the last step has order 1
    std::vector<std::int64_t> uncorrectedSteps;  ///< disable_corrector: indices of steps without the corrector

    bool operator==(const UniPcConfig&) const = default;
};

/// The settings in a model folder's scheduler_config.json.
struct FlowMatchConfig {
    enum class TimeShift { Exponential, Linear };

    /// Spacing between the first and the last of the shifted levels, in place of their own (row A-006).
    enum class Respacing {
        None,
        Karras,       ///< even in σ^(1/7) (Karras et al., 2022)
        Exponential,  ///< even in log σ
        Beta          ///< quantiles of Beta(0.6, 0.6) (Lee et al., 2024)
    };

    double trainTimesteps = 1000;  ///< N: a timestep is N · σ
    double shift = 1;              ///< s in σ ← s σ / (1 + (s - 1) σ); unused when isDynamic
    bool isDynamic = false;        ///< the shift depends on the number of image tokens
    double baseShift = 0.5, maxShift = 1.15;
    double baseTokens = 256, maxTokens = 4096;
    TimeShift timeShift = TimeShift::Exponential;
    std::optional<double> terminal = {};  ///< σ of the last step; the levels are stretched to end there
    Respacing respacing = Respacing::None;
    bool isInverted = false;              ///< levels are 1 - σ, ascending, and end at 1
    bool isStochastic = false;            ///< Euler steps go to the predicted clean latents, which get fresh noise
    std::optional<UniPcConfig> uniPc = {};  ///< nullopt: Euler steps

    bool operator==(const FlowMatchConfig&) const = default;
};

/// Reads a scheduler_config.json. @throws std::runtime_error naming the file and the key that is wrong or not supported.
FlowMatchConfig flowMatchConfig(const contract::JsonConfig& json);

struct NoiseLevels {
    std::vector<float> sigmas;     ///< steps + 1 values, descending to 0; ascending to 1 when the config isInverted
    std::vector<float> timesteps;  ///< N · σ of each step, as the model is given it; rounded down to whole numbers with UniPC
    double trainTimesteps = 1000;  ///< N
    bool isStochastic = false;     ///< FlowMatchConfig::isStochastic
    std::optional<UniPcConfig> uniPc = {};
};

/// Spacing of the levels before the shift. Ignored with UniPC, which has a spacing of its own.
enum class Spacing {
    Timesteps,  ///< even from the largest training timestep to the smallest (Stable Diffusion 3, Wan)
    Sigmas      ///< even from 1 to 1 / steps (Qwen-Image, Flux; with a shift Wan's of row A-010)
};

/// A table to make (row A-002).
struct LevelRequest {
    std::int64_t steps = 0;  ///< 0: as many as are given
    Spacing spacing = Spacing::Timesteps;
    std::optional<double> mu = {};          ///< μ of a dynamic shift
    std::vector<double> sigmas = {};        ///< levels before the shift, in (0, 1], in place of `spacing`
    std::vector<double> timesteps = {};     ///< what the model is given, in (0, N]; without `sigmas` also the levels, times N
};

/// @throws std::invalid_argument naming what is missing (μ of a dynamic shift) or wrong: no steps, lengths that differ, a level
///         outside (0, 1], given levels with UniPC.
NoiseLevels noiseLevels(const FlowMatchConfig& config, const LevelRequest& request);

/// The same for a model's own request. @param steps at least 1; @param imageTokens of one sample; determines a dynamic shift
NoiseLevels noiseLevels(const FlowMatchConfig& config, Spacing spacing, std::int64_t steps, std::int64_t imageTokens);

/// μ of a dynamic shift: linear in the number of image tokens (row A-007).
double dynamicShift(const FlowMatchConfig& config, std::int64_t imageTokens);

/// The levels to train on (row A-001): N of them, shifted unless the shift is dynamic, descending, without a final 0.
struct TrainingLevels {
    std::vector<float> sigmas, timesteps;
};
TrainingLevels trainingLevels(const FlowMatchConfig& config);

/// Returns the index of @p timestep in a table of them: of the nearest entry, and the second one where several are equal (row A-012).
/// @throws std::invalid_argument when it differs from every entry by more than 1e-4 of that entry.
std::size_t indexOfTimestep(std::span<const float> timesteps, double timestep);

}  // namespace engine
