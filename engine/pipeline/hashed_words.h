// Prompts for a model that begins from nothing: words as vectors that nobody had to learn.
#pragma once
#include "engine/pipeline/prompt_encoder.h"

namespace engine {

/// [Note: hashed words]
/// A word is a vector of random numbers drawn from its letters, so that any word has one, always the same, and no two have
/// like ones. The transformer's first layer over the prompt learns what they mean: it is the table of words. Groups of three
/// letters are drawn likewise and added, as fastText does, so that "hearts" lies near "heart"; and so is the word's place
/// in the prompt. Lower case; white space and punctuation part words.
class HashedWords final : public PromptEncoder {
public:
    static constexpr std::int64_t kWords = 16;   ///< of a prompt; more are left out
    static constexpr std::int64_t kWidth = 512;  ///< of a word, and of the whole prompt

    explicit HashedWords(c10::Device device = c10::DeviceType::CPU)
        : m_device(device)
    {
    }

    /// On the device. @return embeds [B, kWords, kWidth], zeros after the last word; pooled [B, kWidth]: the words' sum over the square root
    ///         of their number; zeros for a prompt without words
    PromptFeatures encode(std::span<const std::string> prompts) const override;

private:
    c10::Device m_device;
};

}  // namespace engine
