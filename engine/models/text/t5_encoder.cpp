#include "engine/models/text/t5_encoder.h"

#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/where.h>

#include <cmath>

namespace engine {

at::Tensor relativePositionBuckets(std::int64_t tokens, std::int64_t buckets, std::int64_t longestDistance)
{
    const std::int64_t half = buckets / 2, single = half / 2;
    const at::Tensor positions = at::arange(tokens, at::kLong);
    const at::Tensor offset = positions.unsqueeze(0) - positions.unsqueeze(1);
    const at::Tensor distance = offset.abs();
    const double range = std::log(static_cast<double>(longestDistance) / static_cast<double>(single));
    const at::Tensor steps
        = (distance.to(at::kFloat) / static_cast<double>(single)).log() / range * static_cast<double>(half - single);
    const at::Tensor shared = (steps.clamp_min(0).to(at::kLong) + single).clamp_max(half - 1);
    return at::where(distance < single, distance, shared) + (offset > 0).to(at::kLong) * half;
}

T5Encoder::T5Encoder(const contract::JsonConfig& config, PositionBias positionBias, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_vocabulary(config.count("vocab_size"))
    , m_width(config.count("d_model"))
    , m_headSize(config.count("d_kv"))
    , m_heads(config.count("num_heads"))
    , m_hidden(config.count("d_ff"))
    , m_layers(config.count("num_layers"))
    , m_buckets(config.count("relative_attention_num_buckets", 32))
    , m_longestDistance(config.count("relative_attention_max_distance", 128))
    , m_epsilon(config.real("layer_norm_epsilon", 1e-6))
    , m_positionBias(positionBias)
{
    if (config.text("feed_forward_proj", "relu") != "gated-gelu")
        config.fail("feed_forward_proj", "has an unsupported value; supported: gated-gelu");
    if (m_buckets % 4 != 0)
        config.fail("relative_attention_num_buckets", "must be a multiple of 4");
    if (m_longestDistance <= m_buckets / 4)
        config.fail("relative_attention_max_distance", "must be more than a quarter of relative_attention_num_buckets");
}

at::Tensor T5Encoder::positionBias(
    const WeightScope& attention, const at::Tensor& buckets, const at::Tensor& maskBias) const
{
    const at::Tensor table = (attention / "relative_attention_bias")("weight", {m_buckets, m_heads});
    const at::Tensor bias = at::embedding(table, buckets).permute({2, 0, 1}).unsqueeze(0);
    return maskBias.defined() ? bias + maskBias : bias.contiguous();
}

at::Tensor T5Encoder::attended(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const
{
    const auto part = [&](const char* name) {
        return headsApart(projectedWithoutBias(weights / name, x, m_heads * m_headSize), m_heads);
    };
    constexpr double kScale = 1;  // T5 initializes its weights such that the logits need no scale
    const at::Tensor mixed = engine::attended(part("q"), part("k"), part("v"), bias, kScale);
    return projectedWithoutBias(weights / "o", mixed, m_width);
}

at::Tensor T5Encoder::gatedMlp(const WeightScope& weights, const at::Tensor& x) const
{
    const at::Tensor gate = at::gelu(projectedWithoutBias(weights / "wi_0", x, m_hidden), "tanh");
    const at::Tensor hidden = gate * projectedWithoutBias(weights / "wi_1", x, m_hidden);
    // The sum over the hidden features exceeds what float16 holds. The residual stream is float32 from the first of them on.
    const auto project = hidden.scalar_type() == at::kHalf ? projectedInFloat : projectedWithoutBias;
    return project(weights / "wo", hidden, m_width);
}

TextFeatures T5Encoder::run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const
{
    const WeightScope all(*m_weights), encoder = all / "encoder";
    const WeightScope tokens = all.contains("shared.weight") ? all / "shared" : encoder / "embed_tokens";
    TextFeatures features;
    at::Tensor x = at::embedding(tokens("weight", {m_vocabulary, m_width}), ids);
    const at::Tensor buckets = relativePositionBuckets(ids.size(1), m_buckets, m_longestDistance).to(ids.device());
    const at::Tensor maskBias = attentionBias(mask, x.scalar_type());
    at::Tensor bias;
    for (std::int64_t i = 0; i < m_layers; ++i) {
        observer(i, x);
        features.penultimate = x;
        const WeightScope attention = encoder / "block" / i / "layer" / 0, mlp = encoder / "block" / i / "layer" / 1;
        if (i == 0 || m_positionBias == PositionBias::OfEachLayer)
            bias = positionBias(attention / "SelfAttention", buckets, maskBias);
        x = x + attended(attention / "SelfAttention", rmsNormed(attention / "layer_norm", x, m_epsilon), bias);
        x = x + gatedMlp(mlp / "DenseReluDense", rmsNormed(mlp / "layer_norm", x, m_epsilon));
    }
    features.last = rmsNormed(encoder / "final_layer_norm", x, m_epsilon);
    observer(m_layers, features.last);
    return features;
}

}  // namespace engine
