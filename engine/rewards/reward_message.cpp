#include "engine/rewards/reward_message.h"

#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/text.h"
#include "engine/data/png.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/nan_to_num.h>

#include <nlohmann/json.hpp>

#include <cmath>
#include <stdexcept>

namespace engine {
namespace {

using nlohmann::json;

std::string quotedText(std::string_view text) { return contract::inQuotes(contract::shortened(text)); }

json parsedAnswer(std::string_view answer)
{
    json parsed;
    try {
        parsed = contract::parseJson(answer, {});
    } catch (const std::runtime_error&) {
        throw std::runtime_error("answered " + quotedText(answer) + ", which is not JSON");
    }
    if (!parsed.is_object())
        throw std::runtime_error("answered " + quotedText(answer) + ", which is not a JSON object");
    return parsed;
}

/// The finite float32 number that @p value is, or nullopt.
std::optional<float> scoreOf(const json& value)
{
    if (!value.is_number())
        return std::nullopt;
    const auto score = static_cast<float>(value.get<double>());
    return std::isfinite(score) ? std::optional(score) : std::nullopt;
}

}  // namespace

std::vector<std::string> pngFiles(const at::Tensor& images)
{
    const at::Tensor bytes
        = at::nan_to_num(images).mul(255).round().clamp(0, 255).to(at::kByte).permute({0, 2, 3, 1}).contiguous();
    const std::int64_t size = bytes.numel() / std::max<std::int64_t>(bytes.size(0), 1);
    std::vector<std::string> files;
    for (std::int64_t i = 0; i < bytes.size(0); ++i) {
        const std::uint8_t* const first = bytes.const_data_ptr<std::uint8_t>() + i * size;
        files.push_back(encodedPng({.width = static_cast<int>(bytes.size(2)),
            .height = static_cast<int>(bytes.size(1)),
            .channels = static_cast<int>(bytes.size(3)),
            .values = std::vector(first, first + size)}));
    }
    return files;
}

std::vector<std::vector<std::string>> sampleFiles(const at::Tensor& images)
{
    const bool areVideos = images.dim() == 5;
    const std::size_t each = areVideos ? static_cast<std::size_t>(images.size(1)) : 1;
    std::vector<std::string> files = pngFiles(areVideos ? images.flatten(0, 1) : images);
    std::vector<std::vector<std::string>> samples;
    for (std::size_t i = 0; i < files.size(); i += each)
        samples.emplace_back(files.begin() + static_cast<std::ptrdiff_t>(i), files.begin() + static_cast<std::ptrdiff_t>(i + each));
    return samples;
}

std::string base64(std::string_view bytes)
{
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
        for (std::size_t k = 0; k < 4; ++k)
            text += i + k > bytes.size() ? '=' : kDigits[bits >> (18 - 6 * k) & 0x3FU];
    }
    return text;
}

std::string rewardRequest(const RewardBatch& batch, std::uint64_t id, const std::vector<SamplePair>& pairs)
{
    json samples = json::array();
    const bool areVideos = batch.images.dim() == 5;
    for (const std::vector<std::string>& files : sampleFiles(batch.images)) {
        const Prompt& prompt = *batch.prompts.at(samples.size());
        json& sample = samples.emplace_back(json {{"prompt", prompt.text}, {"fields", contract::parsedJson(prompt.fields)}});
        for (const std::string& file : files) {
            if (areVideos)
                sample["frames"].push_back(base64(file));
            else
                sample["image"] = base64(file);
        }
    }
    json request = {{"id", id}, {"samples", std::move(samples)}};
    for (const SamplePair& pair : pairs)
        request["pairs"].push_back({pair.first, pair.second});
    return contract::jsonText(request);
}

at::Tensor parsedScores(std::string_view answer, std::int64_t count, std::optional<std::uint64_t> id, const std::string& scored)
{
    const json parsed = parsedAnswer(answer);
    if (const auto error = parsed.find("error"); error != parsed.end())
        throw std::runtime_error("reports an error: " + quotedText(error->is_string() ? error->get<std::string>() : contract::jsonText(*error)));
    if (const auto found = parsed.find("id"); id && (found == parsed.end() || *found != json(*id)))
        throw std::runtime_error("answered " + quotedText(answer) + ", which is not the answer to request " + std::to_string(*id));
    const auto scores = parsed.find("scores");
    if (scores == parsed.end() || !scores->is_array())
        throw std::runtime_error("answered " + quotedText(answer) + ", which has no list \"scores\"");
    if (static_cast<std::int64_t>(scores->size()) != count)
        throw std::runtime_error("answered " + std::to_string(scores->size()) + " scores for " + std::to_string(count) + " " + scored + "s");
    std::vector<float> values;
    for (const json& score : *scores) {
        const std::optional<float> value = scoreOf(score);
        if (!value)
            throw std::runtime_error("answered the score " + quotedText(contract::jsonText(score))
                + " for " + scored + " " + std::to_string(values.size() + 1) + ", which is not a finite number");
        values.push_back(*value);
    }
    return at::from_blob(values.data(), {count}, at::kFloat).clone();
}

}  // namespace engine
