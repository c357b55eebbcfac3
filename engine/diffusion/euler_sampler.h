// From noise to pictures: Euler steps along the predicted velocity, with classifier-free guidance.
#pragma once
#include "engine/model/model.h"

#include <ATen/core/Tensor.h>

namespace engine {

struct SamplerOptions {
    std::int64_t steps = 30;
    double guidanceScale = 1;  ///< 1: no second pass
};

/// σ falls from 1 to 0 in equal steps; x ← x + (σ_next - σ) · v, v = v_null + g · (v_label - v_null).
/// Collective: every rank calls it with as many rows as it has (at least one), inside an EvaluationScope.
/// @param noise [B, C, H, W] float32 on the model's device, @param labels [B]
/// @return [B, C, H, W] float32
at::Tensor sampleEuler(const Model& model, UnitSequence& units, const at::Tensor& noise,
    const at::Tensor& labels, const SamplerOptions& options);

}  // namespace engine
