// The factor that keeps float16 gradients in range: the loss is multiplied by it, the gradients are divided again.
#pragma once
#include "engine/contract/experiment.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// Row E-188.
struct LossScalerOptions {
    double initial = 65536;             ///< > 0
    double growth = 2;                  ///< ≥ 1; above 1 for float16
    double backoff = 0.5;               ///< in (0, 1]; below 1 for float16
    std::int64_t growthInterval = 1000; ///< steps in a row without overflow after which the scale grows
    double minimum = 1;                 ///< > 0
    double maximum = 16777216;          ///< > 0
    std::int64_t hysteresis = 2;        ///< overflows since the last growth from which on the scale shrinks
};

/// Always 1, for dtypes with the range of float32.
constexpr LossScalerOptions kNoLossScaling {.initial = 1, .growth = 1, .backoff = 1, .maximum = 1};

/// Equal on every rank, since all see the same gradient norm.
class LossScaler {
public:
    /// @param dtype of the gradients that are scaled: float16, bfloat16 or float32
    /// @throws EngineError WrongUsage naming the option that is out of its range.
    LossScaler(const LossScalerOptions& options, at::ScalarType dtype);

    double scale() const { return m_scale; }
    double inverseScale() const { return 1 / m_scale; }

    /// After each step. @param overflowed: a gradient was not finite
    void update(bool overflowed);

    /// "loss_scale", "loss_scale_growth_steps" and "loss_scale_overflows" (row E-189).
    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming what is missing or out of range.
    void restore(const std::map<std::string, std::string>& state);

private:
    LossScalerOptions m_options;
    double m_scale;
    std::int64_t m_growthSteps = 0;  ///< since the scale grew, shrank or overflowed
    std::int64_t m_overflows = 0;    ///< since the scale grew
};

/// The options where compute is float16, none otherwise.
LossScalerOptions lossScalerOptionsOf(const contract::Experiment& experiment);

}  // namespace engine
