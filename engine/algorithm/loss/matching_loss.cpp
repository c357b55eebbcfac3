#include "engine/algorithm/loss/matching_loss.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/where.h>

#include <cmath>
#include <map>
#include <stdexcept>
#include <string>

namespace engine {
namespace {

at::Tensor share(const at::Tensor& isCounted) { return isCounted.to(at::kFloat).mean(); }

at::Tensor meanSquaredDistance(const at::Tensor& prediction, const at::Tensor& other, const char* coefficient)
{
    if (!other.defined())
        throw std::invalid_argument(std::string(coefficient) + " is not 0, but the prediction that it applies to was not computed");
    return rowSquaredErrors(prediction, other.detach()).mean();
}

}  // namespace

MatchingWeight matchingWeight(std::string_view name)
{
    static const std::map<std::string_view, MatchingWeight> weights = {{"Uniform", MatchingWeight::Uniform}, {"t", MatchingWeight::Time},
        {"t**2", MatchingWeight::TimeSquared}, {"huber", MatchingWeight::Huber}, {"ghuber", MatchingWeight::GeneralizedHuber}};
    const auto found = weights.find(name);
    if (found == weights.end())
        throw EngineError(EngineError::Kind::WrongUsage,
            "the matching weight \"" + std::string(name) + "\" is not supported; supported: Uniform, t, t**2, huber, ghuber");
    return found->second;
}

at::Tensor matchingLogProbs(const at::Tensor& prediction, const at::Tensor& target, const at::Tensor& timesteps, const MatchingOptions& options)
{
    constexpr double kSmall = 1e-10;  // keeps the root's gradient finite
    const at::Tensor errors = rowSquaredErrors(prediction, target, at::kDouble);
    const at::Tensor sigmas = (timesteps.to(at::kDouble) / 1000).clamp(0, 1);
    const double power = options.huberPower;
    switch (options.weight) {
    case MatchingWeight::Uniform:
        break;
    case MatchingWeight::Time:
        return (-errors * sigmas).to(at::kFloat);
    case MatchingWeight::TimeSquared:
        return (-errors * sigmas.square()).to(at::kFloat);
    case MatchingWeight::Huber:
        return (-((errors + kSmall).sqrt() - std::sqrt(kSmall)) * sigmas).to(at::kFloat);
    case MatchingWeight::GeneralizedHuber:
        return (-((errors + kSmall).pow(power) - std::pow(kSmall, power)) * sigmas / power).to(at::kFloat);
    }
    return (-errors).to(at::kFloat);
}

AlgorithmLoss matchingLoss(const MatchingRows& rows, const MatchingOptions& options)
{
    const at::Tensor advantages = rows.advantages.clamp(options.lowestAdvantage, options.highestAdvantage);
    const at::Tensor logProbs = matchingLogProbs(rows.prediction, rows.target, rows.timesteps, options);
    const at::Tensor ratios = (logProbs - rows.oldLogProbs.detach()).exp(), measured = ratios.detach();
    const double lowest = 1 + options.lowestClip, highest = 1 + options.highestClip;
    const at::Tensor policy = clippedObjective(ratios, advantages, lowest, highest).mean();
    AlgorithmLoss result {policy,
        {{"policy_loss", policy.detach()}, {"ratio_mean", measured.mean()}, {"clip_frac_high", share(measured > highest)},
            {"clip_frac_low", share(measured < lowest)}}};
    const auto addPenalty = [&](double coefficient, const at::Tensor& other, const char* metric, const char* name) {
        if (coefficient == 0)
            return;
        const at::Tensor penalty = coefficient * meanSquaredDistance(rows.prediction, other, name);
        result.loss = result.loss + penalty;
        result.metrics[metric] = penalty.detach();
    };
    addPenalty(options.referenceCoefficient, rows.referencePrediction, "kl_loss", "the coefficient of the distance from the reference");
    addPenalty(options.emaCoefficient, rows.emaPrediction, "ema_kl_loss", "the coefficient of the distance from the average");
    return result;
}

GroupMatchingLoss groupMatchingLoss(const GroupMatchingRows& rows, const GroupPreference& groups, const GroupMatchingOptions& options)
{
    const bool hasOld = rows.oldPrediction.defined();
    if (options.anchorsAtOld && !hasOld)
        throw std::invalid_argument("errors are to be compared with those of the old policy, but its prediction was not computed");
    at::Tensor errors = rowSquaredErrors(rows.prediction, rows.target);
    const at::Tensor advantages = rows.advantages.clamp(options.lowestAdvantage, options.highestAdvantage);
    if (!rows.referencePrediction.defined() && (!options.anchorsAtOld || options.referenceCoefficient != 0))
        throw std::invalid_argument("errors are to be compared with those of the reference, but its prediction was not computed");

    GroupMatchingLoss result;
    at::Tensor isClipped;
    {
        const at::NoGradGuard noGrad;
        const at::Tensor measured = errors.detach();
        const at::Tensor anchor = rowSquaredErrors(options.anchorsAtOld ? rows.oldPrediction : rows.referencePrediction, rows.target);
        result.groupWeights = groups.sums(advantages * options.beta * (measured - anchor) / static_cast<double>(groups.groupSize())).sigmoid();
        if (hasOld && (options.clipsLoss || options.clipsPenalty)) {
            const at::Tensor ratios = (rowSquaredErrors(rows.oldPrediction, rows.target) - measured).exp();
            isClipped = at::where(advantages > 0, ratios > 1 + options.highestClip, ratios < 1 + options.lowestClip);
            result.metrics["clip_frac"] = share(isClipped);
        }
        result.metrics["dsm_loss"] = measured.mean();
        if (rows.referencePrediction.defined())
            result.metrics["kl_div"] = rowSquaredErrors(rows.prediction, rows.referencePrediction).mean();
    }
    if (isClipped.defined() && options.clipsLoss)
        errors = at::where(isClipped, errors.detach(), errors);
    result.loss = (result.groupWeights * advantages * errors).mean();
    result.metrics["dgpo_loss"] = result.loss.detach();
    if (options.referenceCoefficient != 0) {
        at::Tensor distances = rowSquaredErrors(rows.prediction, rows.referencePrediction.detach());
        if (isClipped.defined() && options.clipsPenalty)
            distances = at::where(isClipped, distances.detach(), distances);
        const at::Tensor penalty = options.referenceCoefficient * distances.mean();
        result.loss = result.loss + penalty;
        result.metrics["kl_loss"] = penalty.detach();
    }
    return result;
}

}  // namespace engine
