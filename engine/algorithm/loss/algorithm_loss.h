// What the losses of post-training have in common: their result, its gradient, and the clipped objective.
// Dims: B rows of a micro-batch; the rows' tensors are [B, …].
#pragma once
#include "engine/train/forward_steps.h"

#include <ATen/core/Tensor.h>

#include <functional>
#include <string>

namespace engine {

/// A loss on one micro-batch at one timestep, on the prediction's device.
struct AlgorithmLoss {
    at::Tensor loss;       ///< [] float32, with the graph that leads to the prediction
    NamedTensors metrics;  ///< [] each, without a graph; named as in the journal
};

/// Adds @p coefficient times another loss, takes over its metrics, and reports the coefficient as the metric @p coefficientName
/// (row A-093).
void addTerm(AlgorithmLoss& total, const AlgorithmLoss& term, double coefficient, const std::string& coefficientName);

/// Means over all dims but the first. @param values [B, …] @return [B]
at::Tensor rowMeans(const at::Tensor& values);

/// Means over all dims but the first of (a - b)². @param a, b [B, …] of any floating-point dtype @return [B] in @p dtype
at::Tensor rowSquaredErrors(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype = at::kFloat);

/// PPO's pessimistic objective: max(-advantage · ratio, -advantage · clamp(ratio, lowest, highest)). @return [B]
at::Tensor clippedObjective(const at::Tensor& ratios, const at::Tensor& advantages, double lowest, double highest);

/// A loss without its graph, and its gradient.
struct LossGradient {
    at::Tensor loss;      ///< []
    at::Tensor gradient;  ///< of the prediction, in its shape and dtype; zeros when the loss does not depend on it
    NamedTensors metrics;
};

/// Computes a loss and its gradient with respect to @p prediction by autograd, whatever mode the caller is in.
/// @param lossOf is called once with a leaf that shares the memory of @p prediction
LossGradient differentiate(const at::Tensor& prediction, const std::function<AlgorithmLoss(const at::Tensor& prediction)>& lossOf);

}  // namespace engine
