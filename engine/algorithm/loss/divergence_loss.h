// How far a model is from another one on the same steps: from the reference, which a penalty keeps it near, or from a teacher,
// whom distillation brings it to. Rows.
#pragma once
#include "engine/algorithm/loss/algorithm_loss.h"

namespace engine {

/// The divergence of two Gaussians of one standard deviation: mean((mean - reference)²) / (2 std²). No gradient reaches
/// @p referenceMean.
/// @param mean, referenceMean [B, …] float32
/// @param std [B, 1, …] or []: std_dev_t as the reference implementation has it, or the transition's (row A-090)
AlgorithmLoss referenceKlLoss(const at::Tensor& mean, const at::Tensor& referenceMean, const at::Tensor& std);

/// The same divergence, from a teacher.
AlgorithmLoss distillKlLoss(const at::Tensor& mean, const at::Tensor& teacherMean, const at::Tensor& std);

/// mean((prediction - teacher's)²). No gradient reaches the teacher's. @param prediction, teacherPrediction [B, …]
AlgorithmLoss distillFlowLoss(const at::Tensor& prediction, const at::Tensor& teacherPrediction);

}  // namespace engine
