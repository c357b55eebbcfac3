// The noise levels of a sampling run, as diffusers' FlowMatchEulerDiscreteScheduler and UniPCMultistepScheduler lay them out.
// Rows of the algorithm sheet. Free of torch.
#pragma once
#include "engine/contract/json_config.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine {

/// A solver that looks at the predictions of earlier steps too, see flow_solver.cpp.
struct UniPcConfig {
    std::int64_t order = 2;                      ///< 1 or 2
    bool isLastOfFirstOrder = true;              ///< lower_order_final
    std::vector<std::int64_t> uncorrectedSteps;  ///< disable_corrector
};

/// What a folder's scheduler_config.json says.
struct FlowMatchConfig {
    enum class TimeShift { Exponential, Linear };

    double trainTimesteps = 1000;  ///< N: a timestep is N · σ
    double shift = 1;              ///< σ ← s σ / (1 + (s - 1) σ), where the shift is not dynamic
    bool isDynamic = false;        ///< the shift follows from the number of image tokens
    double baseShift = 0.5, maxShift = 1.15;
    double baseTokens = 256, maxTokens = 4096;
    TimeShift timeShift = TimeShift::Exponential;
    std::optional<double> terminal;  ///< σ of the last step, to which all are stretched
    std::optional<UniPcConfig> uniPc;  ///< without it steps are Euler's
};

/// @throws std::runtime_error in one sentence naming the file and the key that is wrong, or asks for another schedule.
FlowMatchConfig flowMatchConfig(const contract::JsonConfig& json);

struct NoiseLevels {
    std::vector<float> sigmas;     ///< one more than there are steps; falls, the last is 0
    std::vector<float> timesteps;  ///< N · σ of each step, as the model is told: with UniPC whole numbers
    double trainTimesteps = 1000;  ///< N
    std::optional<UniPcConfig> uniPc;
};

/// Where the levels lie before they are shifted, which UniPC decides itself.
enum class Spacing {
    Timesteps,  ///< evenly from the largest timestep of training to the smallest (Stable Diffusion 3, Wan)
    Sigmas      ///< evenly from 1 to 1 / steps (Qwen-Image, Flux)
};

/// @param steps at least 1; @param imageTokens of one sample, which a dynamic shift goes by
NoiseLevels noiseLevels(const FlowMatchConfig& config, Spacing spacing, std::int64_t steps, std::int64_t imageTokens);

}  // namespace engine
