// Scores of a server. README.md describes what it gets and answers.
#pragma once
#include "engine/rewards/http_service.h"
#include "engine/rewards/reward.h"

#include <cstdint>
#include <string>
#include <vector>

namespace engine {

class HttpReward final : public ComparingReward {
public:
    /// @param name part of metric names
    HttpReward(std::string name, HttpServiceOptions options);

    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override;
    at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) override;
    void abandon() override { m_service.abandon(); }

private:
    at::Tensor ask(std::string request, std::int64_t count, const std::string& scored);  ///< @return [count]

    std::string m_name, m_url;
    HttpService m_service;
    std::uint64_t m_requests = 0;
};

}  // namespace engine
