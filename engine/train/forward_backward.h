// The forward and backward passes of one step: every micro-batch at every timestep.
#pragma once
#include "engine/train/forward_steps.h"
#include "engine/train/part_clock.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// One rank's losses and metrics of a step. Index m · T + t belongs to micro-batch m at timestep t.
struct StepNumbers {
    std::vector<double> losses;                         ///< M · T values
    std::map<std::string, std::vector<double>> metrics; ///< by name: the values of all passes, in order
    double forwardFlops = 0;                            ///< of all forward passes

    double loss() const;  ///< sum of losses
    void clear();

    /// Adds a pass's loss divided by @p passes, and its metrics. Losses on a device are kept there until setLosses(); either all
    /// losses of a step are on a device or none.
    void add(const StepLoss& loss, double passes);

    /// Returns the losses that are on a device: [M · T] float64; undefined when there are none.
    at::Tensor lossesOnDevice() const;
    void setLosses(const at::Tensor& onHost);  ///< @param onHost copy of lossesOnDevice()

private:
    std::vector<at::Tensor> m_onDevice;  ///< [] float64 each
};

/// [Note: accumulation]
/// A step's loss is the mean over micro-batches, timesteps and data ranks. Each of the G = M · T passes computes the
/// gradient of its own loss; units sum these gradients over passes and ranks. The optimizer then divides by G and by the
/// number of *data* ranks. It does not divide by the size of the sequence group: the ranks of one group hold parts of the
/// gradient of one loss, and their sum is that gradient. (Implementations that average gradients over all ranks multiply
/// the loss by the size of the sequence group instead.) Losses are reported divided by G, so that a step's loss is the sum
/// of its losses.
///
/// Each forward pass is followed by its backward pass at once, so that only one pass's activations are alive.

/// Runs all passes and adds the gradients of @p lossScale times each loss to the units' gradients. Collective.
/// @param numbers replaced by this step's losses (divided by G, without @p lossScale) and metrics
/// @param clock begun; its laps here are data, forward and backward
/// @throws std::invalid_argument without a loss function, or when there are no micro-batches or no timesteps.
void forwardBackward(UnitSequence& units, ForwardSteps& steps, const LossFunction& loss, double lossScale,
    StepNumbers& numbers, PartClock& clock);

}  // namespace engine
