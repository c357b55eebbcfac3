#include "engine/models/text/qwen2_5_text_encoder.h"

#include "engine/comm/errors.h"
#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/pow.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <vector>

namespace engine {
namespace {

/// Of the weight names, in newer and in older checkpoints.
constexpr const char* kPrefixes[] = {"model.language_model", "model"};

/// (x1, x2) → (x1 cos - x2 sin, x2 cos + x1 sin) of the two halves of each head. @param x [B, H, N, d]
at::Tensor rotatedHalves(const at::Tensor& x, const at::Tensor& cos, const at::Tensor& sin)
{
    const auto halves = x.chunk(2, -1);
    return x * cos + at::cat(std::vector<at::Tensor> {-halves[1], halves[0]}, -1) * sin;
}

}  // namespace

Qwen25TextEncoder::Qwen25TextEncoder(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
{
    if (config.has("text_config"))
        readSizes(config.object("text_config"));
    else
        readSizes(config);
    const WeightScope all(*m_weights);
    const auto holds = [&](const char* prefix) { return (all / prefix).contains("embed_tokens.weight"); };
    const auto* found = std::ranges::find_if(kPrefixes, holds);
    if (found == std::end(kPrefixes))
        throw EngineError(EngineError::Kind::WrongUsage,
            "the text encoder has neither model.language_model.embed_tokens.weight nor model.embed_tokens.weight");
    m_prefix = *found;
}

void Qwen25TextEncoder::readSizes(const contract::JsonConfig& config)
{
    m_vocabulary = config.count("vocab_size");
    m_positions = config.count("max_position_embeddings", 32768);
    m_width = config.count("hidden_size");
    m_layers = config.count("num_hidden_layers");
    m_heads = config.count("num_attention_heads");
    m_keyHeads = config.count("num_key_value_heads", m_heads);
    m_hidden = config.count("intermediate_size");
    m_epsilon = config.real("rms_norm_eps", 1e-6);
    constexpr double kTheta = 1e6;
    m_theta = config.has("rope_parameters") ? config.object("rope_parameters").real("rope_theta", kTheta)
                                            : config.real("rope_theta", kTheta);
    if (m_width % (2 * m_heads) != 0)
        config.fail("num_attention_heads", "must divide hidden_size into even parts");
    if (m_heads % m_keyHeads != 0)
        config.fail("num_key_value_heads", "must divide num_attention_heads");
    if (config.text("hidden_act", "silu") != "silu")
        config.fail("hidden_act", "has an unsupported value; supported: silu");
    if (config.flag("use_sliding_window", false))
        config.fail("use_sliding_window", "has an unsupported value; supported: false");
}

Qwen25TextEncoder::Rotation Qwen25TextEncoder::rotation(const at::Tensor& mask, at::ScalarType dtype) const
{
    const std::int64_t size = m_width / m_heads;
    const at::Tensor exponents
        = at::arange(0, size, 2, mask.options().dtype(at::kFloat)) / static_cast<double>(size);
    const at::Tensor frequencies = at::pow(m_theta, exponents).reciprocal();
    // Positions count from the first unmasked token; the position of padding has no effect.
    const at::Tensor positions = (mask.to(at::kLong).cumsum(1) - 1).clamp_min(0).to(at::kFloat);
    const at::Tensor angles = (positions.unsqueeze(-1) * frequencies).unsqueeze(1);
    const at::Tensor both = at::cat(std::vector<at::Tensor> {angles, angles}, -1);
    return {both.cos().to(dtype), both.sin().to(dtype)};
}

at::Tensor Qwen25TextEncoder::attended(
    const WeightScope& weights, const at::Tensor& x, const Rotation& rope, const at::Tensor& bias) const
{
    const std::int64_t size = m_width / m_heads;
    const at::Tensor q = headsApart(projected(weights / "q_proj", x, m_width), m_heads);
    const at::Tensor k = headsApart(projected(weights / "k_proj", x, m_keyHeads * size), m_keyHeads);
    const at::Tensor v = headsApart(projected(weights / "v_proj", x, m_keyHeads * size), m_keyHeads);
    const at::Tensor mixed = engine::attended(rotatedHalves(q, rope.cos, rope.sin),
        rotatedHalves(k, rope.cos, rope.sin), v, bias, defaultScale(q));
    return projectedWithoutBias(weights / "o_proj", mixed, m_width);
}

at::Tensor Qwen25TextEncoder::gatedMlp(const WeightScope& weights, const at::Tensor& x) const
{
    const at::Tensor gate = at::silu(projectedWithoutBias(weights / "gate_proj", x, m_hidden));
    return projectedWithoutBias(
        weights / "down_proj", gate * projectedWithoutBias(weights / "up_proj", x, m_hidden), m_width);
}

TextFeatures Qwen25TextEncoder::run(const at::Tensor& ids, const at::Tensor& mask, const Observer& observer) const
{
    const WeightScope weights = WeightScope(*m_weights) / m_prefix;
    const at::Tensor valid = mask.defined() ? mask : at::ones_like(ids);
    TextFeatures features;
    at::Tensor x = at::embedding((weights / "embed_tokens")("weight", {m_vocabulary, m_width}), ids);
    const Rotation rope = rotation(valid, x.scalar_type());
    const at::Tensor bias = causalAttentionBias(valid, x.scalar_type());
    for (std::int64_t i = 0; i < m_layers; ++i) {
        observer(i, x);
        features.penultimate = x;
        const WeightScope layer = weights / "layers" / i;
        x = x + attended(layer / "self_attn", rmsNormed(layer / "input_layernorm", x, m_epsilon), rope, bias);
        x = x + gatedMlp(layer / "mlp", rmsNormed(layer / "post_attention_layernorm", x, m_epsilon));
    }
    features.last = rmsNormed(weights / "norm", x, m_epsilon);
    observer(m_layers, features.last);
    return features;
}

ValidTokens validTokens(const at::Tensor& features, const at::Tensor& mask, std::int64_t dropped)
{
    std::vector<at::Tensor> rows;
    std::int64_t longest = 0;
    for (std::int64_t b = 0; b < features.size(0); ++b) {
        const at::Tensor valid = features.select(0, b).index_select(0, mask.select(0, b).nonzero().flatten());
        const std::int64_t skipped = std::min(dropped, valid.size(0));
        rows.push_back(valid.narrow(0, skipped, valid.size(0) - skipped));
        longest = std::max(longest, rows.back().size(0));
    }
    const ValidTokens result {at::zeros({features.size(0), longest, features.size(2)}, features.options()),
        at::zeros({features.size(0), longest}, mask.options().dtype(at::kLong))};
    for (std::int64_t b = 0; b < features.size(0); ++b) {
        const at::Tensor& row = rows[static_cast<std::size_t>(b)];
        result.features.select(0, b).narrow(0, 0, row.size(0)).copy_(row);
        result.mask.select(0, b).narrow(0, 0, row.size(0)).fill_(1);
    }
    return result;
}

}  // namespace engine
