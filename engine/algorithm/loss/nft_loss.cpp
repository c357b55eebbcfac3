#include "engine/algorithm/loss/nft_loss.h"

#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include <map>
#include <string>

namespace engine {
namespace {

/// Each row's squared error against the clean sample, relative to the size of its error. @return [B]
at::Tensor relativeErrors(const at::Tensor& velocity, const NftRows& rows, double smallestWeight)
{
    const at::Tensor error = rows.noisy - rows.times * velocity - rows.clean;
    const at::Tensor weights = rowMeans(error.detach().to(at::kDouble).abs()).clamp_min(smallestWeight).to(error.scalar_type());
    return rowMeans(error.square()) / weights;
}

}  // namespace

AdvantageMode advantageMode(std::string_view name)
{
    static const std::map<std::string_view, AdvantageMode> modes = {{"continuous", AdvantageMode::Continuous},
        {"positive_only", AdvantageMode::PositiveOnly}, {"negative_only", AdvantageMode::NegativeOnly},
        {"one_only", AdvantageMode::OneOnly}, {"binary", AdvantageMode::Binary}};
    const auto found = modes.find(name);
    if (found == modes.end())
        throw EngineError(EngineError::Kind::WrongUsage,
            "the advantage mode \"" + std::string(name)
                + "\" is not supported; supported: continuous, positive_only, negative_only, one_only, binary");
    return found->second;
}

at::Tensor rewardProbability(const at::Tensor& advantages, AdvantageMode mode, double limit)
{
    at::Tensor counted = advantages.to(at::kFloat).clamp(-limit, limit);
    switch (mode) {
    case AdvantageMode::Continuous:
        break;
    case AdvantageMode::PositiveOnly:
        counted = counted.clamp_min(0);
        break;
    case AdvantageMode::NegativeOnly:
        counted = counted.clamp_max(0);
        break;
    case AdvantageMode::OneOnly:
        counted = (counted > 0).to(at::kFloat);
        break;
    case AdvantageMode::Binary:
        counted = counted.sign();
        break;
    }
    return (counted / limit / 2 + 0.5).clamp(0, 1);
}

AlgorithmLoss nftLoss(const NftRows& rows, const NftOptions& options)
{
    const double beta = options.mixBeta;
    const at::Tensor old = rows.oldPrediction.detach(), mixed = beta * rows.prediction;
    const at::Tensor positive = relativeErrors(mixed + (1 - beta) * old, rows, options.smallestWeight);
    const at::Tensor negative = relativeErrors((1 + beta) * old - mixed, rows, options.smallestWeight);
    at::Tensor good = rows.rewardProbability.to(rows.clean.options());
    if (good.dim() > 1)
        good = rowMeans(good);
    const at::Tensor policy = ((good * positive + (1 - good) * negative) / beta * options.advantageLimit).mean();

    AlgorithmLoss result {policy,
        {{"actor/policy_loss", policy.detach()}, {"actor/positive_loss", positive.detach().mean()},
            {"actor/negative_loss", negative.detach().mean()},
            {"actor/old_deviate", (rows.prediction.detach() - old).square().mean()}, {"actor/reward_prob_mean", good.mean()}}};
    if (rows.referencePrediction.defined()) {
        const at::Tensor penalty = (rows.prediction - rows.referencePrediction.detach()).square().mean();
        result.loss = policy + options.referenceCoefficient * penalty;
        result.metrics["actor/ref_kl_loss"] = penalty.detach();
    }
    result.metrics["actor/total_loss"] = result.loss.detach();
    return result;
}

}  // namespace engine
