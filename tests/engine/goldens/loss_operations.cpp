#include "tests/engine/goldens/golden_operations.h"

#include "engine/algorithm/loss/divergence_loss.h"
#include "engine/algorithm/loss/matching_loss.h"
#include "engine/algorithm/loss/nft_loss.h"
#include "engine/algorithm/loss/policy_loss.h"
#include "engine/algorithm/loss/preference_loss.h"
#include "engine/algorithm/policy_algorithm.h"
#include "engine/algorithm/preference_pairs.h"
#include "engine/algorithm/rollout_correction.h"
#include "engine/contract/formats/text.h"

#include <ATen/TensorOperators.h>

namespace tests {
namespace {

using engine::AlgorithmLoss;

/// Checks the loss, its gradients and its metrics. @param divisor of the loss, as a step's loop divides it (row A-093)
void checkLoss(GoldenCase& golden, const AlgorithmLoss& result, double divisor = 1)
{
    // A single row has no spread: the reference reports NaN, we 0 (row A-080).
    const std::string spread = "actor/ratio_std";
    if (golden.hasInput("log_probs") && golden.input("log_probs").numel() == 1 && result.metrics.at(spread).item<double>() == 0)
        golden.leave(spread);
    golden.checkMetrics(result.metrics);
    golden.check("loss", result.loss / divisor);
    golden.checkGradients(result.loss / divisor);
}

at::Tensor optionalInput(const GoldenCase& golden, const std::string& name)
{
    return golden.hasInput(name) ? golden.input(name) : at::Tensor();
}

engine::PolicyRows policyRows(GoldenCase& golden)
{
    return {golden.leaf("log_probs"), golden.input("old_log_probs"), golden.input("advantages"), optionalInput(golden, "rollout_is_weights")};
}

engine::ClipOptions clipOptions(const GoldenCase& golden) { return {golden.option("clip_ratio", 1e-4), golden.option("adv_clip_max", 5.0)}; }

/// The deviation of whole steps, with that of a unit of σ as the case has it (row A-082).
at::Tensor stepSpread(const at::Tensor& std, const at::Tensor& sqrtDt)
{
    return (std.dim() == 0 ? std : std.reshape({-1})) * sqrtDt;
}

void runFlowGrpo(GoldenCase& golden) { checkLoss(golden, engine::flowGrpoLoss(policyRows(golden), clipOptions(golden))); }

void runFlowDppo(GoldenCase& golden)
{
    const engine::StepMeans means {golden.leaf("prev_sample_mean"), golden.input("old_prev_sample_mean"),
        stepSpread(golden.input("std_dev_t"), golden.input("sqrt_dt")), golden.input("sqrt_dt")};
    checkLoss(golden,
        engine::flowDppoLoss(policyRows(golden), means, {golden.option("kl_mask_threshold", 1e-5), golden.option("add_kl_coefficient", true)}));
}

/// The reference gives all rows the micro-batch's mean scales, where ours are each row's own (row A-084).
engine::StepMeans meansOfGuard(const at::Tensor& mean, const at::Tensor& oldMean, const at::Tensor& std, const at::Tensor& sqrtDt)
{
    return {mean, oldMean, std.mean() * sqrtDt.mean(), sqrtDt.mean()};
}

void runGrpoGuard(GoldenCase& golden)
{
    const auto means = meansOfGuard(golden.leaf("prev_sample_mean"), golden.input("old_prev_sample_mean"), golden.input("std_dev_t"),
        golden.input("sqrt_dt"));
    checkLoss(golden, engine::grpoGuardLoss(policyRows(golden), means, clipOptions(golden)));
}

void runReferenceKl(GoldenCase& golden)
{
    checkLoss(golden, engine::referenceKlLoss(golden.leaf("prev_sample_mean"), golden.input("ref_prev_sample_mean"), golden.input("std_dev_t")));
}

void runDistillKl(GoldenCase& golden)
{
    checkLoss(golden, engine::distillKlLoss(golden.leaf("prev_sample_mean"), golden.input("teacher_prev_sample_mean"), golden.input("std_dev_t")));
}

void runDistillFlow(GoldenCase& golden)
{
    checkLoss(golden, engine::distillFlowLoss(golden.leaf("noise_pred"), golden.input("teacher_noise_pred")));
}

void runPreference(GoldenCase& golden)
{
    const at::Tensor rewards = golden.input("sample_level_rewards").flatten().to(at::kDouble);
    const at::Tensor uid = optionalInput(golden, "uid");
    engine::checkPairs({rewards.const_data_ptr<double>(), rewards.const_data_ptr<double>() + rewards.numel()},
        uid.defined() ? std::vector<std::int64_t>(uid.const_data_ptr<std::int64_t>(), uid.const_data_ptr<std::int64_t>() + uid.numel())
                      : std::vector<std::int64_t>());
    checkLoss(golden,
        engine::preferenceLoss({golden.input("noise"), golden.input("latent"), golden.leaf("noise_pred"), golden.input("ref_noise_pred")},
            golden.option("dpo_beta", 2000.0)));
}

void runNft(GoldenCase& golden)
{
    const engine::NftRows rows {golden.leaf("forward_prediction"), golden.leaf("old_prediction"), golden.leaf("ref_forward_prediction"),
        golden.input("x0"), golden.input("xt"), golden.input("t_expanded"), golden.input("reward_prob")};
    checkLoss(golden,
        engine::nftLoss(rows, {golden.option("mix_beta", 0.5), golden.option("ref_kl_coef", 0.0), golden.option("adaptive_weight_min", 1e-5),
                                  golden.option("adv_clip_max", 5.0)}));
}

void runMatching(GoldenCase& golden)
{
    const auto& config = golden.config();
    const engine::MatchingOptions options {engine::matchingWeight(config.at("weighting").get<std::string>()), config.at("ghuber_power"),
        config.at("clip_range").at(0), config.at("clip_range").at(1), config.at("adv_clip_range").at(0), config.at("adv_clip_range").at(1),
        config.at("kl_beta"), config.at("ema_kl_beta")};
    const auto optionalLeaf = [&](const char* name) { return golden.hasInput(name) ? golden.leaf(name) : at::Tensor(); };
    const engine::MatchingRows rows {golden.leaf("prediction"), golden.input("target"), golden.input("timesteps"), golden.input("old_log_prob"),
        golden.input("advantages"), optionalLeaf("ref_prediction"), optionalLeaf("ema_prediction")};
    golden.check("log_prob", engine::matchingLogProbs(rows.prediction, rows.target, rows.timesteps, options));
    checkLoss(golden, engine::matchingLoss(rows, options));
}

void runGroupMatching(GoldenCase& golden)
{
    const auto& config = golden.config();
    const engine::GroupMatchingOptions options {.beta = config.at("dpo_beta"),
        .lowestClip = config.at("clip_range").at(0),
        .highestClip = config.at("clip_range").at(1),
        .lowestAdvantage = config.at("adv_clip_range").at(0),
        .highestAdvantage = config.at("adv_clip_range").at(1),
        .clipsLoss = config.at("clip_dsm"),
        .clipsPenalty = config.at("clip_kl"),
        .referenceCoefficient = config.at("kl_beta"),
        .anchorsAtOld = config.at("use_ema_ref")};
    const at::Tensor groups = golden.input("group");
    engine::LoneGroup lone;
    const engine::GroupPreference preference(
        {groups.const_data_ptr<std::int64_t>(), groups.const_data_ptr<std::int64_t>() + groups.numel()}, config.at("group_size"), lone,
        c10::Device(c10::DeviceType::CPU));
    const engine::GroupMatchingRows rows {golden.leaf("prediction"), golden.input("target"), golden.leaf("reference_prediction"),
        golden.hasInput("old_prediction") ? golden.leaf("old_prediction") : at::Tensor(), golden.input("advantages")};
    const auto result = engine::groupMatchingLoss(rows, preference, options);
    golden.check("group_weights", result.groupWeights);
    checkLoss(golden, result);
}

contract::CorrectionTexts correctionTexts(const nlohmann::json& config)
{
    const auto textOf = [&](const char* key, const std::string& otherwise) {
        const auto found = config.find(key);
        if (found == config.end() || found->is_null())
            return otherwise;
        return found->is_number() ? contract::shortestText(found->get<double>()) : found->get<std::string>();
    };
    return {textOf("rollout_is", "none"), textOf("rollout_is_threshold", "2"), config.value("rollout_is_batch_normalize", false),
        textOf("rollout_rs", ""), textOf("rollout_rs_threshold", "")};
}

contract::PolicySettings policySettings(const GoldenCase& golden)
{
    contract::PolicySettings settings;
    settings.algorithm = golden.config().at("loss_mode");
    settings.loss = settings.algorithm == "flow_dppo" ? contract::PolicyLoss::FlowDppo
        : settings.algorithm == "grpo_guard"          ? contract::PolicyLoss::GrpoGuard
                                                      : contract::PolicyLoss::FlowGrpo;
    settings.clip = golden.option("clip_ratio", 1e-4);
    settings.advantageLimit = golden.option("adv_clip_max", 5.0);
    settings.dppoThreshold = golden.option("kl_mask_threshold", 1e-5);
    settings.dppoDividesByVariance = golden.option("add_kl_coefficient", true);
    settings.klCoefficient = golden.option("use_kl_loss", false) ? golden.option("kl_loss_coef", 0.001) : 0;
    settings.distill = golden.option("use_distill_loss", false) ? contract::DistillMode::Kl : contract::DistillMode::None;
    settings.distillCoefficient = golden.option("distill_loss_coef", 1.0);
    if (const auto& correction = golden.config().at("rollout_correction"); correction.is_object()) {
        settings.bypassesOldPolicy = correction.at("bypass_mode");
        settings.correction = correctionTexts(correction);
    }
    return settings;
}

void runActorLoss(GoldenCase& golden)
{
    const contract::PolicySettings settings = policySettings(golden);
    const at::Tensor &std = golden.input("std_dev_t"), &sqrtDt = golden.input("sqrt_dt");
    const at::Tensor mean = golden.leaf("prev_sample_mean");
    engine::NamedTensors outputs {{"log_probs", golden.leaf("log_probs")}, {"prev_sample_mean", mean}, {"std_dev_t", std},
        {"transition_std", stepSpread(std, sqrtDt)}, {"sqrt_dt", sqrtDt}};
    if (settings.loss == contract::PolicyLoss::GrpoGuard) {
        const auto means = meansOfGuard(mean, golden.input("old_prev_sample_mean"), std, sqrtDt);
        outputs["transition_std"] = means.transitionStd;
        outputs["sqrt_dt"] = means.sqrtDt;
    }
    engine::NamedTensors fields;
    for (const char* name : {"old_log_probs", "advantages", "old_prev_sample_mean", "ref_prev_sample_mean", "teacher_prev_sample_mean"}) {
        if (golden.hasInput(name))
            fields[name] = golden.input(name);
    }
    if (golden.hasOutput("rollout_is_weights")) {
        contract::Problem problem;
        const auto spec = contract::parseCorrection(settings.correction, problem);
        if (!spec)
            throw std::runtime_error(problem.message);
        const auto correction = engine::rolloutCorrection(
            golden.input("log_probs").unsqueeze(1), golden.input("old_log_probs").unsqueeze(1), *spec);
        golden.check("rollout_is_weights", correction.keep.squeeze(1));
    }
    checkLoss(golden, engine::makePolicyAlgorithm(settings)->loss(outputs, fields),
        golden.option("gradient_accumulation_steps", 1.0) / golden.option("sp_size", 1.0));
}

}  // namespace

GoldenOperations lossOperations()
{
    return {
        {"loss_flow_grpo", {"A-080", runFlowGrpo}},
        {"loss_dance_grpo", {"A-080", runFlowGrpo}},
        {"loss_flow_dppo", {"A-081", runFlowDppo}},
        {"loss_grpo_guard", {"A-083", runGrpoGuard}},
        {"loss_dpo", {"A-085 A-086", runPreference}},
        {"loss_diffusion_nft", {"A-087 A-088", runNft}},
        {"loss_kl", {"A-089 A-090", runReferenceKl}},
        {"loss_distill_kl", {"A-091", runDistillKl}},
        {"loss_distill_fm_mse", {"A-092", runDistillFlow}},
        {"actor_loss", {"A-093 A-100 A-104 E-143", runActorLoss}},
        {"loss_awm", {"A-140 A-141 A-142", runMatching}},
        {"loss_dgpo", {"A-143 A-144 A-145", runGroupMatching}},
    };
}

}  // namespace tests
