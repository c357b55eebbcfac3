#include "engine/models/text/clip_text_encoder.h"

#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/sigmoid.h>

namespace engine {
namespace {

/// eos_token_id in the published configs of the first CLIP models, where the real end token is 49407. The end is then found as
/// the largest id of the prompt.
constexpr std::int64_t kWrongEndToken = 2;

}  // namespace

ClipTextEncoder::ClipTextEncoder(
    const contract::JsonConfig& config, bool hasProjection, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_vocabulary(config.count("vocab_size", 49408))
    , m_positions(config.count("max_position_embeddings", 77))
    , m_width(config.count("hidden_size", 512))
    , m_layers(config.count("num_hidden_layers", 12))
    , m_heads(config.count("num_attention_heads", 8))
    , m_hidden(config.count("intermediate_size", 2048))
    , m_endToken(config.integer("eos_token_id", 49407))
    , m_projection(config.count("projection_dim", 512))
    , m_epsilon(config.real("layer_norm_eps", 1e-5))
    , m_hasProjection(hasProjection)
{
    const std::string activation = config.text("hidden_act", "quick_gelu");
    if (activation != "quick_gelu" && activation != "gelu")
        config.fail("hidden_act", "has an unsupported value; supported: quick_gelu, gelu");
    m_activation = activation == "gelu" ? Activation::Gelu : Activation::QuickGelu;
    if (m_width % m_heads != 0)
        config.fail("num_attention_heads", "must divide hidden_size");
}

at::Tensor ClipTextEncoder::embedded(const WeightScope& weights, const at::Tensor& ids) const
{
    const at::Tensor tokens = (weights / "token_embedding")("weight", {m_vocabulary, m_width});
    const at::Tensor positions = (weights / "position_embedding")("weight", {m_positions, m_width});
    return at::embedding(tokens, ids) + positions.narrow(0, 0, ids.size(1));
}

at::Tensor ClipTextEncoder::normed(const WeightScope& weights, const at::Tensor& x) const
{
    return at::layer_norm(x, {m_width}, weights("weight", {m_width}), weights("bias", {m_width}), m_epsilon);
}

at::Tensor ClipTextEncoder::activated(const at::Tensor& x) const
{
    return m_activation == Activation::Gelu ? at::gelu(x) : x * at::sigmoid(x * 1.702);
}

at::Tensor ClipTextEncoder::attended(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const
{
    const auto part = [&](const char* name) { return headsApart(projected(weights / name, x, m_width), m_heads); };
    const at::Tensor q = part("q_proj");
    return projected(weights / "out_proj", engine::attended(q, part("k_proj"), part("v_proj"), bias, defaultScale(q)), m_width);
}

at::Tensor ClipTextEncoder::layer(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const
{
    const at::Tensor h = x + attended(weights / "self_attn", normed(weights / "layer_norm1", x), bias);
    const WeightScope mlp = weights / "mlp";
    const at::Tensor hidden = activated(projected(mlp / "fc1", normed(weights / "layer_norm2", h), m_hidden));
    return h + projected(mlp / "fc2", hidden, m_width);
}

at::Tensor ClipTextEncoder::endPositions(const at::Tensor& ids) const
{
    return m_endToken == kWrongEndToken ? ids.argmax(1) : ids.eq(m_endToken).to(at::kInt).argmax(1);
}

TextFeatures ClipTextEncoder::run(const at::Tensor& ids, const at::Tensor&, const Observer& observer) const
{
    const WeightScope all(*m_weights), weights = all / "text_model";
    TextFeatures features;
    at::Tensor x = embedded(weights / "embeddings", ids);
    const at::Tensor bias = causalAttentionBias(at::ones({1, ids.size(1)}, ids.options()), x.scalar_type());
    for (std::int64_t i = 0; i < m_layers; ++i) {
        observer(i, x);
        features.penultimate = x;
        x = layer(weights / "encoder" / "layers" / i, x, bias);
    }
    observer(m_layers, x);
    features.last = normed(weights / "final_layer_norm", x);
    const at::Tensor ends = endPositions(ids).view({-1, 1, 1}).expand({-1, 1, m_width});
    features.pooled = features.last.gather(1, ends).squeeze(1);
    if (m_hasProjection)
        features.projected = projectedWithoutBias(all / "text_projection", features.pooled, m_projection);
    return features;
}

}  // namespace engine
