// Diffusion-DPO (Wallace et al., 2024): a preference between two samples of one prompt, by how much better than the reference
// the model predicts the preferred one. Row A-085.
#pragma once
#include "engine/algorithm/loss/algorithm_loss.h"

namespace engine {

/// [2P, …] each: row 2i is the chosen sample of pair i, row 2i + 1 the rejected one. Both have the same noise and timestep.
struct PreferenceRows {
    at::Tensor noise, latents;       ///< the target is noise - latents
    at::Tensor prediction;           ///< of the model that trains, with the graph
    at::Tensor referencePrediction;  ///< gets no gradient
};

/// @throws std::invalid_argument for fewer than two rows, or an odd number of rows.
AlgorithmLoss preferenceLoss(const PreferenceRows& rows, double beta);

}  // namespace engine
