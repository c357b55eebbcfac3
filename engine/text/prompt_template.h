// How each pipeline prepares prompts for its text encoders: surrounding text, token limit, and hidden states to drop.
#pragma once
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <string>

namespace engine {

struct PromptTemplate {
    std::string before = {};    ///< text before the prompt
    std::string after = {};     ///< text after the prompt
    std::int64_t maxTokens = 0; ///< limit for all tokens, including those of the template and of the tokenizer
    Padding padding = Padding::ToMaxLength;
    std::int64_t droppedStates = 0;    ///< number of first hidden states to drop, because they belong to the template
    bool hasAttentionMask = false;     ///< whether the encoder gets a mask of the padding
    bool isCleaned = false;            ///< whether prompts are cleaned with cleanedPrompt() first
};

/// For the CLIP encoders of SD3 (two) and Flux (one): 77 tokens. The tokenizer determines the padding token.
PromptTemplate clipPrompt();

/// For T5 in SD3 (256 tokens by default) and Flux (512; schnell 256).
PromptTemplate t5Prompt(std::int64_t maxSequenceLength);

/// For UMT5 in Wan; 512 tokens by default.
PromptTemplate wanPrompt(std::int64_t maxSequenceLength);

/// For Qwen2.5-VL in Qwen-Image: a chat in which the prompt is the user's message. The first 34 hidden states are dropped, and
/// at most @p maxSequenceLength are kept. The model is causal, so later tokens need not be encoded.
PromptTemplate qwenImagePrompt(std::int64_t maxSequenceLength);

/// Tokenizes prompts with a template. The end of a prompt that is too long is cut off. @throws as Tokenizer::encoded().
TokenBatch tokenizedPrompts(const Tokenizer& tokenizer, const PromptTemplate& form, std::span<const std::string> prompts);

struct TokenCount {
    std::int64_t tokens = 0;  ///< of the prompt and what follows it in the template
    std::int64_t limit = 0;   ///< how many of these tokenizedPrompts() keeps
};
/// Counts the tokens of a prompt before it is cut off. @throws as Tokenizer::tokens().
TokenCount tokenCount(const Tokenizer& tokenizer, const PromptTemplate& form, const std::string& prompt);

}  // namespace engine
