#include "engine/algorithm/policy_algorithm.h"

#include "engine/algorithm/forward_algorithm.h"
#include "engine/algorithm/loss/divergence_loss.h"
#include "engine/algorithm/loss/policy_loss.h"
#include "engine/algorithm/rollout_correction.h"
#include "engine/comm/errors.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros.h>

#include <utility>

namespace engine {
namespace {

using contract::DistillMode;
using contract::PolicyLoss;
using contract::PolicySettings;

contract::CorrectionSpec correctionOf(const PolicySettings& settings)
{
    contract::Problem problem;
    const auto spec = contract::parseCorrection(settings.correction, problem);
    if (!spec)
        throw EngineError(EngineError::Kind::WrongUsage, problem.message);
    return *spec;
}

class PolicyAlgorithm final : public Algorithm {
public:
    explicit PolicyAlgorithm(const PolicySettings& settings)
        : m_settings(settings)
        , m_correction(correctionOf(settings))
    {
    }

    std::string_view name() const override { return m_settings.algorithm; }
    RolloutNeeds needs() const override
    {
        RolloutNeeds needs {.stochasticSteps = true, .stepMeans = comparesMeans(), .teacher = m_settings.distill != DistillMode::None};
        if (hasPenalty())
            needs.passes["ref"] = m_settings.isReferenceAverage ? Weights::Ema : Weights::Reference;
        if (correction())
            needs.passes["old"] = Weights::Master;  // nothing has been updated yet
        return needs;
    }
    AdvantageOptions advantages() const override { return {m_settings.dividesByStd, m_settings.usesGlobalStd}; }
    const contract::CorrectionSpec* correction() const override
    {
        return m_settings.recomputesOld && hasPolicyLoss() ? &m_correction : nullptr;
    }
    LossInputs inputs() const override;
    std::vector<std::string> metrics() const override;
    void setReferenceCoefficient(double coefficient) override { m_settings.klCoefficient = coefficient; }

private:
    bool hasPolicyLoss() const { return m_settings.loss != PolicyLoss::None; }
    bool comparesMeans() const { return m_settings.loss == PolicyLoss::FlowDppo || m_settings.loss == PolicyLoss::GrpoGuard; }
    bool hasPenalty() const { return m_settings.klCoefficient != 0; }
    bool needsMeans() const { return comparesMeans() || hasPenalty() || m_settings.distill == DistillMode::Kl; }

    AlgorithmLoss lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference*) const override;
    AlgorithmLoss policyLoss(const PolicyRows& rows, const NamedTensors& outputs, const NamedTensors& fields) const;
    void addOtherModels(AlgorithmLoss& loss, const NamedTensors& outputs, const NamedTensors& fields) const;
    /// Multiplies the rows' weights by the keep mask of bypass mode (row A-104). @return the metrics
    NamedTensors rejectRows(PolicyRows& rows) const;

