#include "engine/text/prompt_template.h"

#include "engine/text/prompt_cleaning.h"

#include <vector>

namespace engine {

namespace {

std::string filledIn(const PromptTemplate& form, const std::string& prompt)
{
    return form.before + (form.isCleaned ? cleanedPrompt(prompt) : prompt) + form.after;
}

}  // namespace

PromptTemplate clipPrompt() { return {.maxTokens = 77}; }

PromptTemplate t5Prompt(std::int64_t maxSequenceLength) { return {.maxTokens = maxSequenceLength}; }

PromptTemplate wanPrompt(std::int64_t maxSequenceLength)
{
    return {.maxTokens = maxSequenceLength, .hasAttentionMask = true, .isCleaned = true};
}

PromptTemplate qwenImagePrompt(std::int64_t maxSequenceLength)
{
    constexpr std::int64_t kDropped = 34;
    return {.before = "<|im_start|>system\nDescribe the image by detailing the color, shape, size, texture, quantity, text, "
                      "spatial relationships of the objects and background:<|im_end|>\n<|im_start|>user\n",
        .after = "<|im_end|>\n<|im_start|>assistant\n",
        .maxTokens = kDropped + maxSequenceLength,
        .padding = Padding::ToLongestRow,
        .droppedStates = kDropped,
        .hasAttentionMask = true};
}

TokenBatch tokenizedPrompts(const Tokenizer& tokenizer, const PromptTemplate& form, std::span<const std::string> prompts)
{
    std::vector<std::string> texts;
    texts.reserve(prompts.size());
    for (const std::string& prompt : prompts)
        texts.push_back(filledIn(form, prompt));
    return tokenizer.encodedBatch(texts, form.maxTokens, form.padding);
}

TokenCount tokenCount(const Tokenizer& tokenizer, const PromptTemplate& form, const std::string& prompt)
{
    const auto tokens = static_cast<std::int64_t>(tokenizer.tokens(filledIn(form, prompt)).size());
    return {tokens - form.droppedStates, form.maxTokens - tokenizer.surroundingTokens() - form.droppedStates};
}

}  // namespace engine
