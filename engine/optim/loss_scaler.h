// Dynamic loss scaling for float16: the loss is multiplied by a scale, and the gradients are divided by it.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <c10/core/ScalarType.h>

#include <cstdint>
#include <map>
#include <string>

namespace engine {

/// The options of LossScaler (row E-188).
struct LossScalerOptions {
    double initial = 65536;             ///< > 0
    double growth = 2;                  ///< ≥ 1; above 1 for float16
    double backoff = 0.5;               ///< in (0, 1]; below 1 for float16
    std::int64_t growthInterval = 1000; ///< consecutive steps without overflow after which the scale grows
    double minimum = 1;                 ///< > 0
    double maximum = 16777216;          ///< > 0
    std::int64_t hysteresis = 2;        ///< the scale shrinks from this number of overflows since it last grew
};

/// Keeps the scale at 1, for dtypes with the range of float32.
constexpr LossScalerOptions kNoLossScaling {.initial = 1, .growth = 1, .backoff = 1, .maximum = 1};

/// The state is equal on every rank, because all ranks see the same gradient norm.
class LossScaler {
public:
    /// @param dtype dtype of the scaled gradients: float16, bfloat16 or float32
    /// @throws EngineError WrongUsage naming the option that is out of its range.
    LossScaler(const LossScalerOptions& options, at::ScalarType dtype);

    double scale() const { return m_scale; }
    double inverseScale() const { return 1 / m_scale; }

    /// Call after each step. @param overflowed whether a gradient was not finite
    void update(bool overflowed);

    /// Returns "loss_scale", "loss_scale_growth_steps" and "loss_scale_overflows" (row E-189).
    std::map<std::string, std::string> toState() const;
    /// @throws EngineError BadCheckpoint naming the entry that is missing or out of range.
    void restore(const std::map<std::string, std::string>& state);

private:
    LossScalerOptions m_options;
    double m_scale;
    std::int64_t m_growthSteps = 0;  ///< steps since the scale grew or a step overflowed
    std::int64_t m_overflows = 0;    ///< overflows since the scale last grew
};

/// Returns the experiment's options when it computes in float16, else kNoLossScaling.
LossScalerOptions lossScalerOptionsOf(const contract::Experiment& experiment);

}  // namespace engine
