// One of a pipeline's text encoders with its tokenizer.
#pragma once
#include "engine/model/text/text_encoder.h"
#include "engine/pipeline/prompt_encoder.h"
#include "engine/text/prompt_template.h"

#include <memory>
#include <string>

namespace engine {

class EncoderPart {
public:
    /// @param suffix of the components' names: "" for text_encoder and tokenizer, "_2" for text_encoder_2 and tokenizer_2
    /// @throws what opening either throws.
    EncoderPart(const contract::ModelFolder& folder, const std::string& suffix, const PromptEncoderOptions& options);

    struct Result {
        TextFeatures features;
        at::Tensor mask;  ///< [B, N] int64: 1 where a token stands
    };
    Result encode(std::span<const std::string> prompts, const PromptTemplate& form) const;

private:
    std::unique_ptr<Tokenizer> m_tokenizer;
    std::unique_ptr<TextEncoder> m_encoder;
    c10::Device m_device;
};

}  // namespace engine
