#include "engine/algorithm/rollout_correction.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_unique.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

using contract::CorrectionBounds;
using contract::CorrectionSpec;
using contract::RejectionRule;

const std::string kPrefix = "rollout_corr/";
constexpr double kLargestLogRatio = 20;

at::Tensor portion(const at::Tensor& isCounted) { return isCounted.to(at::kFloat).mean(); }

/// Standard deviation of all entries, not corrected for their number.
at::Tensor biasedStd(const at::Tensor& values)
{
    return (values.square().mean() - values.mean().square()).clamp_min(0).sqrt();
}

/// Unbiased; 0 for a single row.
at::Tensor rowStd(const at::Tensor& rows)
{
    return rows.size(0) > 1 ? rows.std(/*unbiased=*/true) : at::zeros({}, rows.options());
}

void checkLogProbs(const at::Tensor& policy, const at::Tensor& rollout)
{
    if (!policy.defined() || !rollout.defined())
        throw std::invalid_argument("rollout correction needs the sampler's log-probabilities: let rollouts record them");
    if (policy.sizes() != rollout.sizes())
        throw std::invalid_argument("the log-probabilities of policy and rollout must have identical shapes");
    if (policy.dim() != 2)
        throw std::invalid_argument("log-probabilities have " + std::to_string(policy.dim()) + " dimensions; they must be [B, T]");
}

/// @param logRatios [B, T] @return [B, T]
at::Tensor importanceWeights(const at::Tensor& logRatios, const CorrectionSpec& spec, NamedTensors& metrics)
{
    const auto add = [&](const char* name, const at::Tensor& value) { metrics[kPrefix + "rollout_is_" + name] = value; };
    const bool isPerRow = spec.weights == CorrectionSpec::Weights::Rows;
    const at::Tensor ratios
        = (isPerRow ? logRatios.sum(1, /*keepdim=*/true) : logRatios).clamp(-kLargestLogRatio, kLargestLogRatio).exp();
    const double lower = spec.bounds.lower, upper = spec.bounds.upper;
    at::Tensor weights = ratios.clamp_max(upper);
    if (spec.bounds.hasLower) {
        const at::Tensor isOutside = (ratios < lower) | (ratios > upper);
        weights = at::where(isOutside, at::zeros({}, ratios.options()), ratios);
        add("oob_ratio", portion(isOutside));
    }
    weights = weights.expand_as(logRatios);
    const at::Tensor mean = weights.mean(), rows = weights.mean(1);
    const at::Tensor& extremes = isPerRow ? ratios : weights;
    add("mean", mean);
    add("max", extremes.max());
    add("min", extremes.min());
    add("std", biasedStd(weights));
    add("eff_sample_size", (weights / (mean + 1e-8)).square().mean().reciprocal());
    add("ratio_fraction_high", portion(ratios > upper));
    add("ratio_fraction_low", portion(ratios < lower));
    add("seq_mean", rows.mean());
    add("seq_std", rowStd(rows));
    add("seq_max", rows.max());
    add("seq_min", rows.min());
    add("seq_max_deviation", (rows - 1).abs().max());
    add("seq_fraction_high", portion(rows > upper));
    add("seq_fraction_low", portion(rows < lower));
    if (!spec.normalisesWeights)
        return weights;
    const at::Tensor factor = at::where(mean > 1e-8, mean, mean.new_ones({}));
    add("batch_norm_factor", factor);
    return weights / factor;
}

/// The rule's statistic: [B, T], or [B] for one over rows.
at::Tensor statisticOf(const RejectionRule& rule, const at::Tensor& logRatios)
{
    const at::Tensor limited = logRatios.clamp(-kLargestLogRatio, kLargestLogRatio);
    const at::Tensor entries = rule.statistic == RejectionRule::Statistic::K1 ? -limited
        : rule.statistic == RejectionRule::Statistic::K2                      ? limited.square() / 2
                                                                              : limited.exp() - 1 - limited;
    switch (rule.over) {
    case RejectionRule::Over::Entry:
        break;
    case RejectionRule::Over::RowSum:
        return entries.sum(1);
    case RejectionRule::Over::RowMean:
        return entries.mean(1);
    case RejectionRule::Over::RowMax:
        return entries.amax(1);
    }
    return entries;
}

/// Fraction of rows of which something is rejected.
at::Tensor rejectedRows(const at::Tensor& keep) { return portion(keep.amin(1) == 0); }

