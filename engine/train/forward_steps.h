// What the training loop asks of whatever is trained: supervised flow matching, or an algorithm on rollouts.
#pragma once
#include "engine/model/tape.h"
#include "engine/train/training_progress.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace engine {

using NamedTensors = std::map<std::string, at::Tensor>;
using NamedNumbers = std::map<std::string, double>;

/// What the model says of one micro-batch at one of its timesteps.
struct ForwardStep {
    Var prediction = nullptr;  ///< where backward begins; the tape's
    NamedTensors outputs;      ///< [b, …] each; valid as long as the tape
};

/// A rank's share of one step: M micro-batches of equal length, each at T timesteps.
///
/// The ranks of a sequence group have the same rows; all ranks have the same M and T, since every pass is a collective.
class ForwardSteps {
public:
    virtual ~ForwardSteps() = default;

    virtual std::int64_t rows() const = 0;          ///< of all micro-batches
    virtual std::int64_t microBatches() const = 0;  ///< M, at least 1
    virtual std::int64_t timesteps() const = 0;     ///< T, at least 1

    /// A training step begins.
    virtual void begin(const TrainingProgress& /*progress*/) { }

    /// Brings a micro-batch to the device: the one that forward() is about from here on.
    virtual void load(std::int64_t micro) = 0;

    /// Collective. @param timestep index in [0, T)
    virtual ForwardStep forward(Tape& tape, std::int64_t timestep) = 0;
};

/// Of one micro-batch at one timestep, by itself: the loop divides by M · T.
struct StepLoss {
    double value = 0;      ///< mean over its rows
    at::Tensor gradient;   ///< of the prediction, its shape; not needed where there is only a forward pass
    NamedNumbers metrics;
};

/// @param step of the micro-batch that was loaded last. Called while the tape lives.
using LossFunction = std::function<StepLoss(const ForwardStep& step, std::int64_t timestep)>;

}  // namespace engine
