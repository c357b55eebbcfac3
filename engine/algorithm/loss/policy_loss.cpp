#include "engine/algorithm/loss/policy_loss.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace engine {
namespace {

at::Tensor fraction(const at::Tensor& isCounted) { return isCounted.to(at::kFloat).mean(); }

/// @param perRow [B, 1, …], [B] or [] @return [B] or []
at::Tensor rowScales(const at::Tensor& perRow) { return perRow.dim() == 0 ? perRow : perRow.reshape({-1}); }

/// Standard deviation of @p ratios [B]; 0 for a single row, for which the unbiased one is not defined.
at::Tensor spread(const at::Tensor& ratios, bool isUnbiased)
{
    return ratios.size(0) > 1 ? ratios.std(isUnbiased) : at::zeros({}, ratios.options());
}

at::Tensor weighted(const at::Tensor& losses, const at::Tensor& weights)
{
    return weights.defined() ? losses * weights.detach() : losses;
}

/// Metrics of the clipped losses (row A-080). @param differences log-probability minus the old one
NamedTensors clipMetrics(const at::Tensor& differences, const at::Tensor& ratios, double clip)
{
    const at::NoGradGuard noGrad;
    return {{"actor/ppo_kl", (-differences).mean()}, {"actor/pg_clipfrac", fraction((ratios - 1).abs() > clip)},
        {"actor/pg_clipfrac_higher", fraction(ratios - 1 > clip)}, {"actor/pg_clipfrac_lower", fraction(1 - ratios > clip)},
        {"actor/ratio_mean", ratios.mean()}, {"actor/ratio_std", spread(ratios, /*isUnbiased=*/true)}};
}

}  // namespace

AlgorithmLoss flowGrpoLoss(const PolicyRows& rows, const ClipOptions& options)
{
    const at::Tensor advantages = rows.advantages.clamp(-options.advantage, options.advantage);
    const at::Tensor differences = rows.logProbs - rows.oldLogProbs, ratios = differences.exp();
    const at::Tensor losses = clippedObjective(ratios, advantages, 1 - options.ratio, 1 + options.ratio);
    return {weighted(losses, rows.weights).mean(), clipMetrics(differences.detach(), ratios.detach(), options.ratio)};
}

AlgorithmLoss flowDppoLoss(const PolicyRows& rows, const StepMeans& means, const DppoOptions& options)
{
    const at::Tensor differences = rows.logProbs - rows.oldLogProbs, ratios = differences.exp();
    at::Tensor isFar, isRaised, isLowered;
    NamedTensors metrics;
    {
        const at::NoGradGuard noGrad;
        at::Tensor divergences = rowSquaredErrors(means.mean, means.oldMean) / 2;
        if (options.dividesByVariance)
            divergences = divergences / rowScales(means.transitionStd).square();
        isFar = divergences >= options.threshold;
        isRaised = isFar & (ratios > 1) & (rows.advantages > 0);
        isLowered = isFar & (ratios < 1) & (rows.advantages < 0);
        const at::Tensor removed = fraction(isRaised | isLowered);
        metrics = {{"actor/ppo_kl", (-differences).mean()}, {"actor/approx_kl", (differences.square() / 2).mean()},
            {"actor/ratio_mean", ratios.mean()}, {"actor/ratio_std", spread(ratios, /*isUnbiased=*/false)},
            {"actor/ratio_min", ratios.min()}, {"actor/ratio_max", ratios.max()},
            {"actor/kl_new_old_mean", divergences.mean()}, {"actor/kl_new_old_max", divergences.max()},
            {"actor/kl_mask_fraction", fraction(isFar)}, {"actor/pos_rm_fraction", fraction(isRaised)},
            {"actor/neg_rm_fraction", fraction(isLowered)}, {"actor/masked_fraction", removed},
            {"actor/unmasked_fraction", 1 - removed}};
    }
    const at::Tensor losses = at::where(isRaised | isLowered, at::zeros({}, ratios.options()), -rows.advantages * ratios);
    return {weighted(losses, rows.weights).mean(), std::move(metrics)};
}

AlgorithmLoss grpoGuardLoss(const PolicyRows& rows, const StepMeans& means, const ClipOptions& options)
{
    const at::Tensor advantages = rows.advantages.clamp(-options.advantage, options.advantage);
    const at::Tensor scales = rowScales(means.transitionStd);
    const at::Tensor drift = rowSquaredErrors(means.mean, means.oldMean) / (2 * scales.square());
    const at::Tensor differences = rows.logProbs - rows.oldLogProbs;
    const at::Tensor ratios = ((differences + drift) * scales).exp();
    const at::Tensor losses = clippedObjective(ratios, advantages, 1 - options.ratio, 1 + options.ratio);
    const at::Tensor scaled = weighted(losses, rows.weights) / rowScales(means.sqrtDt).square();
    return {scaled.mean(), clipMetrics(differences.detach(), ratios.detach(), options.ratio)};
}

}  // namespace engine
