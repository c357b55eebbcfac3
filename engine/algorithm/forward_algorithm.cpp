#include "engine/algorithm/forward_algorithm.h"

#include "engine/algorithm/loss/matching_loss.h"
#include "engine/algorithm/loss/nft_loss.h"
#include "engine/algorithm/loss/preference_loss.h"
#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>

#include <utility>

namespace engine {
namespace {

using contract::PolicySettings;

/// An optional field: undefined where it is missing.
at::Tensor given(const NamedTensors& fields, const char* name)
{
    const auto found = fields.find(name);
    return found == fields.end() ? at::Tensor() : found->second;
}

/// Prefixes the names of a loss's metrics with "actor/".
AlgorithmLoss withPrefix(AlgorithmLoss loss)
{
    NamedTensors metrics;
    for (auto& [name, value] : loss.metrics)
        metrics["actor/" + name] = std::move(value);
    loss.metrics = std::move(metrics);
    return loss;
}

class ForwardAlgorithm : public Algorithm {
public:
    explicit ForwardAlgorithm(const PolicySettings& settings)
        : m_settings(settings)
    {
    }
    std::string_view name() const override { return m_settings.algorithm; }
    AdvantageOptions advantages() const override { return {m_settings.dividesByStd, m_settings.usesGlobalStd}; }
    void setReferenceCoefficient(double coefficient) override { m_settings.klCoefficient = coefficient; }

protected:
    const PolicySettings& settings() const { return m_settings; }
    const contract::ForwardSettings& forward() const { return m_settings.forward; }
    bool hasPenalty() const { return m_settings.klCoefficient != 0; }
    Weights referenceWeights() const { return m_settings.isReferenceAverage ? Weights::Ema : Weights::Reference; }

private:
    PolicySettings m_settings;
};

class NftAlgorithm final : public ForwardAlgorithm {
public:
    using ForwardAlgorithm::ForwardAlgorithm;
    RolloutNeeds needs() const override
    {
        RolloutNeeds needs {.passes = {{"old", Weights::Old}}};
        if (hasPenalty())
            needs.passes["ref"] = referenceWeights();
        return needs;
    }
    Weights samplingWeights(std::int64_t /*round*/) const override { return Weights::Old; }
    LossInputs inputs() const override
    {
        return {{"prediction"}, {"clean", "noisy", "times", "advantages", "old_prediction"}, {"ref_prediction"}};
    }
    std::vector<std::string> metrics() const override
    {
        return {"actor/policy_loss", "actor/positive_loss", "actor/negative_loss", "actor/old_deviate", "actor/reward_prob_mean", "actor/total_loss"};
    }

private:
    AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference*) const override
    {
        NftRows rows {.prediction = outputs.at("prediction"), .oldPrediction = fields.at("old_prediction"),
            .referencePrediction = given(fields, "ref_prediction"), .clean = fields.at("clean"), .noisy = fields.at("noisy"),
            .times = fields.at("times"),
            .rewardProbability = rewardProbability(fields.at("advantages"), advantageMode(forward().nftAdvantages), settings().advantageLimit)};
        return nftLoss(rows, {forward().nftBeta, settings().klCoefficient, forward().nftSmallestWeight, settings().advantageLimit});
    }
};

class PreferenceAlgorithm final : public ForwardAlgorithm {
public:
    using ForwardAlgorithm::ForwardAlgorithm;
    RolloutNeeds needs() const override { return {.pairs = true, .passes = {{"ref", Weights::Reference}}}; }
    LossInputs inputs() const override { return {{"prediction"}, {"clean", "noise", "ref_prediction"}, {}}; }
    std::vector<std::string> metrics() const override
    {
        return {"actor/dpo_loss", "actor/implicit_acc", "rewards/chosen", "rewards/rejected", "rewards/margins", "actor/ref_kl_loss"};
    }

private:
    AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference*) const override
    {
        return preferenceLoss({.noise = fields.at("noise"), .latents = fields.at("clean"), .prediction = outputs.at("prediction"),
                                  .referencePrediction = fields.at("ref_prediction")}, forward().dpoBeta);
    }
};

