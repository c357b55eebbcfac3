// The interface between the training loop and a training method: supervised flow matching, or an algorithm on rollouts.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/train/training_progress.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>

namespace engine {

using NamedTensors = std::map<std::string, at::Tensor>;
using NamedNumbers = std::map<std::string, double>;

/// The model's result for one micro-batch at one timestep.
struct ForwardStep {
    Var prediction = nullptr;  ///< backward starts here; owned by the tape
    double flops = 0;          ///< Model::forwardFlops() of this pass
};

/// One rank's share of a step: M micro-batches of equal size, each at T timesteps.
///
/// The ranks of a sequence group have the same rows. All ranks have the same M and T, because every pass is collective.
class ForwardSteps {
public:
    virtual ~ForwardSteps() = default;

    virtual std::int64_t rows() const = 0;          ///< samples in all micro-batches together
    virtual std::int64_t microBatches() const = 0;  ///< M, at least 1
    virtual std::int64_t timesteps() const = 0;     ///< T, at least 1

    /// Called at the start of each training step.
    virtual void begin(const TrainingProgress& /*progress*/) { }

    /// Whether the step that begin() has started is the last of several that belong together, such as the updates of a round.
    virtual bool isLastOfRound() const { return true; }

    /// Copies micro-batch @p micro to the device; later forward() calls use it.
    virtual void load(std::int64_t micro) = 0;

    /// Called when the last backward pass of the loaded micro-batch has been started: the time to prepare the next one, while
    /// a GPU computes.
    virtual void prefetch() { }

    /// Collective. @param timestep index in [0, T)
    virtual ForwardStep forward(Tape& tape, std::int64_t timestep) = 0;
};

/// The loss of one micro-batch at one timestep, not yet divided by M · T: the loop does that.
struct StepLoss {
    double value = 0;      ///< mean over the rows of the micro-batch
    at::Tensor gradient;   ///< with respect to the prediction, in its shape
    NamedNumbers metrics;
    at::Tensor valueOnDevice = {};  ///< [] floating-point: replaces value, for a device that the host should not wait for
};

/// @param step result of the micro-batch that was loaded last; its tape is still alive.
using LossFunction = std::function<StepLoss(const ForwardStep& step, std::int64_t timestep)>;

}  // namespace engine
