#include "engine/pipeline/prompt_encoder.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/safetensors_header.h"
#include "engine/models/text/qwen2_5_text_encoder.h"
#include "engine/pipeline/encoder_part.h"
#include "engine/pipeline/hashed_words.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/zeros.h>

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace engine {
namespace {

std::int64_t lengthOr(const PromptEncoderOptions& options, std::int64_t otherwise)
{
    return options.maxSequenceLength > 0 ? options.maxSequenceLength : otherwise;
}

void appendTruncation(std::vector<std::string>& phrases, const EncoderPart& part, const PromptTemplate& form, const std::string& prompt)
{
    if (std::string phrase = part.truncation(prompt, form); !phrase.empty())
        phrases.push_back(std::move(phrase));
}

/// The states of two CLIP encoders, concatenated along features, followed by the tokens of T5. Where the folder has no T5, its
/// tokens are zeros.
class Sd3Prompts final : public PromptEncoder {
public:
    Sd3Prompts(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
        : m_clip {{EncoderPart(folder, "", options), EncoderPart(folder, "_2", options)}}
        , m_t5Length(lengthOr(options, 256))
        , m_width(folder.config("transformer").count("joint_attention_dim", 4096))
    {
        if (folder.has("text_encoder_3"))
            m_t5.emplace(folder, "_3", options);
    }

    PromptFeatures encode(std::span<const std::string> prompts) const override
    {
        std::vector<at::Tensor> states, pooled;
        for (const EncoderPart& part : m_clip) {
            const TextFeatures features = part.encode(prompts, clipPrompt()).features;
            states.push_back(features.penultimate.to(at::kFloat));
            pooled.push_back(features.projected.to(at::kFloat));
        }
        const at::Tensor clip = at::cat(states, -1);
        const at::Tensor t5 = m_t5 ? m_t5->encode(prompts, t5Prompt(m_t5Length)).features.last.to(at::kFloat)
                                   : at::zeros({clip.size(0), m_t5Length, m_width}, clip.options());
        const at::Tensor wide = at::constant_pad_nd(clip, {0, m_width - clip.size(-1)});
        return {at::cat({wide, t5}, 1), {}, at::cat(pooled, -1)};
    }

    std::vector<std::string> truncations(const std::string& prompt) const override
    {
        std::vector<std::string> phrases;
        for (const EncoderPart& part : m_clip)
            appendTruncation(phrases, part, clipPrompt(), prompt);
        if (m_t5)
            appendTruncation(phrases, *m_t5, t5Prompt(m_t5Length), prompt);
        return phrases;
    }

    std::int64_t length(const std::string&) const override { return clipPrompt().maxTokens + m_t5Length; }

private:
    std::array<EncoderPart, 2> m_clip;
    std::optional<EncoderPart> m_t5;
    std::int64_t m_t5Length, m_width;
};

class QwenImagePrompts final : public PromptEncoder {
public:
    QwenImagePrompts(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
        : m_part(folder, "", options)
        , m_form(qwenImagePrompt(lengthOr(options, 1024)))
    {
    }

    PromptFeatures encode(std::span<const std::string> prompts) const override
    {
        const auto result = m_part.encode(prompts, m_form);
        const ValidTokens valid = validTokens(result.features.last.to(at::kFloat), result.mask, m_form.droppedStates);
        const at::Tensor mask = valid.mask.to(at::kBool);
        return {valid.features, mask.all().item<bool>() ? at::Tensor() : mask, {}};
    }

    std::vector<std::string> truncations(const std::string& prompt) const override
    {
        std::vector<std::string> phrases;
        appendTruncation(phrases, m_part, m_form, prompt);
        return phrases;
    }

    std::int64_t length(const std::string& prompt) const override { return m_part.length(prompt, m_form); }

private:
    EncoderPart m_part;
    PromptTemplate m_form;
};

/// CLIP for the pooled embedding, T5 for the tokens: 512, or 256 for schnell, which was trained with fewer.
class FluxPrompts final : public PromptEncoder {
public:
    FluxPrompts(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
        : m_clip(folder, "", options)
        , m_t5(folder, "_2", options)
        , m_form(t5Prompt(lengthOr(options, isGuidanceDistilled(folder) ? 512 : 256)))
    {
    }

    PromptFeatures encode(std::span<const std::string> prompts) const override
    {
        return {m_t5.encode(prompts, m_form).features.last.to(at::kFloat), {},
            m_clip.encode(prompts, clipPrompt()).features.pooled.to(at::kFloat)};
    }

    std::vector<std::string> truncations(const std::string& prompt) const override
    {
        std::vector<std::string> phrases;
        appendTruncation(phrases, m_clip, clipPrompt(), prompt);
        appendTruncation(phrases, m_t5, m_form, prompt);
        return phrases;
    }

    std::int64_t length(const std::string&) const override { return m_form.maxTokens; }

private:
    EncoderPart m_clip, m_t5;
    PromptTemplate m_form;
};

/// UMT5. The features of padding are set to zero, and no mask is returned.
class WanPrompts final : public PromptEncoder {
public:
    WanPrompts(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
        : m_part(folder, "", options)
        , m_form(wanPrompt(lengthOr(options, 512)))
    {
    }

    PromptFeatures encode(std::span<const std::string> prompts) const override
    {
        const auto result = m_part.encode(prompts, m_form);
        return {result.features.last.to(at::kFloat) * result.mask.unsqueeze(-1), {}, {}};
    }

    std::vector<std::string> truncations(const std::string& prompt) const override
    {
        std::vector<std::string> phrases;
        appendTruncation(phrases, m_part, m_form, prompt);
        return phrases;
    }

    std::int64_t length(const std::string&) const override { return m_form.maxTokens; }

private:
    EncoderPart m_part;
    PromptTemplate m_form;
};

using Opener = std::unique_ptr<PromptEncoder> (*)(const contract::ModelFolder&, const PromptEncoderOptions&);

template <typename Encoder>
std::unique_ptr<PromptEncoder> open(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
{
    return std::make_unique<Encoder>(folder, options);
}

const std::map<std::string, Opener> kOpeners = {
    {"AtelierPixelPipeline", [](const contract::ModelFolder&, const PromptEncoderOptions& options) -> std::unique_ptr<PromptEncoder> {
         return std::make_unique<HashedWords>(options.device);
     }},
    {"FluxPipeline", open<FluxPrompts>},
    {"QwenImagePipeline", open<QwenImagePrompts>},
    {"StableDiffusion3Pipeline", open<Sd3Prompts>},
    {"WanPipeline", open<WanPrompts>},
};

}  // namespace

ModelInput PromptFeatures::asInput() const
{
    ModelInput input;
    input.prompt = embeds;
    input.promptMask = mask;
    input.pooled = pooled;
    return input;
}

PromptFeatures PromptFeatures::ofPrompt(std::int64_t row) const
{
    at::Tensor own = embeds.narrow(0, row, 1);
    if (mask.defined())
        own = own.narrow(1, 0, mask[row].sum().item<std::int64_t>());
    return {own, {}, pooled.defined() ? pooled.narrow(0, row, 1) : at::Tensor()};
}

std::string truncationNotice(const PromptEncoder& encoder, const std::string& prompt)
{
    std::string notice;
    for (const std::string& phrase : encoder.truncations(prompt))
        notice += (notice.empty() ? "the end of a prompt is cut off: " : ", ") + phrase;
    return notice.empty() ? notice : notice + "; the prompt is " + contract::quotedName(prompt);
}

bool isGuidanceDistilled(const contract::ModelFolder& folder) { return folder.config("transformer").flag("guidance_embeds", false); }

std::unique_ptr<PromptEncoder> openPromptEncoder(const contract::ModelFolder& folder, const PromptEncoderOptions& options)
{
    const auto opener = kOpeners.find(folder.className());
    if (opener != kOpeners.end())
        return opener->second(folder, options);
    std::string known;
    for (const auto& [name, unused] : kOpeners)
        known += (known.empty() ? "" : ", ") + name;
    throw EngineError(EngineError::Kind::WrongUsage,
        folder.root().string() + ": prompts of a " + folder.className() + " are not supported; supported: " + known);
}

}  // namespace engine
