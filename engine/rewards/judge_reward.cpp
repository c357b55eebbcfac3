#include "engine/rewards/judge_reward.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/text.h"
#include "engine/rewards/reward_message.h"

#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include <atomic>
#include <charconv>
#include <cmath>
#include <future>
#include <stdexcept>
#include <utility>

namespace engine {
namespace {

using nlohmann::json;

std::string replacedPrompt(std::string question, const std::string& prompt)
{
    constexpr std::string_view kPlace = "{prompt}";
    for (std::size_t at = question.find(kPlace); at != std::string::npos; at = question.find(kPlace, at + prompt.size()))
        question.replace(at, kPlace.size(), prompt);
    return question;
}

std::string chatRequest(const JudgeOptions& options, const std::string& png, const std::string& prompt)
{
    const json image = {{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64," + base64(png)}}}};
    const json text = {{"type", "text"}, {"text", replacedPrompt(options.question, prompt)}};
    const json message = {{"role", "user"}, {"content", json::array({image, text})}};
    const json request = {{"model", options.model}, {"messages", json::array({message})}, {"temperature", 0}, {"max_tokens", 256}};
    return request.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// What the model says. @throws std::runtime_error with a clause about the server
std::string reply(const std::string& answer)
{
    try {
        return contract::parseJson(answer, {}).at("choices").at(0).at("message").at("content").get<std::string>();
    } catch (const std::exception&) {
        throw std::runtime_error("answered " + contract::inQuotes(contract::shortened(answer)) + ", which is no chat completion with a text");
    }
}

}  // namespace

std::optional<double> firstNumber(std::string_view text)
{
    const std::size_t digit = text.find_first_of("0123456789");
    if (digit == std::string_view::npos)
        return std::nullopt;
    double value = 0;
    if (std::from_chars(text.data() + digit, text.data() + text.size(), value).ec != std::errc {})
        return std::nullopt;
    return digit > 0 && text[digit - 1] == '-' ? -value : value;
}

JudgeReward::JudgeReward(std::string name, JudgeOptions options)
    : m_name(std::move(name))
    , m_options(std::move(options))
{
    for (int i = 0; i < m_options.workers; ++i)
        m_services.push_back(std::make_unique<HttpService>(m_options.service));
}

float JudgeReward::score(HttpService& service, const std::string& png, const std::string& prompt) const
{
    const std::string said = reply(service.post(chatRequest(m_options, png, prompt)));
    const std::optional<double> number = firstNumber(said);
    const auto score = static_cast<float>(number.value_or(0));
    if (!number || !std::isfinite(score))
        throw std::runtime_error("answered " + contract::inQuotes(contract::shortened(said))
            + ", in which there is no number; ask for one in reward.judge_question");
    return score;
}

at::Tensor JudgeReward::scores(const RewardBatch& batch)
{
    const std::vector<std::string> images = pngFiles(batch.images);
    std::vector<float> scores(images.size());
    std::atomic<std::size_t> next = 0;
    std::vector<std::future<void>> workers;
    for (std::size_t k = 0; k < std::min(images.size(), m_services.size()); ++k) {
        workers.push_back(std::async(std::launch::async, [&, &service = *m_services[k]] {
            for (std::size_t i = next++; i < images.size(); i = next++)
                scores[i] = score(service, images[i], batch.prompts[i]->text);
        }));
    }
    try {
        for (std::future<void>& worker : workers)
            worker.get();
    } catch (const std::runtime_error& error) {
        next = images.size();  // the other workers end after their current sample
        throw EngineError(EngineError::Kind::Failure,
            "the judge " + contract::inQuotes(m_options.service.url) + " " + error.what());
    }
    return at::tensor(scores, at::kFloat);
}

}  // namespace engine