/// @return [B, T] 1 or 0
at::Tensor keptBy(const RejectionRule& rule, const at::Tensor& logRatios, NamedTensors& metrics)
{
    const auto add = [&](const char* name, const at::Tensor& value) { metrics[kPrefix + "rollout_rs_" + rule.name + name] = value; };
    const bool isTwoSided = rule.statistic == RejectionRule::Statistic::K1, isPerEntry = rule.over == RejectionRule::Over::Entry;
    const double high = isTwoSided ? std::log(rule.bounds.upper) : rule.bounds.upper;
    const double low = isTwoSided ? std::log(rule.bounds.lower) : -std::numeric_limits<double>::infinity();
    const at::Tensor statistic = statisticOf(rule, logRatios), rows = isPerEntry ? statistic.mean(1) : statistic;
    const at::Tensor kept = ((statistic >= low) & (statistic <= high)).to(logRatios.scalar_type());  // not where it is NaN
    const at::Tensor keep = isPerEntry ? kept : kept.unsqueeze(1).expand_as(logRatios);
    add("_mean", statistic.mean());
    add("_max", statistic.max());
    add("_min", statistic.min());
    add("_std", biasedStd(statistic.clamp(low, high)));
    add("_fraction_high", portion(statistic > high));
    add("_fraction_low", portion(statistic < low));
    add("_seq_mean", rows.mean());
    add("_seq_std", rowStd(rows));
    add("_seq_max", rows.max());
    add("_seq_min", rows.min());
    add("_seq_max_deviation", rows.abs().max());
    add("_seq_fraction_high", portion(rows > high));
    if (isTwoSided)
        add("_seq_fraction_low", portion(rows < low));
    add("_masked_fraction", 1 - keep.mean());
    add("_seq_masked_fraction", rejectedRows(keep));
    return keep;
}

/// [B] or [B, …] as [B, T].
at::Tensor asColumns(const at::Tensor& logProbs) { return logProbs.detach().reshape({logProbs.size(0), -1}); }

}  // namespace

at::Tensor RolloutCorrection::weights() const
{
    if (!importance.defined() || !keep.defined())
        return importance.defined() ? importance : keep;
    return importance * keep;
}

RolloutCorrection rolloutCorrection(const at::Tensor& policy, const at::Tensor& rollout, const CorrectionSpec& spec)
{
    checkLogProbs(policy, rollout);
    const at::NoGradGuard noGrad;
    const at::Tensor logRatios = policy.detach() - rollout.detach();
    RolloutCorrection result {{}, {}, offPolicyMetrics(policy, rollout)};
    if (spec.weights != CorrectionSpec::Weights::None)
        result.importance = importanceWeights(logRatios, spec, result.metrics);
    for (const RejectionRule& rule : spec.rejections) {
        const at::Tensor kept = keptBy(rule, logRatios, result.metrics);
        result.keep = result.keep.defined() ? result.keep * kept : kept;
    }
    if (result.keep.defined()) {
        result.metrics[kPrefix + "rollout_rs_masked_fraction"] = 1 - result.keep.mean();
        result.metrics[kPrefix + "rollout_rs_seq_masked_fraction"] = rejectedRows(result.keep);
    }
    return result;
}

NamedTensors offPolicyMetrics(const at::Tensor& policy, const at::Tensor& rollout)
{
    const at::NoGradGuard noGrad;
    const at::Tensor training = asColumns(policy), sampled = asColumns(rollout), logRatios = training - sampled;
    const at::Tensor trainingMeans = training.mean(1), sampledMeans = sampled.mean(1), differences = sampledMeans - trainingMeans;
    const auto limited = [](const at::Tensor& values) { return values.clamp(-kLargestLogRatio, kLargestLogRatio); };
    return {{kPrefix + "training_ppl", (-trainingMeans).exp().mean()}, {kPrefix + "training_log_ppl", (-trainingMeans).mean()},
        {kPrefix + "rollout_ppl", (-sampledMeans).exp().mean()}, {kPrefix + "rollout_log_ppl", (-sampledMeans).mean()},
        {kPrefix + "kl", (-logRatios).mean()}, {kPrefix + "k3_kl", (logRatios.exp() - logRatios - 1).mean()},
        {kPrefix + "log_ppl_diff", differences.mean()}, {kPrefix + "log_ppl_abs_diff", differences.abs().mean()},
        {kPrefix + "log_ppl_diff_max", differences.max()}, {kPrefix + "log_ppl_diff_min", differences.min()},
        {kPrefix + "ppl_ratio", differences.exp().mean()},
        {kPrefix + "chi2_token", limited(logRatios).exp().square().mean() - 1},
        {kPrefix + "chi2_seq", limited(logRatios.sum(1)).exp().square().mean() - 1}};
}

NamedTensors logProbDifferences(const at::Tensor& policy, const at::Tensor& rollout, const at::Tensor& timesteps)
{
    const at::NoGradGuard noGrad;
    const at::Tensor differences = (policy.detach() - rollout.detach()).abs();
    NamedTensors metrics {{kPrefix + "logprob_abs_diff_mean", differences.mean()}, {kPrefix + "logprob_abs_diff_max", differences.max()}};
    if (!timesteps.defined() || timesteps.sizes() != differences.sizes())
        return metrics;
    const at::Tensor distinct = std::get<0>(at::_unique(timesteps.to(at::kDouble)));
    for (std::int64_t i = 0; i < distinct.numel(); ++i) {
        const double timestep = distinct[i].item<double>();
        std::array<char, 32> name {};
        std::snprintf(name.data(), name.size(), "%.4g", timestep);
        const at::Tensor isAt = (timesteps.to(at::kDouble) == timestep).to(differences.options());
        metrics[kPrefix + "logprob_abs_diff/ts_" + name.data()] = (differences * isAt).sum() / isAt.sum();
    }
    return metrics;
}

}  // namespace engine
