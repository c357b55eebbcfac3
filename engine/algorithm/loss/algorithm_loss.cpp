#include "engine/algorithm/loss/algorithm_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/full.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

namespace engine {

void addTerm(AlgorithmLoss& total, const AlgorithmLoss& term, double coefficient, const std::string& coefficientName)
{
    total.loss = total.loss + term.loss * coefficient;
    total.metrics.insert(term.metrics.begin(), term.metrics.end());
    total.metrics[coefficientName] = at::full({}, coefficient, term.loss.options());
}

at::Tensor rowMeans(const at::Tensor& values) { return values.reshape({values.size(0), -1}).mean(1); }

at::Tensor rowSquaredErrors(const at::Tensor& a, const at::Tensor& b, at::ScalarType dtype)
{
    return rowMeans((a.to(dtype) - b.to(dtype)).square());
}

at::Tensor clippedObjective(const at::Tensor& ratios, const at::Tensor& advantages, double lowest, double highest)
{
    return at::maximum(-advantages * ratios, -advantages * ratios.clamp(lowest, highest));
}

LossGradient differentiate(const at::Tensor& prediction, const std::function<AlgorithmLoss(const at::Tensor& prediction)>& lossOf)
{
    const c10::InferenceMode normalMode(false);  // with autograd, also where the caller has turned that off
    // Autograd takes no tensor of an inference mode, in which a tape computes.
    const at::Tensor leaf = (prediction.is_inference() ? prediction.clone() : prediction.detach()).requires_grad_();
    AlgorithmLoss result = lossOf(leaf);
    at::Tensor gradient;
    if (result.loss.requires_grad())
        gradient = torch::autograd::grad({result.loss}, {leaf}, {}, std::nullopt, false, /*allow_unused=*/true).front();
    return {result.loss.detach(), gradient.defined() ? gradient : at::zeros_like(leaf).detach(), std::move(result.metrics)};
}

}  // namespace engine
