#include "engine/pipeline/encoder_part.h"

#include "engine/models/text/text_encoder_registry.h"
#include "engine/weights/file_weights.h"
#include "engine/weights/sharded_weights.h"

#include <ATen/ops/tensor.h>

#include <algorithm>

namespace engine {
namespace {

std::shared_ptr<const WeightLookup> weightsOf(const std::filesystem::path& folder, const PromptEncoderOptions& options)
{
    WeightsSource source {contract::SafetensorsSet(folder)};
    if (options.shardGroup)
        return std::make_shared<ShardedWeights>(std::move(source), options.dtype, options.device, *options.shardGroup);
    return std::make_shared<FileWeights>(std::move(source), options.dtype, options.device);
}

}  // namespace

EncoderPart::EncoderPart(const contract::ModelFolder& folder, const std::string& suffix, const PromptEncoderOptions& options)
    : m_name("text_encoder" + suffix)
    , m_tokenizer(openTokenizer(folder.component("tokenizer" + suffix)))
    , m_device(options.device)
{
    m_encoder = buildTextEncoder(folder.components().at(m_name).className, folder.config(m_name), weightsOf(folder.component(m_name), options));
}

std::string EncoderPart::truncation(const std::string& prompt, const PromptTemplate& form) const
{
    const TokenCount count = tokenCount(*m_tokenizer, form, prompt);
    if (count.tokens <= count.limit)
        return {};
    return m_name + " reads " + std::to_string(count.limit) + " of its " + std::to_string(count.tokens) + " tokens";
}

std::int64_t EncoderPart::length(const std::string& prompt, const PromptTemplate& form) const
{
    const TokenCount count = tokenCount(*m_tokenizer, form, prompt);
    return std::min(count.tokens, count.limit);
}

EncoderPart::Result EncoderPart::encode(std::span<const std::string> prompts, const PromptTemplate& form) const
{
    const TokenBatch batch = tokenizedPrompts(*m_tokenizer, form, prompts);
    const auto onDevice = [&](const std::vector<std::int64_t>& values) {
        return at::tensor(values, at::kLong).view({batch.rows, batch.length}).to(m_device);
    };
    const at::Tensor mask = onDevice(batch.mask);
    return {m_encoder->encode(onDevice(batch.ids), form.hasAttentionMask ? mask : at::Tensor()), mask};
}

}  // namespace engine
