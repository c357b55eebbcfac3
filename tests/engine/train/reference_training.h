// The same training written plainly: one process, whole tensors, ATen's own autograd, textbook AdamW or Muon.
#pragma once
#include <ATen/core/Tensor.h>

#include "engine/contract/experiment.h"

#include <map>
#include <string>
#include <vector>

namespace tests {

struct ReferenceResult {
    std::vector<double> losses;     ///< of each step
    std::vector<double> gradNorms;  ///< before clipping
    std::map<std::string, at::Tensor> firstGradients;  ///< by parameter name
    std::map<std::string, at::Tensor> weights;         ///< after the last step
};

/// Trains the parameters of model.trainable for run.total_steps steps with the whole global batch of @p globalBatch rows.
ReferenceResult trainPlainly(const contract::Experiment& experiment, std::int64_t globalBatch);

}  // namespace tests
