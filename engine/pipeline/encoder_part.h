// One of a pipeline's text encoders, with its tokenizer.
#pragma once
#include "engine/models/text/text_encoder.h"
#include "engine/pipeline/prompt_encoder.h"
#include "engine/text/prompt_template.h"

#include <memory>
#include <string>

namespace engine {

class EncoderPart {
public:
    /// @param suffix of the components' names: "" for text_encoder and tokenizer, "_2" for text_encoder_2 and tokenizer_2
    /// @throws as openTokenizer() and buildTextEncoder().
    EncoderPart(const contract::ModelFolder& folder, const std::string& suffix, const PromptEncoderOptions& options);

    struct Result {
        TextFeatures features;
        at::Tensor mask;  ///< [B, N] int64: 0 for padding
    };
    Result encode(std::span<const std::string> prompts, const PromptTemplate& form) const;

    /// "text_encoder reads 75 of its 103 tokens"; empty when the encoder reads all of @p prompt.
    std::string truncation(const std::string& prompt, const PromptTemplate& form) const;
    /// How many tokens of @p prompt the encoder reads, without padding and the beginning of the template.
    std::int64_t length(const std::string& prompt, const PromptTemplate& form) const;

private:
    std::string m_name;  ///< of the component: "text_encoder"
    std::unique_ptr<Tokenizer> m_tokenizer;
    std::unique_ptr<TextEncoder> m_encoder;
    c10::Device m_device;
};

}  // namespace engine
