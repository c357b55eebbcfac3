// Scores of a vision-language model that a server offers as OpenAI's chat completions do.
#pragma once
#include "engine/contract/experiment/reward_spec.h"
#include "engine/rewards/http_service.h"
#include "engine/rewards/reward.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace engine {

struct JudgeOptions {
    HttpServiceOptions service;  ///< its URL ends in /chat/completions as a rule; its timeout is that of one question
    std::string model;           ///< the server's name of the model
    std::string question;        ///< about a sample, all samples of a prompt, or two; each {prompt} in it stands for their prompt
    std::string questionOption = "reward.judge_question";  ///< that it comes from, for messages
    contract::RewardScope scope = contract::RewardScope::Sample;
    int workers = 8;             ///< requests at a time
};

/// The first number in @p text, which may have a sign, a fraction and an exponent: 7.5 of "Score: 7.5/10".
std::optional<double> firstNumber(std::string_view text);

/// The numbers of the last list in square brackets in @p text, or all that are in it: 7.5 and 3 of "These 2 images: [7.5, 3]".
std::vector<double> listedNumbers(std::string_view text);

/// Asks the question about each sample and takes the first number of the answer for the score; or about all samples of a prompt together,
/// and takes as many numbers; or about pairs.
class JudgeReward final : public ComparingReward {
public:
    /// @param name part of metric names
    JudgeReward(std::string name, JudgeOptions options);

    const std::string& name() const override { return m_name; }

    /// With RewardScope::Group, @p batch is of one prompt.
    at::Tensor scores(const RewardBatch& batch) override;

    /// Asks which sample of each pair is better: the answer 1 or 2 names it, 0 means neither.
    at::Tensor preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs) override;

    void abandon() override;

private:
    /// Returns the scores in an answer; empty when their number is wrong.
    using ReadScores = std::function<std::vector<double>(std::string_view answer)>;

    /// Asks about each set of samples in @p questions, several at a time.
    /// @param needed clause for the message about an answer that @p read rejects
    /// @return the scores of all answers, in the order of the questions
    at::Tensor ask(const RewardBatch& batch, const std::vector<std::vector<std::size_t>>& questions, const ReadScores& read,
        const std::string& needed);

    std::string m_name;
    JudgeOptions m_options;
    std::vector<std::unique_ptr<HttpService>> m_services;  ///< one for each thread that asks
};

}  // namespace engine
