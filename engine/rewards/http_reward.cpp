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

at::Tensor HttpReward::scores(const RewardBatch& batch)
{
    std::string request = rewardRequest(batch, ++m_requests);
    try {
        return parsedScores(m_service.post(std::move(request)), batch.images.size(0), std::nullopt);
    } catch (const std::runtime_error& error) {
        throw EngineError(EngineError::Kind::Failure, "the reward server " + contract::inQuotes(m_url) + " " + error.what());
    }
}

}  // namespace engine
