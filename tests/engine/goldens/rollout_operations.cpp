#include "tests/engine/goldens/golden_operations.h"

#include "engine/algorithm/group_advantage.h"
#include "engine/algorithm/loss/nft_loss.h"
#include "engine/algorithm/preference_pairs.h"
#include "engine/algorithm/rollout_correction.h"
#include "engine/algorithm/rollout_metrics.h"
#include "engine/contract/formats/text.h"
#include "engine/algorithm/old_policy.h"

#include <ATen/ops/tensor.h>

namespace tests {
namespace {

std::vector<std::int64_t> integersOf(const at::Tensor& values)
{
    return {values.const_data_ptr<std::int64_t>(), values.const_data_ptr<std::int64_t>() + values.numel()};
}

/// The uids of prompts, numbered as a rollout's texts are.
std::vector<std::int64_t> groupsOf(const GoldenCase& golden)
{
    std::vector<std::string> uids;
    for (const std::int64_t uid : integersOf(golden.input("uid")))
        uids.push_back(std::to_string(uid));
    return engine::groupsOf(uids);
}

engine::AdvantageOptions advantageOptions(const GoldenCase& golden, const char* dividesByStd)
{
    return {golden.option(dividesByStd, true), golden.option("global_std", true), golden.option("epsilon", 1e-4)};
}

void runGroupAdvantage(GoldenCase& golden)
{
    const auto result = engine::groupAdvantages(
        golden.input("sample_level_rewards"), groupsOf(golden), advantageOptions(golden, "norm_adv_by_std_in_grpo"));
    golden.check("advantages", result.advantages);
    golden.check("returns", result.advantages);
}

void runRewardProbability(GoldenCase& golden)
{
    const at::Tensor advantages
        = engine::groupAdvantages(golden.input("rewards"), groupsOf(golden), advantageOptions(golden, "norm_by_std")).advantages;
    golden.check("advantages", advantages);
    golden.check("reward_prob",
        engine::rewardProbability(advantages, engine::advantageMode(golden.config().at("adv_mode").get<std::string>()),
            golden.option("adv_clip_max", 5.0)));
}

void runPreferencePairs(GoldenCase& golden)
{
    const at::Tensor scores = golden.input("scores").to(at::kDouble);
    const auto pairs = engine::preferencePairs(
        groupsOf(golden), {scores.const_data_ptr<double>(), scores.const_data_ptr<double>() + scores.numel()});
    golden.check("selected", at::tensor(pairs, at::kLong));
}

void runRolloutCorrection(GoldenCase& golden)
{
    const auto textOf = [&](const char* key, const std::string& otherwise) {
        const auto found = golden.config().find(key);
        if (found == golden.config().end() || found->is_null())
            return otherwise;
        return found->is_number() ? contract::shortestText(found->get<double>()) : found->get<std::string>();
    };
    contract::Problem problem;
    const auto spec = contract::parseCorrection({textOf("rollout_is", "none"), textOf("rollout_is_threshold", "2"),
                                                    golden.option("rollout_is_batch_normalize", false), textOf("rollout_rs", ""),
                                                    textOf("rollout_rs_threshold", "")},
        problem);
    if (!spec)
        throw std::runtime_error(problem.message);
    const auto correction = engine::rolloutCorrection(golden.input("old_log_probs"), golden.input("rollout_log_probs"), *spec);
    if (golden.hasOutput("rollout_is_weights"))
        golden.check("rollout_is_weights", correction.weights());
    golden.checkMetrics(correction.metrics);
}

void runPolicyDistance(GoldenCase& golden)
{
    const at::Tensor &policy = golden.input("log_prob"), &rollout = golden.input("rollout_log_prob");
    golden.checkMetrics(engine::offPolicyMetrics(policy, rollout));
    golden.checkMetrics(
        engine::logProbDifferences(policy, rollout, golden.hasInput("timesteps") ? golden.input("timesteps") : at::Tensor()));
}

void runDataMetrics(GoldenCase& golden)
{
    const auto optionalInput = [&](const char* name) { return golden.hasInput(name) ? golden.input(name) : at::Tensor(); };
    golden.checkMetrics(engine::dataMetrics({golden.input("sample_level_rewards"), optionalInput("advantages"), optionalInput("returns"),
        golden.hasInput("uid") ? groupsOf(golden) : std::vector<std::int64_t>()}));
}

void runPerfMetrics(GoldenCase& golden)
{
    golden.checkMetrics(engine::perfMetrics(golden.config().at("timing").get<std::map<std::string, double>>(),
        golden.input("advantages").size(0), golden.config().at("n_gpus")));
}

void runOldPolicyDecay(GoldenCase& golden)
{
    const auto schedule = engine::oldPolicySchedule(golden.config().at("schedule").get<std::string>());
    std::vector<double> decays;
    for (const std::int64_t step : integersOf(golden.input("step")))
        decays.push_back(schedule.decay(step));
    golden.check("decay", at::tensor(decays));
}

}  // namespace

GoldenOperations rolloutOperations()
{
    return {
        {"grpo_advantage", {"A-070 A-071 A-072", runGroupAdvantage}},
        {"nft_reward_prob", {"A-073 A-074", runRewardProbability}},
        {"online_dpo_pairs", {"A-076", runPreferencePairs}},
        {"rollout_correction", {"A-101 A-102 A-103 A-104 A-105 A-106 A-107", runRolloutCorrection}},
        {"rollout_corr_metrics", {"A-105", runPolicyDistance}},
        {"data_metrics", {"A-120", runDataMetrics}},
        {"perf_metrics", {"A-122 A-123", runPerfMetrics}},
        {"old_policy_decay", {"E-099", runOldPolicyDecay}},
    };
}

}  // namespace tests
