#include "engine/models/text/clip_text_encoder.h"

#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones.h>

namespace engine {

ClipTextEncoder::ClipTextEncoder(
    const contract::JsonConfig& config, bool hasProjection, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_layers(config, {.width = 512, .layers = 12, .heads = 8, .hidden = 2048})
    , m_vocabulary(config.count("vocab_size", 49408))
    , m_positions(config.count("max_position_embeddings", 77))
    , m_endToken(config.integer("eos_token_id", 49407))
    , m_projection(config.count("projection_dim", 512))
    , m_hasProjection(hasProjection)
{
}

at::Tensor ClipTextEncoder::embedded(const WeightScope& weights, const at::Tensor& ids) const
{
    const at::Tensor tokens = (weights / "token_embedding")("weight", {m_vocabulary, m_layers.width()});
    const at::Tensor positions = (weights / "position_embedding")("weight", {m_positions, m_layers.width()});
    return at::embedding(tokens, ids) + positions.narrow(0, 0, ids.size(1));
}

at::Tensor ClipTextEncoder::endPositions(const at::Tensor& ids) const
{
    return m_endToken == kLargestId ? ids.argmax(1) : ids.eq(m_endToken).to(at::kInt).argmax(1);
}

TextFeatures ClipTextEncoder::run(const at::Tensor& ids, const at::Tensor&, const Observer& observer) const
{
    const WeightScope all(*m_weights), weights = all / "text_model";
    TextFeatures features;
    at::Tensor x = embedded(weights / "embeddings", ids);
    const at::Tensor bias = causalAttentionBias(at::ones({1, ids.size(1)}, ids.options()), x.scalar_type());
    for (std::int64_t i = 0; i < layers(); ++i) {
        observer(i, x);
        features.penultimate = x;
        x = m_layers.layer(weights / "encoder" / "layers" / i, x, bias);
    }
    observer(layers(), x);
    features.last = m_layers.normed(weights / "final_layer_norm", x);
    const at::Tensor ends = endPositions(ids).view({-1, 1, 1}).expand({-1, 1, m_layers.width()});
    features.pooled = features.last.gather(1, ends).squeeze(1);
    if (m_hasProjection)
        features.projected = projectedWithoutBias(all / "text_projection", features.pooled, m_projection);
    return features;
}

}  // namespace engine
