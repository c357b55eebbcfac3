#include "engine/pipeline/encoder_part.h"

#include "engine/model/file_weights.h"
#include "engine/model/sharded_weights.h"
#include "engine/model/text/text_encoder_registry.h"

#include <ATen/ops/tensor.h>

namespace engine {
namespace {

std::shared_ptr<const WeightLookup> weightsOf(const std::filesystem::path& folder, const PromptEncoderOptions& options)
{
    WeightsSource source {contract::SafetensorsSet(folder)};
    if (options.shards)
        return std::make_shared<ShardedWeights>(std::move(source), options.dtype, options.device, *options.shards);
    return std::make_shared<FileWeights>(std::move(source), options.dtype, options.device);
}

}  // namespace

EncoderPart::EncoderPart(const contract::ModelFolder& folder, const std::string& suffix, const PromptEncoderOptions& options)
    : m_tokenizer(openTokenizer(folder.component("tokenizer" + suffix)))
    , m_device(options.device)
{
    const std::string name = "text_encoder" + suffix;
    m_encoder = buildTextEncoder(folder.components().at(name).className, folder.config(name), weightsOf(folder.component(name), options));
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
