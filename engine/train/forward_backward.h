// Forward and backward over the micro-batches of a step and the timesteps of each.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/train/forward_steps.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace engine {

/// Milliseconds.
struct StepTimes {
    double step = 0, data = 0, forward = 0, backward = 0, communication = 0, optimizer = 0;
};

/// What a rank's losses were: number m · T + t is of micro-batch m at timestep t.
struct StepNumbers {
    std::vector<double> losses;                         ///< M · T
    std::map<std::string, std::vector<double>> metrics; ///< every step's, in order

    double loss() const;  ///< their sum
    void clear();
    void add(double loss, const NamedNumbers& stepMetrics);
};

/// [Note: accumulation]
/// A step's loss is the mean over micro-batches, timesteps and data ranks. Each of the G = M · T passes leaves the
/// gradient of its own loss; units add them up, and add up the ranks'. The optimizer then divides by G and by the
/// number of *data* ranks: ranks of one sequence group hold parts of the gradient of one loss, whose sum is that
/// gradient already. (Where gradients are averaged over all ranks, the loss is multiplied by the size of the sequence
/// group instead.) Losses are reported divided by G, so that a step's loss is the sum of its numbers.
///
/// Backward follows each forward at once, so that a pass's values make way for the next one's.

/// Adds the gradients of @p lossScale times every loss to the units'. Collective.
/// @param numbers are replaced: losses divided by G, and not scaled
/// @param times data, forward, backward and communication are added to
/// @throws std::invalid_argument without a loss function, or with nothing to do.
void forwardBackward(UnitSequence& units, Mesh& mesh, ForwardSteps& steps, const LossFunction& loss, double lossScale,
    StepNumbers& numbers, StepTimes& times);

struct ForwardResult {
    NamedTensors outputs;  ///< [B, T, …]: each of a step's outputs, timesteps along dim 1, rows in their order
    StepNumbers numbers;
};

/// The passes alone, with @p weights, in an evaluation scope. Collective.
/// @param loss may be empty: the losses are then 1, and there are no metrics
/// @throws std::invalid_argument for an output that not every step has, or not with the same shape.
ForwardResult forwardOnly(UnitSequence& units, ForwardSteps& steps, const LossFunction& loss, Weights weights);

}  // namespace engine
