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

/// Adds the random vector for @p text, times @p weight.
void addVector(WordVector& sum, const std::string& text, float weight)
{
    WordVector drawn(sum.size());
    fillNormal(drawn, {.seed = 0, .purpose = text, .step = 0, .row = 0});
    for (std::size_t i = 0; i < sum.size(); ++i)
        sum[i] += weight * drawn[i];
}

std::vector<std::string> wordsOf(std::string_view prompt)
{
    constexpr std::string_view kSeparators = " \t\r\n.,:;!?()[]{}\"-_/&|";
    std::vector<std::string> words(1);
    for (const char letter : prompt) {
        if (kSeparators.find(letter) == std::string_view::npos)
            words.back() += letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
        else if (!words.back().empty())
            words.emplace_back();
    }
    if (words.back().empty())
        words.pop_back();
    return words;
}

/// The vector of a word and its groups of letters, scaled so that each element has variance 1.
WordVector vectorOf(const std::string& word)
{
    constexpr std::size_t kGroup = 3;
    const std::string bounded = "<" + word + ">";
    const std::size_t groups = word.size() >= kGroup ? bounded.size() + 1 - kGroup : 0;
    const auto weight = 1 / std::sqrt(static_cast<float>(groups + 1));
    WordVector vector(static_cast<std::size_t>(HashedWords::kWidth));
    addVector(vector, "word " + word, weight);
    for (std::size_t i = 0; i < groups; ++i)
        addVector(vector, "letters " + bounded.substr(i, kGroup), weight);
    return vector;
}

}  // namespace

PromptFeatures HashedWords::encode(std::span<const std::string> prompts) const
{
    constexpr float kPositionWeight = 0.5F;
    const auto count = static_cast<std::int64_t>(prompts.size());
    PromptFeatures features {at::zeros({count, kWords, kWidth}, at::kFloat), {}, at::zeros({count, kWidth}, at::kFloat)};
    auto* embeds = features.embeds.mutable_data_ptr<float>();
    auto* pooled = features.pooled.mutable_data_ptr<float>();
    for (const std::string& prompt : prompts) {
        auto words = wordsOf(prompt);
        words.resize(std::min(words.size(), static_cast<std::size_t>(kWords)));
        float* out = embeds;
        for (std::size_t position = 0; position < words.size(); ++position) {
            WordVector vector = vectorOf(words[position]);
            for (std::size_t i = 0; i < vector.size(); ++i)
                pooled[i] += vector[i] / std::sqrt(static_cast<float>(words.size()));
            addVector(vector, "place " + std::to_string(position), kPositionWeight);
            out = std::copy(vector.begin(), vector.end(), out);
        }
        embeds += kWords * kWidth;
        pooled += kWidth;
    }
    return {features.embeds.to(m_device), {}, features.pooled.to(m_device)};
}

std::vector<std::string> HashedWords::truncations(const std::string& prompt) const
{
    const std::size_t words = wordsOf(prompt).size();
    if (words <= static_cast<std::size_t>(kWords))
        return {};
    return {"the model reads " + std::to_string(kWords) + " of its " + std::to_string(words) + " words"};
}

}  // namespace engine
