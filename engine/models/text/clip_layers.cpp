#include "engine/models/text/clip_layers.h"

#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/sigmoid.h>

#include <string>

namespace engine {

ClipLayers::ClipLayers(const contract::JsonConfig& config, const ClipSizes& defaults)
    : m_sizes {config.count("hidden_size", defaults.width), config.count("num_hidden_layers", defaults.layers),
          config.count("num_attention_heads", defaults.heads), config.count("intermediate_size", defaults.hidden)}
    , m_epsilon(config.real("layer_norm_eps", 1e-5))
{
    const std::string activation = config.text("hidden_act", "quick_gelu");
    if (activation != "quick_gelu" && activation != "gelu")
        config.fail("hidden_act", "has an unsupported value; supported: quick_gelu, gelu");
    m_activation = activation == "gelu" ? Activation::Gelu : Activation::QuickGelu;
    if (m_sizes.width % m_sizes.heads != 0)
        config.fail("num_attention_heads", "must divide hidden_size");
}

at::Tensor ClipLayers::normed(const WeightScope& weights, const at::Tensor& x) const
{
    return at::layer_norm(x, {width()}, weights("weight", {width()}), weights("bias", {width()}), m_epsilon);
}

at::Tensor ClipLayers::activated(const at::Tensor& x) const
{
    return m_activation == Activation::Gelu ? at::gelu(x) : x * at::sigmoid(x * 1.702);
}

at::Tensor ClipLayers::selfAttended(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const
{
    const auto part = [&](const char* name) { return headsApart(projected(weights / name, x, width()), m_sizes.heads); };
    const at::Tensor q = part("q_proj");
    return projected(weights / "out_proj", attended(q, part("k_proj"), part("v_proj"), bias, defaultScale(q)), width());
}

at::Tensor ClipLayers::layer(const WeightScope& weights, const at::Tensor& x, const at::Tensor& bias) const
{
    const at::Tensor h = x + selfAttended(weights / "self_attn", normed(weights / "layer_norm1", x), bias);
    const WeightScope mlp = weights / "mlp";
    const at::Tensor hidden = activated(projected(mlp / "fc1", normed(weights / "layer_norm2", h), m_sizes.hidden));
    return h + projected(mlp / "fc2", hidden, width());
}

}  // namespace engine