class MatchingAlgorithm final : public ForwardAlgorithm {
public:
    explicit MatchingAlgorithm(const PolicySettings& settings)
        : ForwardAlgorithm(settings)
        , m_options {.weight = matchingWeight(settings.forward.awmWeight), .huberPower = settings.forward.awmHuberPower,
              .lowestClip = -settings.clip, .highestClip = settings.clip, .lowestAdvantage = -settings.advantageLimit,
              .highestAdvantage = settings.advantageLimit, .referenceCoefficient = settings.klCoefficient,
              .emaCoefficient = settings.forward.awmAverageCoefficient}
    {
    }
    RolloutNeeds needs() const override
    {
        RolloutNeeds needs {.passes = {{"old", Weights::Master}}};  // those that have drawn the samples
        if (hasPenalty())
            needs.passes["ref"] = referenceWeights();
        if (m_options.emaCoefficient != 0)
            needs.passes["ema"] = Weights::Ema;
        return needs;
    }
    LossInputs inputs() const override
    {
        return {{"prediction"}, {"clean", "noise", "timesteps", "advantages", "old_prediction"}, {"ref_prediction", "ema_prediction"}};
    }
    std::vector<std::string> metrics() const override
    {
        return {"actor/policy_loss", "actor/ratio_mean", "actor/clip_frac_high", "actor/clip_frac_low"};
    }

private:
    AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference*) const override
    {
        MatchingRows rows {.prediction = outputs.at("prediction"), .target = fields.at("noise") - fields.at("clean"),
            .timesteps = fields.at("timesteps"), .oldLogProbs = {}, .advantages = fields.at("advantages"),
            .referencePrediction = given(fields, "ref_prediction"), .emaPrediction = given(fields, "ema_prediction")};
        rows.oldLogProbs = matchingLogProbs(fields.at("old_prediction"), rows.target, rows.timesteps, m_options);
        return withPrefix(matchingLoss(rows, m_options));
    }

    MatchingOptions m_options;
};

class GroupMatchingAlgorithm final : public ForwardAlgorithm {
public:
    using ForwardAlgorithm::ForwardAlgorithm;
    RolloutNeeds needs() const override
    {
        RolloutNeeds needs {.wholeGroups = true};
        if (needsOld())
            needs.passes["old"] = Weights::Old;
        if (!forward().dgpoAnchorsAtOld || hasPenalty())
            needs.passes["ref"] = Weights::Reference;
        return needs;
    }
    Weights samplingWeights(std::int64_t round) const override { return round >= forward().dgpoSwitchRound ? Weights::Old : Weights::Master; }
    LossInputs inputs() const override
    {
        LossInputs inputs {{"prediction"}, {"clean", "noise", "advantages"}, {}};
        for (const auto& [name, weights] : needs().passes)
            inputs.fields.push_back(name + "_prediction");
        return inputs;
    }
    std::vector<std::string> metrics() const override { return {"actor/dgpo_loss", "actor/dsm_loss"}; }

private:
    bool needsOld() const { return forward().dgpoAnchorsAtOld || forward().dgpoClipsLoss || forward().dgpoClipsPenalty; }

    AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference* groups) const override
    {
        if (!groups)
            throw EngineError(EngineError::Kind::Failure, "dgpo sums over the samples of a prompt, but their groups are not known");
        const GroupMatchingRows rows {.prediction = outputs.at("prediction"), .target = fields.at("noise") - fields.at("clean"),
            .referencePrediction = given(fields, "ref_prediction"), .oldPrediction = given(fields, "old_prediction"),
            .advantages = fields.at("advantages")};
        return withPrefix(groupMatchingLoss(rows, *groups,
            {.beta = forward().dgpoBeta, .lowestClip = -settings().clip, .highestClip = settings().clip,
                .lowestAdvantage = -settings().advantageLimit, .highestAdvantage = settings().advantageLimit,
                .clipsLoss = forward().dgpoClipsLoss, .clipsPenalty = forward().dgpoClipsPenalty,
                .referenceCoefficient = settings().klCoefficient, .anchorsAtOld = forward().dgpoAnchorsAtOld}));
    }
};

}  // namespace

std::unique_ptr<Algorithm> makeForwardAlgorithm(const PolicySettings& settings)
{
    if (settings.algorithm == "diffusion_nft")
        return std::make_unique<NftAlgorithm>(settings);
    if (settings.algorithm == "dpo")
        return std::make_unique<PreferenceAlgorithm>(settings);
    if (settings.algorithm == "awm")
        return std::make_unique<MatchingAlgorithm>(settings);
    return std::make_unique<GroupMatchingAlgorithm>(settings);
}

}  // namespace engine
