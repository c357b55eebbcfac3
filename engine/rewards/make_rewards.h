// Builds the rewards that reward.functions names.
#pragma once
#include "engine/comm/group.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/rewards/reward_list.h"

#include <c10/core/Device.h>

#include <chrono>
#include <memory>
#include <string>

namespace engine {

struct RewardOptions {
    std::string functions;                        ///< reward.functions
    std::chrono::milliseconds timeout {120000};   ///< reward.timeout
    double clip = 0;                              ///< reward.clip
    std::string judgeModel = {};                  ///< reward.judge_model
    std::string judgeQuestion = {}, judgeGroupQuestion = {}, judgePairQuestion = {};  ///< reward.judge_question and its like
    int workers = 8;                              ///< reward.workers
    c10::Device device {c10::DeviceType::CPU};    ///< where CLIP models compute
    Group* shards = nullptr;                      ///< ranks among which CLIP models are divided; nullptr: they are not
};

/// The options' values. A judge gets the token of the environment variable ATELIER_JUDGE_TOKEN, if it is set.
/// @param dataRanks share CLIP models where reward.shard says so; must outlive the rewards
RewardOptions rewardOptions(const contract::Experiment& experiment, c10::Device device, Group& dataRanks);

/// Loads models and starts programs, and blocks until both are ready. Servers are not contacted before the first samples.
/// Call it on a thread that lives as long as the result, see LineProgram.
/// @throws EngineError: WrongUsage for a mistake in the text, and what the rewards throw
std::unique_ptr<RewardList> makeRewards(const RewardOptions& options);

}  // namespace engine
