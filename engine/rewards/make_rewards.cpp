#include "engine/rewards/make_rewards.h"

#include "engine/comm/errors.h"
#include "engine/contract/experiment/reward_spec.h"
#include "engine/rewards/built_in_rewards.h"
#include "engine/rewards/clip_reward.h"
#include "engine/rewards/http_reward.h"
#include "engine/rewards/judge_reward.h"
#include "engine/rewards/program_reward.h"
#include "engine/rewards/script_reward.h"
#include "engine/rewards/win_rate.h"

#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace engine {
namespace {

JudgeOptions judgeOptions(const contract::RewardSpec& spec, const RewardOptions& options)
{
    const char* const token = std::getenv("ATELIER_JUDGE_TOKEN");
    JudgeOptions judge {.service = {.url = spec.target, .bearer = token ? token : "", .timeout = options.timeout},
        .model = options.judgeModel, .question = options.judgeQuestion, .scope = spec.scope, .workers = options.workers};
    if (spec.scope == contract::RewardScope::Group) {
        judge.question = options.judgeGroupQuestion;
        judge.questionOption = "reward.judge_group_question";
    } else if (spec.scope == contract::RewardScope::Pairs) {
        judge.question = options.judgePairQuestion;
        judge.questionOption = "reward.judge_pair_question";
    }
    return judge;
}

/// @param spec of which contract::comparesSamples() is true
std::unique_ptr<ComparingReward> makeComparingReward(const contract::RewardSpec& spec, const RewardOptions& options)
{
    switch (spec.kind) {
    case contract::RewardKind::Program:
        return std::make_unique<ProgramReward>(spec.key, spec.target, options.timeout);
    case contract::RewardKind::Server:
        return std::make_unique<HttpReward>(spec.key, HttpServiceOptions {.url = spec.target, .timeout = options.timeout});
    case contract::RewardKind::Judge:
        return std::make_unique<JudgeReward>(spec.key, judgeOptions(spec, options));
    case contract::RewardKind::Script:
        return loadScriptReward(spec.key, spec.target, spec.scope == contract::RewardScope::Pairs);
    case contract::RewardKind::Package:
        return loadPackageReward(spec.key, spec.target);
    default:
        throw std::logic_error("makeRewards: no such kind");
    }
}

std::unique_ptr<Reward> makeReward(const contract::RewardSpec& spec, const RewardOptions& options)
{
    switch (spec.kind) {
    case contract::RewardKind::BuiltIn:
        return makeBuiltInReward(spec.target);
    case contract::RewardKind::Clip:
        return loadClipReward(spec.key, spec.target, options.device, options.shards);
    case contract::RewardKind::Aesthetic:
        return loadAestheticReward(spec.key, spec.target, options.device, options.shards);
    default:
        break;
    }
    std::unique_ptr<ComparingReward> reward = makeComparingReward(spec, options);
    if (spec.scope == contract::RewardScope::Pairs)
        return std::make_unique<WinRateReward>(std::move(reward));
    return reward;
}

}  // namespace

RewardOptions rewardOptions(const contract::Experiment& experiment, c10::Device device, Group& dataRanks)
{
    return {.functions = experiment.text(contract::kRewardFunctions),
        .timeout = std::chrono::seconds(experiment.integer("reward.timeout")),
        .clip = experiment.real("reward.clip"),
        .judgeModel = experiment.text("reward.judge_model"),
        .judgeQuestion = experiment.text("reward.judge_question"),
        .judgeGroupQuestion = experiment.text("reward.judge_group_question"),
        .judgePairQuestion = experiment.text("reward.judge_pair_question"),
        .workers = static_cast<int>(experiment.integer("reward.workers")),
        .device = device,
        .shards = experiment.boolean("reward.shard") ? &dataRanks : nullptr};
}

std::unique_ptr<RewardList> makeRewards(const RewardOptions& options)
{
    contract::Problem problem;
    const std::optional<std::vector<contract::RewardSpec>> specs = contract::parseRewards(options.functions, problem);
    if (!specs)
        throw EngineError(EngineError::Kind::WrongUsage, problem.message);
    std::vector<WeightedReward> rewards;
    for (const contract::RewardSpec& spec : *specs)
        rewards.push_back({makeReward(spec, options), spec.weight, spec.scope != contract::RewardScope::Sample,
            options.shards != nullptr && contract::isClipFolder(spec.kind)});
    return std::make_unique<RewardList>(std::move(rewards), options.clip);
}

}  // namespace engine
