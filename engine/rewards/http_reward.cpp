#include "engine/rewards/http_reward.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"
#include "engine/rewards/reward_message.h"

#include <stdexcept>
#include <utility>

namespace engine {

HttpReward::HttpReward(std::string name, HttpServiceOptions options)
    : m_name(std::move(name))
    , m_url(options.url)
    , m_service(std::move(options))
{
}

at::Tensor HttpReward::scores(const RewardBatch& batch) { return ask(rewardRequest(batch, ++m_requests), batch.images.size(0), "sample"); }

at::Tensor HttpReward::preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs)
{
    return ask(rewardRequest(batch, ++m_requests, pairs), static_cast<std::int64_t>(pairs.size()), "pair");
}

at::Tensor HttpReward::ask(std::string request, std::int64_t count, const std::string& scored)
{
    try {
        return parsedScores(m_service.post(std::move(request)), count, std::nullopt, scored);
    } catch (const std::runtime_error& error) {
        throw EngineError(EngineError::Kind::Failure, "the reward server " + contract::inQuotes(m_url) + " " + error.what());
    }
}

}  // namespace engine
