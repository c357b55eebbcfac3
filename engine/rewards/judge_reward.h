// Scores of a vision-language model that a server offers as OpenAI's chat completions do.
#pragma once
#include "engine/rewards/http_service.h"
#include "engine/rewards/reward.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct JudgeOptions {
    HttpServiceOptions service;  ///< its URL ends in /chat/completions as a rule; its timeout is that of one sample
    std::string model;           ///< the server's name of the model
    std::string question;        ///< about one image; each {prompt} in it stands for the sample's prompt
    int workers = 8;             ///< requests at a time
};

/// The first number in @p text, which may have a sign, a fraction and an exponent: 7.5 of "Score: 7.5/10".
std::optional<double> firstNumber(std::string_view text);

/// Asks the question about each image, and takes the first number of the answer for the score.
class JudgeReward final : public Reward {
public:
    /// @param name part of metric names
    JudgeReward(std::string name, JudgeOptions options);

    const std::string& name() const override { return m_name; }
    at::Tensor scores(const RewardBatch& batch) override;

private:
    float score(HttpService& service, const std::string& png, const std::string& prompt) const;

    std::string m_name;
    JudgeOptions m_options;
    std::vector<std::unique_ptr<HttpService>> m_services;  ///< one for each thread that asks
};

}  // namespace engine
