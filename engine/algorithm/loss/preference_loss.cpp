#include "engine/algorithm/loss/preference_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/log_sigmoid.h>

#include <stdexcept>

namespace engine {

AlgorithmLoss preferenceLoss(const PreferenceRows& rows, double beta)
{
    const std::int64_t count = rows.prediction.size(0);
    if (count < 2 || count % 2 != 0)
        throw std::invalid_argument("a preference loss got " + std::to_string(count) + " rows; it needs pairs of a chosen and a rejected sample");
    const at::Tensor target = rows.noise.to(at::kFloat) - rows.latents.to(at::kFloat);
    // [P, 2]: how much worse than the reference, of the chosen and the rejected
    const at::Tensor excess
        = (rowSquaredErrors(rows.prediction, target) - rowSquaredErrors(rows.referencePrediction, target).detach()).view({-1, 2});
    const at::Tensor rewards = -0.5 * beta * excess;
    const at::Tensor margins = rewards.select(1, 0) - rewards.select(1, 1);
    const at::Tensor loss = -at::log_sigmoid(margins).mean();
    const at::NoGradGuard noGrad;
    return {loss,
        {{"actor/dpo_loss", loss.detach()}, {"actor/implicit_acc", (margins > 0).to(at::kFloat).mean()},
            {"rewards/chosen", rewards.select(1, 0).mean()}, {"rewards/rejected", rewards.select(1, 1).mean()},
            {"rewards/margins", margins.mean()}, {"actor/ref_kl_loss", rowSquaredErrors(rows.prediction, rows.referencePrediction).mean()}}};
}

}  // namespace engine
