// Prompt embeddings for a model trained from scratch: fixed pseudo-random vectors per word, without a text encoder.
#pragma once
#include "engine/pipeline/prompt_encoder.h"

namespace engine {

/// [Note: hashed words]
/// The vector of a word is drawn from a random generator that is seeded with the word, so every word has a fixed vector and
/// different words have different ones. The transformer's first layer over the prompt learns their meaning, and so serves as
/// the embedding table. As in fastText, vectors of all groups of three letters are added, so that "hearts" is close to "heart";
/// a vector for the word's position in the prompt is added too. Words are lower-cased and split at white space and punctuation.
class HashedWords final : public PromptEncoder {
public:
    static constexpr std::int64_t kWords = 16;   ///< words of a prompt that are used; further ones are ignored
    static constexpr std::int64_t kWidth = 512;  ///< of a word's vector, and of the pooled one

    explicit HashedWords(c10::Device device = c10::DeviceType::CPU)
        : m_device(device)
    {
    }

    /// @return on the device: embeds [B, kWords, kWidth], zeros after the last word; pooled [B, kWidth], the sum of the words'
    ///         vectors (without positions) divided by the square root of their number; zeros for a prompt without words
    PromptFeatures encode(std::span<const std::string> prompts) const override;

    std::vector<std::string> truncations(const std::string& prompt) const override;
    std::int64_t length(const std::string&) const override { return kWords; }

private:
    c10::Device m_device;
};

}  // namespace engine
