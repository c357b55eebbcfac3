#include "engine/pipeline/hashed_words.h"

#include "engine/shard/random.h"

#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace engine {
namespace {

using WordVector = std::vector<float>;

/// Adds what is drawn for @p text, times @p weight.
void addDrawn(WordVector& sum, const std::string& text, float weight)
{
    WordVector drawn(sum.size());
    fillNormal(drawn, {.seed = 0, .purpose = text, .step = 0, .row = 0});
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += weight * drawn[i];
}

std::vector<std::string> wordsOf(std::string_view prompt)
{
    constexpr std::string_view kBetweenWords = " \t\r\n.,:;!?()[]{}\"-_/&|";
    std::vector<std::string> words(1);
    for (const char letter : prompt) {
        if (kBetweenWords.find(letter) == std::string_view::npos)
            words.back() += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty())
        words.pop_back();
    if (words.size() > static_cast<std::size_t>(HashedWords::kWords))
        words.resize(static_cast<std::size_t>(HashedWords::kWords));
    return words;
}

/// Each number has variance 1.
WordVector vectorOf(const std::string& word)
{
    constexpr std::size_t kGroup = 3;
    const std::string bounded = "<" + word + ">";
    const std::size_t groups = word.size() >= kGroup ? bounded.size() + 1 - kGroup : 0;
    const auto weight = 1 / std::sqrt(static_cast<float>(groups + 1));
    WordVector vector(static_cast<std::size_t>(HashedWords::kWidth));
    addDrawn(vector, "word " + word, weight);
    for (std::size_t i = 0; i < groups; ++i)
        addDrawn(vector, "letters " + bounded.substr(i, kGroup), weight);
    return vector;
}

}  // namespace

PromptFeatures HashedWords::encode(std::span<const std::string> prompts) const
{
    constexpr float kPlaceWeight = 0.5F;
    const auto count = static_cast<std::int64_t>(prompts.size());
    PromptFeatures features {at::zeros({count, kWords, kWidth}, at::kFloat), {}, at::zeros({count, kWidth}, at::kFloat)};
    auto* embeds = features.embeds.mutable_data_ptr<float>();
    auto* pooled = features.pooled.mutable_data_ptr<float>();
    for (const std::string& prompt : prompts) {
        const auto words = wordsOf(prompt);
        float* out = embeds;
        for (std::size_t place = 0; place < words.size(); ++place) {
            WordVector vector = vectorOf(words[place]);
            for (std::size_t i = 0; i < vector.size(); ++i)
                pooled[i] += vector[i] / std::sqrt(static_cast<float>(words.size()));
            addDrawn(vector, "place " + std::to_string(place), kPlaceWeight);
            out = std::copy(vector.begin(), vector.end(), out);
        }
        embeds += kWords * kWidth;
        pooled += kWidth;
    }
    return {features.embeds.to(m_device), {}, features.pooled.to(m_device)};
}

}  // namespace engine
