#include "engine/algorithm/loss/divergence_loss.h"

#include <ATen/TensorOperators.h>

namespace engine {
namespace {

AlgorithmLoss named(const at::Tensor& loss, const char* metric) { return {loss, {{metric, loss.detach()}}}; }

at::Tensor gaussianDivergence(const at::Tensor& mean, const at::Tensor& otherMean, const at::Tensor& std)
{
    const at::Tensor perRow = std.dim() == 0 ? std : std.reshape({-1});
    return (rowSquaredErrors(mean, otherMean.detach()) / (2 * perRow.square())).mean();
}

}  // namespace

AlgorithmLoss referenceKlLoss(const at::Tensor& mean, const at::Tensor& referenceMean, const at::Tensor& std)
{
    return named(gaussianDivergence(mean, referenceMean, std), "actor/kl_loss");
}

AlgorithmLoss distillKlLoss(const at::Tensor& mean, const at::Tensor& teacherMean, const at::Tensor& std)
{
    return named(gaussianDivergence(mean, teacherMean, std), "actor/distill_kl_loss");
}

AlgorithmLoss distillFlowLoss(const at::Tensor& prediction, const at::Tensor& teacherPrediction)
{
    return named(rowSquaredErrors(prediction, teacherPrediction.detach()).mean(), "actor/distill_fm_mse_loss");
}

}  // namespace engine
