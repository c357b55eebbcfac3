// Classifier-free guidance: how the velocity is computed from a model's predictions with and without the prompt (rows A-050 to
// Used alike by sampling and by training on sampled trajectories, where both predictions get gradients.
#pragma once
#include <ATen/core/Tensor.h>

namespace engine {

enum class Guidance {
    Classifier,          ///< v_neg + scale · (v_pos - v_neg); the same when the clean latents are combined instead (x_0 = x - σ v)
    ClassifierRescaled,  ///< the same, then each 2 × 2 × C token is rescaled to its norm in v_pos
    Distilled            ///< the scale is an input of the model
};

struct GuidanceOptions {
    Guidance kind = Guidance::Classifier;
    double scale = 1;  ///< for the two classifier kinds 1 or less turns guidance off

    /// Whether there is a second prediction, for the negative prompt.
    bool usesNegative() const { return kind != Guidance::Distilled && scale > 1; }
};

/// Combines the two predictions. Each row depends on itself alone, to the last bit. Differentiable, also where a norm is 0.
/// @param positive, negative of one shape; for ClassifierRescaled [B, C, (F,) H, W] float32, H and W even
at::Tensor guided(const at::Tensor& positive, const at::Tensor& negative, const GuidanceOptions& guidance);

/// L2 norm of each 2 × 2 × C token of @p x, at all of its elements; at least 1e-12. @param x [B, C, (F,) H, W], H and W even
/// @return [B, 1, (F,) H, W]
at::Tensor tokenNorms(const at::Tensor& x);

}  // namespace engine