    PolicySettings m_settings;
    contract::CorrectionSpec m_correction;
};

LossInputs PolicyAlgorithm::inputs() const
{
    LossInputs inputs;
    if (hasPolicyLoss())
        inputs = {{"log_probs"}, {"old_log_probs", "advantages"}, {"rollout_is_weights"}};
    if (needsMeans())
        inputs.outputs.insert(inputs.outputs.end(), {"prev_sample_mean", "std_dev_t", "transition_std", "sqrt_dt"});
    if (comparesMeans())
        inputs.fields.push_back("old_prev_sample_mean");
    if (hasPenalty())
        inputs.fields.push_back("ref_prev_sample_mean");
    if (m_settings.distill == DistillMode::Kl)
        inputs.fields.push_back("teacher_prev_sample_mean");
    if (m_settings.distill == DistillMode::FlowMse) {
        inputs.outputs.push_back("noise_pred");
        inputs.fields.push_back("teacher_noise_pred");
    }
    return inputs;
}

std::vector<std::string> PolicyAlgorithm::metrics() const
{
    std::vector<std::string> names;
    if (hasPolicyLoss())
        names = {"actor/ppo_kl", "actor/ratio_mean", "actor/ratio_std"};
    const auto add = [&](std::initializer_list<const char*> more) { names.insert(names.end(), more.begin(), more.end()); };
    if (m_settings.loss == PolicyLoss::FlowDppo)
        add({"actor/approx_kl", "actor/ratio_min", "actor/ratio_max", "actor/kl_new_old_mean", "actor/kl_new_old_max",
            "actor/kl_mask_fraction", "actor/pos_rm_fraction", "actor/neg_rm_fraction", "actor/masked_fraction", "actor/unmasked_fraction"});
    else if (hasPolicyLoss())
        add({"actor/pg_clipfrac", "actor/pg_clipfrac_higher", "actor/pg_clipfrac_lower"});
    if (hasPenalty())
        add({"actor/kl_loss", "kl_coef"});
    if (m_settings.distill == DistillMode::Kl)
        add({"actor/distill_kl_loss", "distill_coef"});
    if (m_settings.distill == DistillMode::FlowMse)
        add({"actor/distill_fm_mse_loss", "distill_coef"});
    return names;
}

AlgorithmLoss PolicyAlgorithm::lossOf(const NamedTensors& outputs, const NamedTensors& fields, const GroupPreference* /*groups*/) const
{
    if (!hasPolicyLoss()) {
        AlgorithmLoss loss {at::zeros({}, at::TensorOptions().dtype(at::kFloat).device(outputs.begin()->second.device())), {}};
        addOtherModels(loss, outputs, fields);
        return loss;
    }
    const auto weights = fields.find("rollout_is_weights");
    PolicyRows rows {outputs.at("log_probs"), fields.at("old_log_probs"), fields.at("advantages"),
        weights == fields.end() ? at::Tensor() : weights->second};
    NamedTensors correction;
    if (m_settings.bypassesOldPolicy && m_correction.isEnabled())
        correction = rejectRows(rows);
    AlgorithmLoss loss = policyLoss(rows, outputs, fields);
    loss.metrics.merge(std::move(correction));
    addOtherModels(loss, outputs, fields);
    return loss;
}

NamedTensors PolicyAlgorithm::rejectRows(PolicyRows& rows) const
{
    RolloutCorrection correction = rolloutCorrection(rows.logProbs.unsqueeze(1), rows.oldLogProbs.unsqueeze(1), m_correction);
    if (correction.keep.defined()) {
        const at::Tensor keep = correction.keep.squeeze(1);
        rows.weights = rows.weights.defined() ? rows.weights * keep : keep;
    }
    return std::move(correction.metrics);
}

AlgorithmLoss PolicyAlgorithm::policyLoss(const PolicyRows& rows, const NamedTensors& outputs, const NamedTensors& fields) const
{
    const ClipOptions clip {m_settings.clip, m_settings.advantageLimit};
    if (m_settings.loss == PolicyLoss::FlowGrpo)
        return flowGrpoLoss(rows, clip);
    const at::Tensor& sqrtDt = outputs.at("sqrt_dt");
    const at::Tensor spread = m_settings.matchesReference ? outputs.at("std_dev_t").reshape({-1}) * sqrtDt : outputs.at("transition_std");
    const StepMeans means {outputs.at("prev_sample_mean"), fields.at("old_prev_sample_mean"), spread, sqrtDt};
    return m_settings.loss == PolicyLoss::GrpoGuard
        ? grpoGuardLoss(rows, means, clip)
        : flowDppoLoss(rows, means, {m_settings.dppoThreshold, m_settings.dppoDividesByVariance});
}

void PolicyAlgorithm::addOtherModels(AlgorithmLoss& loss, const NamedTensors& outputs, const NamedTensors& fields) const
{
    if (hasPenalty() || m_settings.distill == DistillMode::Kl) {
        const at::Tensor& scale = outputs.at(m_settings.klUsesDt ? "transition_std" : "std_dev_t");
        const at::Tensor& mean = outputs.at("prev_sample_mean");
        if (hasPenalty())
            addTerm(loss, referenceKlLoss(mean, fields.at("ref_prev_sample_mean"), scale), m_settings.klCoefficient, "kl_coef");
        if (m_settings.distill == DistillMode::Kl)
            addTerm(loss, distillKlLoss(mean, fields.at("teacher_prev_sample_mean"), scale), m_settings.distillCoefficient,
                "distill_coef");
    }
    if (m_settings.distill == DistillMode::FlowMse)
        addTerm(loss, distillFlowLoss(outputs.at("noise_pred"), fields.at("teacher_noise_pred")), m_settings.distillCoefficient,
            "distill_coef");
}

}  // namespace

std::unique_ptr<Algorithm> makePolicyAlgorithm(const contract::PolicySettings& settings)
{
    if (settings.isForward)
        return makeForwardAlgorithm(settings);
    return std::make_unique<PolicyAlgorithm>(settings);
}

}  // namespace engine
