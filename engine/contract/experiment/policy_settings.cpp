#include "engine/contract/experiment/policy_settings.h"

#include "engine/contract/experiment/option_tables.h"
#include "engine/contract/formats/text.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

namespace contract {
namespace {

constexpr std::string_view kPolicyAlgorithms[] = {"flow_grpo", "dance_grpo", "mix_grpo", "flow_dppo", "grpo_guard", "distill"};

/// Reads options of known types.
class Values {
public:
    explicit Values(const OptionLookup& lookup)
        : m_lookup(lookup)
    {
    }
    bool boolean(std::string_view key) const { return std::get<bool>(m_lookup(key)); }
    std::int64_t integer(std::string_view key) const { return std::get<std::int64_t>(m_lookup(key)); }
    double real(std::string_view key) const { return std::get<double>(m_lookup(key)); }
    const std::string& text(std::string_view key) const { return std::get<std::string>(m_lookup(key)); }

private:
    const OptionLookup& m_lookup;
};

RolloutSettings rolloutSettings(const Values& values, std::string_view algorithm)
{
    RolloutSettings settings {.prompts = values.integer("rollout.prompts"),
        .samplesPerPrompt = values.integer("rollout.samples_per_prompt"),
        .steps = values.integer("rollout.steps"),
        .guidance = values.real("rollout.guidance"),
        .noiseLevel = values.real("rollout.noise_level"),
        .windowSize = values.integer("rollout.window_size"),
        .windowBegin = values.integer("rollout.window_begin"),
        .windowEnd = values.integer("rollout.window_end"),
        .isWindowShared = algorithm == "mix_grpo",
        .windowMoves = algorithm == "mix_grpo" && values.text("rollout.window_strategy") == "progressive",
        .windowRounds = values.integer("rollout.window_rounds"),
        .windowSeed = static_cast<std::uint64_t>(values.integer("rollout.window_seed")),
        .keepEvery = values.integer("rollout.keep_every")};
    const bool isStochastic = !isForwardAlgorithm(algorithm);
    if (algorithm == "flow_grpo" || algorithm == "dance_grpo" || algorithm == "flow_dppo" || algorithm == "grpo_guard")
        settings.branchSteps = values.integer("rollout.branch_steps");
    settings.sharesNoise = isStochastic && values.boolean("rollout.shared_noise");
    settings.isNoiseAware = values.boolean("rollout.noise_aware");
    const std::string& kind = values.text("rollout.sde_type");
    if (kind == "cps")
        settings.kind = StochasticKind::Cps;
    else if (kind == "dance_sde" || (kind == "auto" && algorithm == "dance_grpo"))
        settings.kind = StochasticKind::DanceSde;
    return settings;
}

std::string keyAndValue(std::string_view key, const std::string& value) { return std::string(key) + " = " + value; }

void checkGroups(const RolloutSettings& rollout, std::vector<Problem>& problems)
{
    if (rollout.samplesPerPrompt < 2)
        problems.push_back({"rollout.samples_per_prompt",
            keyAndValue("rollout.samples_per_prompt", std::to_string(rollout.samplesPerPrompt))
                + ": samples are compared with others of their prompt; set it to 2 or more", 0});
}

void checkStochasticSteps(const RolloutSettings& rollout, std::vector<Problem>& problems)
{
    if (!(rollout.noiseLevel > 0))
        problems.push_back({"rollout.noise_level",
            keyAndValue("rollout.noise_level", shortestText(rollout.noiseLevel))
                + ": steps without noise have no log-probability to train on; set it above 0", 0});
    const std::string steps = "rollout.steps = " + std::to_string(rollout.steps);
    if (rollout.branchSteps > 0 && rollout.windowSize > 0)
        problems.push_back({"rollout.window_size",
            keyAndValue("rollout.window_size", std::to_string(rollout.windowSize)) + ", but samples that branch have one stochastic step each: set it "
                + "to 0, or rollout.branch_steps to 0", 0});
    const auto [windowKey, windowSize] = rollout.branchSteps > 0 ? std::pair("rollout.branch_steps", rollout.branchSteps)
                                                                 : std::pair("rollout.window_size", rollout.windowSize);
    if (windowSize == 0) {
        if (rollout.steps < 2)
            problems.push_back({"rollout.steps", steps + ": the last step is never stochastic, so that none is left; set it to 2 or more", 0});
        return;
    }
    const std::string range = "rollout.window_begin = " + std::to_string(rollout.windowBegin)
        + " and rollout.window_end = " + std::to_string(rollout.windowEnd);
    if (rollout.windowEnd - rollout.windowBegin < windowSize)
        problems.push_back({windowKey, keyAndValue(windowKey, std::to_string(windowSize)) + " does not fit between " + range
                + ": make the window smaller or the range wider", 0});
    if (rollout.windowEnd > rollout.steps)
        problems.push_back({"rollout.window_end",
            keyAndValue("rollout.window_end", std::to_string(rollout.windowEnd)) + " lies beyond " + steps + ": set it to at most the steps", 0});
}

void checkDistillation(const PolicySettings& settings, std::vector<Problem>& problems)
{
    const bool hasTeacher = !settings.teacher.empty(), isOn = settings.distill != DistillMode::None;
    std::error_code error;
    if (settings.loss == PolicyLoss::None && !isOn)
        problems.push_back({"distill.mode", "distill.mode = \"none\", but algorithm.name = \"distill\" learns from a teacher only: choose how, such as \"distill_kl\"", 0});
    else if (hasTeacher && !isOn)
        problems.push_back({"distill.mode", "distill.mode = \"none\", but distill.teacher is set: choose how to learn from the teacher, or unset it", 0});
    else if (isOn && !hasTeacher)
        problems.push_back({"distill.teacher", "distill.teacher is not set: give the folder of the teacher's pipeline, or set distill.mode to \"none\"", 0});
    else if (hasTeacher && !std::filesystem::is_directory(settings.teacher, error))
        problems.push_back({"distill.teacher", "distill.teacher = " + quotedText(settings.teacher) + ": no such folder", 0});
}

void checkCorrection(const PolicySettings& settings, std::vector<Problem>& problems)
{
    Problem problem;
    const auto spec = parseCorrection(settings.correction, problem);
    if (!spec)
        problems.push_back(std::move(problem));
    else if (settings.bypassesOldPolicy && spec->rejections.empty())
        problems.push_back({"correction.bypass",
            "correction.bypass = true corrects by rejection only, but correction.reject is empty: set it, or turn correction.bypass off", 0});
    else if (spec->isEnabled() && !settings.bypassesOldPolicy && !settings.recomputesOld)
        problems.push_back({"policy.recompute_old",
            "policy.recompute_old = false, but rollout correction compares the samples' log-probabilities with recomputed ones: set it to true, "
            "or correction.bypass to true to reject at each update", 0});
}

}  // namespace

bool isPolicyAlgorithm(std::string_view algorithm)
{
    return isForwardAlgorithm(algorithm) || std::ranges::find(kPolicyAlgorithms, algorithm) != std::end(kPolicyAlgorithms);
}

bool usesPromptFile(const Experiment& experiment)
{
    return experiment.text("model.name") != "dit" && isPolicyAlgorithm(experiment.text("algorithm.name"))
        && !experiment.text("rollout.prompt_file").empty() && !policySettings(experiment).forward.hasStoredPairs;
}

bool PolicySettings::keepsOld() const { return algorithm == "diffusion_nft" || algorithm == "dgpo"; }

bool PolicySettings::keepsReference() const
{
    return (klCoefficient != 0 && !isReferenceAverage) || arePairs() || (algorithm == "dgpo" && !forward.dgpoAnchorsAtOld);
}

PolicySettings policySettings(const OptionLookup& lookup)
{
    const Values values(lookup);
    PolicySettings settings;
    settings.algorithm = values.text("algorithm.name");
    settings.loss = settings.algorithm == "flow_dppo" ? PolicyLoss::FlowDppo
        : settings.algorithm == "grpo_guard"          ? PolicyLoss::GrpoGuard
        : settings.algorithm == "distill"             ? PolicyLoss::None
                                                      : PolicyLoss::FlowGrpo;
    settings.rollout = rolloutSettings(values, settings.algorithm);
    settings.dividesByStd = values.boolean("advantage.normalise_std");
    settings.usesGlobalStd = values.boolean("advantage.global_std");
    settings.advantageLimit = values.real("advantage.clip");
    settings.clip = values.real("policy.clip");
    settings.miniBatches = values.integer("policy.mini_batches");
    settings.epochs = values.integer("policy.epochs");
    settings.shuffles = values.boolean("policy.shuffle");
    settings.dppoThreshold = values.real("policy.dppo_threshold");
    settings.dppoDividesByVariance = values.boolean("policy.dppo_normalise");
    settings.matchesReference = values.boolean("policy.reference_scale");
    settings.klCoefficient = values.real("policy.kl_coef");
    settings.klUsesDt = values.boolean("policy.kl_uses_dt");
    settings.isReferenceAverage = values.text("policy.reference") == "ema" && settings.algorithm != "dgpo" && settings.algorithm != "dpo";
    settings.klTarget = values.real("policy.kl_target");
    settings.goldReward = values.text("gold.reward");
    settings.goldPatience = values.integer("gold.patience");
    const std::string& mode = values.text("distill.mode");
    settings.distill = mode == "distill_kl" ? DistillMode::Kl : mode == "distill_fm_mse" ? DistillMode::FlowMse : DistillMode::None;
    settings.distillCoefficient = values.real("distill.coef");
    settings.teacher = values.text("distill.teacher");
    settings.recomputesOld = values.boolean("policy.recompute_old");
    settings.bypassesOldPolicy = values.boolean("correction.bypass");
    settings.correction = {values.text("correction.importance"), values.text("correction.importance_threshold"),
        values.boolean("correction.normalise"), values.text("correction.reject"), values.text("correction.reject_threshold")};
    settings.forward = forwardSettings(lookup);
    settings.isForward = isForwardAlgorithm(settings.algorithm);
    return settings;
}

PolicySettings policySettings(const Experiment& experiment)
{
    return policySettings([&](std::string_view key) -> const OptionValue& { return experiment.value(key); });
}

namespace {

void checkWatch(const PolicySettings& settings, std::vector<Problem>& problems)
{
    if (settings.goldPatience > 0 && settings.goldReward.empty())
        problems.push_back({"gold.reward", "gold.reward is not set, but gold.patience = " + std::to_string(settings.goldPatience)
                + " waits for a gain in it: name the reward to watch, or set gold.patience to 0", 0});
    if (settings.klTarget > 0 && settings.klCoefficient == 0)
        problems.push_back({"policy.kl_coef", "policy.kl_coef = 0, but policy.kl_target = " + shortestText(settings.klTarget)
                + " is to be reached by changing it: set it above 0, or policy.kl_target to 0", 0});
}

}  // namespace

std::map<std::string, std::string> roundOptions(const Experiment& experiment)
{
    constexpr std::string_view kKeys[] = {"algorithm.name", "batch.micro", "data.resolution", "distill.mode", "distill.teacher",
        "nft.timestep_fraction", "policy.epochs", "policy.mini_batches", "policy.shuffle", "run.seed"};
    std::map<std::string, std::string> values;
    for (const Option& option : options()) {
        const std::string_view key = option.key;
        if (key.starts_with("rollout.") || key.starts_with("timesteps.") || std::ranges::find(kKeys, key) != std::end(kKeys))
            values.emplace(key, toText(experiment.value(key)));
    }
    return values;
}

std::vector<Problem> problemsOf(const PolicySettings& settings)
{
    std::vector<Problem> problems = problemsOf(settings.forward);
    if (!settings.forward.hasStoredPairs)
        checkGroups(settings.rollout, problems);
    if (!settings.isForward)
        checkStochasticSteps(settings.rollout, problems);
    checkWatch(settings, problems);
    checkDistillation(settings, problems);
    checkCorrection(settings, problems);
    return problems;
}

}  // namespace contract
