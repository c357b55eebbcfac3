// How each pipeline hands a prompt to its text encoders: what stands around it, how many tokens, what is dropped after.
#pragma once
#include "engine/text/tokenizer.h"

#include <cstdint>
#include <span>
#include <string>

namespace engine {

struct PromptTemplate {
    std::string before = {};    ///< what stands around the prompt
    std::string after = {};
    std::int64_t maxTokens = 0; ///< all of them: the template's and those that the tokenizer puts around a text
    Padding padding = Padding::ToMaxLength;
    std::int64_t droppedStates = 0;    ///< as many first hidden states belong to the template and are left out
    bool hasAttentionMask = false;     ///< the encoder is told which tokens are padding
    bool isCleaned = false;            ///< prompts go through cleanedPrompt() first
};

/// SD3's two CLIP encoders and Flux's one: 77 tokens. What they pad with is the tokenizer's affair.
PromptTemplate clipPrompt();

/// T5 of SD3 (256 tokens by default) and Flux (512; schnell 256).
PromptTemplate t5Prompt(std::int64_t maxSequenceLength);

/// UMT5 of Wan; 512 tokens by default.
PromptTemplate wanPrompt(std::int64_t maxSequenceLength);

/// Qwen2.5-VL of Qwen-Image: a conversation in which the prompt is what a user says. Of its hidden states the first 34 are
/// dropped, and @p maxSequenceLength are left at most; the model is causal, so that no later token need be read.
PromptTemplate qwenImagePrompt(std::int64_t maxSequenceLength);

/// @throws as Tokenizer::encoded().
TokenBatch tokenizedPrompts(const Tokenizer& tokenizer, const PromptTemplate& form, std::span<const std::string> prompts);

}  // namespace engine
