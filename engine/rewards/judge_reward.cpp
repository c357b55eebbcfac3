#include "engine/rewards/judge_reward.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"
#include "engine/rewards/reward_message.h"
#include "engine/rewards/video_frames.h"

#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include <algorithm>
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

/// @param samples the PNG files of each sample: one, or the frames of a video
std::string chatRequest(const JudgeOptions& options, const std::vector<const std::vector<std::string>*>& samples, const std::string& prompt)
{
    json content = json::array();
    for (std::size_t i = 0; i < samples.size(); ++i) {
        const std::string number = samples.size() > 1 ? "Sample " + std::to_string(i + 1) : "";
        const std::string frames = samples[i]->size() > 1 ? std::string(number.empty() ? "Frames" : ", frames") + " of a video" : "";
        if (!number.empty() || !frames.empty())
            content.push_back({{"type", "text"}, {"text", number + frames + ":"}});
        for (const std::string& png : *samples[i])
            content.push_back({{"type", "image_url"}, {"image_url", {{"url", "data:image/png;base64," + base64(png)}}}});
    }
    content.push_back({{"type", "text"}, {"text", replacedPrompt(options.question, prompt)}});
    const json message = {{"role", "user"}, {"content", std::move(content)}};
    const std::size_t tokens = 256 + 8 * samples.size();
    const json request = {{"model", options.model}, {"messages", json::array({message})}, {"temperature", 0}, {"max_tokens", tokens}};
    return contract::jsonText(request);
}

/// Returns the text of the model's answer. @throws std::runtime_error with a clause about the server
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

std::vector<double> listedNumbers(std::string_view text)
{
    if (const std::size_t open = text.rfind('['); open != std::string_view::npos)
        text = text.substr(open, text.find(']', open) - open);
    std::vector<double> numbers;
    while (const std::optional<double> number = firstNumber(text)) {
        numbers.push_back(*number);
        text.remove_prefix(text.find_first_of("0123456789"));
        double value = 0;
        text.remove_prefix(static_cast<std::size_t>(std::from_chars(text.data(), text.data() + text.size(), value).ptr - text.data()));
    }
    return numbers;
}

JudgeReward::JudgeReward(std::string name, JudgeOptions options)
    : m_name(std::move(name))
    , m_options(std::move(options))
{
    for (int i = 0; i < m_options.workers; ++i)
        m_services.push_back(std::make_unique<HttpService>(m_options.service));
}

at::Tensor JudgeReward::scores(const RewardBatch& batch)
{
    const auto samples = static_cast<std::size_t>(batch.images.size(0));
    std::vector<std::vector<std::size_t>> questions(m_options.scope == contract::RewardScope::Group ? 1 : samples);
    for (std::size_t i = 0; i < samples; ++i)
        questions[questions.size() == 1 ? 0 : i].push_back(i);
    if (m_options.scope == contract::RewardScope::Group)
        return ask(batch, questions, [&](std::string_view answer) {
            std::vector<double> numbers = listedNumbers(answer);
            return numbers.size() == samples ? numbers : std::vector<double>();
        }, "which is not one number for each of " + std::to_string(samples) + " samples; ask for a list of them");
    return ask(batch, questions, [](std::string_view answer) {
        const std::optional<double> number = firstNumber(answer);
        return number ? std::vector {*number} : std::vector<double>();
    }, "in which there is no number; ask for one");
}

at::Tensor JudgeReward::preferences(const RewardBatch& batch, const std::vector<SamplePair>& pairs)
{
    std::vector<std::vector<std::size_t>> questions;
    for (const SamplePair& pair : pairs)
        questions.push_back({static_cast<std::size_t>(pair.first), static_cast<std::size_t>(pair.second)});
    return ask(batch, questions, [](std::string_view answer) -> std::vector<double> {
        const double number = firstNumber(answer).value_or(-1);
        if (number != 0 && number != 1 && number != 2)
            return {};
        return {number == 0 ? 0.5 : 2 - number};
    }, "which begins with none of the numbers 0, 1 and 2; ask for one of them");
}

void JudgeReward::abandon()
{
    for (const std::unique_ptr<HttpService>& service : m_services)
        service->abandon();
}

at::Tensor JudgeReward::ask(const RewardBatch& batch, const std::vector<std::vector<std::size_t>>& questions, const ReadScores& read,
    const std::string& needed)
{
    const std::vector<std::vector<std::string>> files = sampleFiles(evenlySpacedFrames(batch.images, kScoredFrames));
    std::vector<std::vector<float>> scores(questions.size());
    std::atomic<std::size_t> next = 0;
    const auto askOne = [&](HttpService& service, std::size_t question) {
        std::vector<const std::vector<std::string>*> samples;
        for (const std::size_t sample : questions[question])
            samples.push_back(&files[sample]);
        const std::string answer = reply(service.post(chatRequest(m_options, samples, batch.prompts[questions[question].front()]->text)));
        for (const double number : read(answer))
            scores[question].push_back(static_cast<float>(number));
        if (scores[question].empty() || !std::ranges::all_of(scores[question], [](float score) { return std::isfinite(score); }))
            throw std::runtime_error(
                "answered " + contract::inQuotes(contract::shortened(answer)) + ", " + needed + " in " + m_options.questionOption);
    };
    std::vector<std::future<void>> workers;
    for (std::size_t k = 0; k < std::min(questions.size(), m_services.size()); ++k) {
        workers.push_back(std::async(std::launch::async, [&, &service = *m_services[k]] {
            for (std::size_t i = next++; i < questions.size(); i = next++)
                askOne(service, i);
        }));
    }
    try {
        for (std::future<void>& worker : workers)
            worker.get();
    } catch (const std::runtime_error& error) {
        next = questions.size();  // the other workers end after their current question
        throw EngineError(EngineError::Kind::Failure,
            "the judge " + contract::inQuotes(m_options.service.url) + " " + error.what());
    }
    std::vector<float> all;
    for (const std::vector<float>& each : scores)
        all.insert(all.end(), each.begin(), each.end());
    return at::tensor(all, at::kFloat);
}

}  // namespace engine
