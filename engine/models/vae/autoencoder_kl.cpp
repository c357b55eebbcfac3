#include "engine/models/vae/autoencoder_kl.h"

#include "engine/models/vae/image_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/linear.h>

#include <algorithm>

namespace engine {
namespace {

constexpr double kGroupNormEpsilon = 1e-6;

void requireBlocks(const contract::JsonConfig& config, const std::string& key, const std::string& known, std::size_t levels)
{
    const auto types = config.texts(key, std::vector<std::string>(levels, known));
    if (types.size() != levels || std::ranges::count(types, known) != static_cast<std::ptrdiff_t>(levels))
        config.fail(key, "must be " + known + ", once for each of block_out_channels");
}

void requireDivisible(const contract::JsonConfig& config, const std::vector<std::int64_t>& channels, std::int64_t groups)
{
    for (const std::int64_t count : channels) {
        if (count < 1 || count % groups != 0)
            config.fail("block_out_channels", "must be positive multiples of norm_num_groups");
    }
}

}  // namespace

AutoencoderKl::AutoencoderKl(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_channels(config.integers("block_out_channels"))
    , m_latentChannels(config.count("latent_channels", 4))
    , m_imageChannels(config.count("in_channels", 3))
    , m_residualsPerLevel(config.count("layers_per_block", 1))
    , m_groups(config.count("norm_num_groups", 32))
    , m_sampleSize(config.count("sample_size", 32))
    , m_hasAttention(config.flag("mid_block_add_attention", true))
    , m_hasQuantConv(config.flag("use_quant_conv", true))
    , m_hasPostQuantConv(config.flag("use_post_quant_conv", true))
    , m_scaling {{config.real("shift_factor", 0.0)}, {config.real("scaling_factor", 0.18215)}}
{
    constexpr std::size_t kMaxLevels = 8;
    if (m_channels.empty() || m_channels.size() > kMaxLevels)
        config.fail("block_out_channels", "must have from 1 to 8 levels");
    requireBlocks(config, "down_block_types", "DownEncoderBlock2D", m_channels.size());
    requireBlocks(config, "up_block_types", "UpDecoderBlock2D", m_channels.size());
    requireDivisible(config, m_channels, m_groups);
    if (config.text("act_fn", "silu") != "silu")
        config.fail("act_fn", "has an unsupported value; supported: silu");
    if (config.count("out_channels", m_imageChannels) != m_imageChannels)
        config.fail("out_channels", "must equal in_channels");
    if (config.has("latents_mean") || config.has("latents_std"))
        config.fail("latents_mean",
            "and latents_std must be absent for this class: its latents are scaled by scaling_factor and shift_factor");
    if (m_scaling.scale[0] == 0)
        config.fail("scaling_factor", "must not be 0");
    config.requireKnown({"act_fn", "block_out_channels", "down_block_types", "force_upcast", "in_channels",
        "latent_channels", "latents_mean", "latents_std", "layers_per_block", "mid_block_add_attention",
        "norm_num_groups", "out_channels", "sample_size", "scaling_factor", "shift_factor", "up_block_types",
        "use_post_quant_conv", "use_quant_conv"});
}

std::int64_t AutoencoderKl::spatialFactor() const { return std::int64_t {1} << (m_channels.size() - 1); }

TileSize AutoencoderKl::latentTile() const
{
    const std::int64_t size = m_sampleSize / spatialFactor();
    return {size, size - size / 4};
}

at::Tensor AutoencoderKl::normed(const WeightScope& weights, const at::Tensor& x) const
{
    const std::int64_t channels = x.size(1);
    return at::group_norm(x, m_groups, weights("weight", {channels}), weights("bias", {channels}), kGroupNormEpsilon);
}

at::Tensor AutoencoderKl::residual(const WeightScope& weights, const at::Tensor& x, std::int64_t channels) const
{
    at::Tensor h = convolution3x3(weights / "conv1", activated(normed(weights / "norm1", x)), channels);
    h = convolution3x3(weights / "conv2", activated(normed(weights / "norm2", h)), channels);
    return sumOf(x.size(1) == channels ? x : convolution1x1(weights / "conv_shortcut", x, channels), h);
}

at::Tensor AutoencoderKl::attended(const WeightScope& weights, const at::Tensor& x) const
{
    const std::int64_t channels = x.size(1);
    const auto projected = [&](const WeightScope& linear, const at::Tensor& rows) {
        return at::linear(rows, linear("weight", {channels, channels}), linear("bias", {channels}));
    };
    const at::Tensor rows = normed(weights / "group_norm", x).flatten(2).transpose(1, 2);
    const at::Tensor mixed = attendOverImage(
        projected(weights / "to_q", rows), projected(weights / "to_k", rows), projected(weights / "to_v", rows));
    return x + projected(weights / "to_out" / "0", mixed).transpose(1, 2).view(x.sizes());
}

at::Tensor AutoencoderKl::middle(const WeightScope& weights, const at::Tensor& x) const
{
    at::Tensor h = residual(weights / "resnets" / 0, x, x.size(1));
    if (m_hasAttention)
        h = attended(weights / "attentions" / 0, h);
    return residual(weights / "resnets" / 1, h, x.size(1));
}

at::Tensor AutoencoderKl::head(const WeightScope& weights, const at::Tensor& x, std::int64_t channels) const
{
    return convolution3x3(weights / "conv_out", activated(normed(weights / "conv_norm_out", x)), channels);
}

at::Tensor AutoencoderKl::encodeWhole(const at::Tensor& images) const
{
    const WeightScope all(*m_weights), weights = all / "encoder";
    at::Tensor x = convolution3x3(weights / "conv_in", toChannelsLast(images), m_channels.front());
    for (std::size_t level = 0; level < m_channels.size(); ++level) {
        const WeightScope block = weights / "down_blocks" / static_cast<std::int64_t>(level);
        for (std::int64_t i = 0; i < m_residualsPerLevel; ++i)
            x = residual(block / "resnets" / i, x, m_channels[level]);
        if (level + 1 < m_channels.size())
            x = halved(block / "downsamplers" / 0 / "conv", x);
    }
    x = head(weights, middle(weights / "mid_block", x), 2 * m_latentChannels);
    return (m_hasQuantConv ? convolution1x1(all / "quant_conv", x, 2 * m_latentChannels) : x).contiguous();
}

at::Tensor AutoencoderKl::decodeWhole(const at::Tensor& latents) const
{
    const WeightScope all(*m_weights), weights = all / "decoder";
    at::Tensor x = toChannelsLast(latents);
    if (m_hasPostQuantConv)
        x = convolution1x1(all / "post_quant_conv", x, m_latentChannels);
    x = middle(weights / "mid_block", convolution3x3(weights / "conv_in", x, m_channels.back()));
    for (std::size_t level = 0; level < m_channels.size(); ++level) {
        const WeightScope block = weights / "up_blocks" / static_cast<std::int64_t>(level);
        const std::int64_t channels = m_channels[m_channels.size() - 1 - level];
        for (std::int64_t i = 0; i < m_residualsPerLevel + 1; ++i)
            x = residual(block / "resnets" / i, x, channels);
        if (level + 1 < m_channels.size())
            x = doubled(block / "upsamplers" / 0 / "conv", x, channels);
    }
    return head(weights, x, m_imageChannels).contiguous();
}

}  // namespace engine
