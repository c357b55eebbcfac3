// A simple reference implementation of training: one process, full tensors, ATen's autograd, textbook AdamW or Muon.
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/contract/experiment/experiment.h"
#include "tests/engine/worker/drawn_checkpoint.h"

#include <map>
#include <string>
#include <vector>

namespace tests {

struct ReferenceResult {
    std::vector<double> losses;     ///< of each step
    std::vector<double> gradNorms;  ///< before clipping
    Weights firstGradients;         ///< before clipping
    Weights weights;                ///< after the last step
};

struct ReferenceOptions {
    Weights weights = {};      ///< to begin with; none: those that run.seed gives
    bool hasAttention = true;  ///< false: blocks add nothing for their attention
};

/// Trains the parameters of model.trainable for run.total_steps steps with the whole global batch of @p globalBatch rows.
ReferenceResult trainPlainly(
    const contract::Experiment& experiment, std::int64_t globalBatch, const ReferenceOptions& options = {});

/// Root mean square of (actual - expected) / expected; infinite when there are not as many values.
double relativeDifference(const std::vector<double>& expected, const std::vector<double>& actual);

}  // namespace tests
