#include "engine/models/clip/clip_model.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/safetensors_set.h"
#include "engine/models/text/text_layers.h"
#include "engine/text/byte_level_tokenizer.h"
#include "engine/weights/file_weights.h"
#include "engine/weights/sharded_weights.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/tensor.h>

#include <cmath>
#include <utility>

namespace engine {
namespace {

/// The configuration of one tower. Old files have it under "…_dict" too, which counts if it differs.
contract::JsonConfig towerConfig(const contract::JsonConfig& config, const std::string& key)
{
    return config.object(config.has(key + "_dict") ? key + "_dict" : key);
}

std::shared_ptr<const WeightLookup> weightsOf(const std::filesystem::path& file, c10::Device device, Group* shards)
{
    WeightsSource source {contract::SafetensorsSet(file)};
    if (shards && shards->size() > 1)
        return std::make_shared<ShardedWeights>(std::move(source), at::kFloat, device, *shards);
    const bool isMapped = device.is_cpu() && source.dtype("visual_projection.weight") == at::kFloat;
    const auto weights = std::make_shared<FileWeights>(std::move(source), at::kFloat, device);
    if (isMapped)
        return weights;
    return std::make_shared<CachedWeights>(weights);
}

}  // namespace

ClipModel::ClipModel(const std::filesystem::path& folder, c10::Device device, Group* shards)
    : ClipModel(contract::openClipFolder(folder), device, shards)
{
}

ClipModel::ClipModel(const contract::ClipFolder& folder, c10::Device device, Group* shards)
    : m_device(device)
    , m_weights(weightsOf(folder.weights, device, shards))
    , m_projection(folder.config.count("projection_dim", 512))
    , m_longestPrompt(towerConfig(folder.config, "text_config").count("max_position_embeddings", 77))
    , m_images(towerConfig(folder.config, "vision_config"), m_weights)
    , m_processor(folder.images, m_images.side())
    , m_texts(towerConfig(folder.config, "text_config"), /*hasProjection=*/false, m_weights)
    , m_tokenizer(openClipTokenizer(folder.root, readTokenizerConfig(folder.root)))
{
    checkEndToken(towerConfig(folder.config, "text_config"));
}

void ClipModel::checkEndToken(const contract::JsonConfig& text) const
{
    const std::int64_t configured = text.integer("eos_token_id", 49407), end = m_tokenizer->specialIds().end.value();
    if (configured != end && configured != ClipTextEncoder::kLargestId)
        text.fail("eos_token_id", "is " + std::to_string(configured) + ", but the tokenizer ends a text with " + std::to_string(end));
}

at::Tensor ClipModel::projectedToUnit(const char* name, const at::Tensor& features) const
{
    const at::Tensor embeddings = projectedWithoutBias(WeightScope(*m_weights) / name, features, m_projection);
    return embeddings / at::linalg_vector_norm(embeddings, 2, at::IntArrayRef {1}, /*keepdim=*/true);
}

at::Tensor ClipModel::imageEmbeddings(const at::Tensor& images) const
{
    return projectedToUnit("visual_projection", m_images.encode(m_processor.prepared(images).to(m_device)));
}

at::Tensor ClipModel::textEmbeddings(std::span<const std::string> prompts) const
{
    const TokenBatch batch = m_tokenizer->encodedBatch(prompts, m_longestPrompt, Padding::ToLongestRow);
    const at::Tensor ids = at::tensor(batch.ids, at::kLong).view({batch.rows, batch.length}).to(m_device);
    return projectedToUnit("text_projection", m_texts.encode(ids).pooled);
}

double ClipModel::logitScale() const { return std::exp(WeightScope(*m_weights)("logit_scale", {}).item<double>()); }

}  // namespace engine
