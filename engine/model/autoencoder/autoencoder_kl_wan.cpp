#include "engine/model/autoencoder/autoencoder_kl_wan.h"

#include "engine/comm/errors.h"
#include "engine/model/autoencoder/picture_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/silu.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kFramesPerChunk = 4, kMostHalvings = 2;
constexpr std::int64_t kTilePixels = 256, kTileStridePixels = 192;

at::Tensor residual(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, FrameMemory& memory)
{
    const at::Tensor way = x.size(1) == channels ? x : pointwise(weights / "conv_shortcut", x, channels);
    at::Tensor h = at::silu(normedOverChannels(weights / "norm1", x));
    h = causalConvolution(weights / "conv1", h, channels, 3, memory);
    h = at::silu(normedOverChannels(weights / "norm2", h));
    return causalConvolution(weights / "conv2", h, channels, 3, memory) + way;
}

/// Within each frame.
at::Tensor attended(const WeightScope& weights, const at::Tensor& x)
{
    const std::int64_t channels = x.size(1);
    const at::Tensor pictures = framesAsPictures(x);
    const at::Tensor qkv
        = convolution1x1(weights / "to_qkv", normedOverChannels(weights / "norm", pictures), 3 * channels);
    const auto parts = qkv.flatten(2).transpose(1, 2).chunk(3, -1);
    const at::Tensor mixed = attendOverPicture(parts[0], parts[1], parts[2]).transpose(1, 2).reshape(pictures.sizes());
    return x + picturesAsFrames(convolution1x1(weights / "proj", mixed, channels), x.size(0));
}

at::Tensor middle(const WeightScope& weights, const at::Tensor& x, FrameMemory& memory)
{
    const at::Tensor h = residual(weights / "resnets" / 0, x, x.size(1), memory);
    return residual(weights / "resnets" / 1, attended(weights / "attentions" / 0, h), x.size(1), memory);
}

at::Tensor head(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, FrameMemory& memory)
{
    return causalConvolution(
        weights / "conv_out", at::silu(normedOverChannels(weights / "norm_out", x)), channels, 3, memory);
}

std::vector<bool> truthsOf(const contract::JsonConfig& config, const char* key, const std::vector<bool>& otherwise)
{
    if (!config.has(key))
        return otherwise;
    const nlohmann::json& values = config.json().at(key);
    std::vector<bool> truths;
    for (const nlohmann::json& value : values) {
        if (!values.is_array() || !value.is_boolean())
            config.fail(key, "must be a list of true and false");
        truths.push_back(value.get<bool>());
    }
    return truths;
}

LatentScaling scalingOf(const contract::JsonConfig& config, std::int64_t channels)
{
    LatentScaling scaling {config.reals("latents_mean"), config.reals("latents_std")};
    const auto count = static_cast<std::size_t>(channels);
    if (scaling.shift.size() != count)
        config.fail("latents_mean", "must have z_dim values");
    if (scaling.scale.size() != count)
        config.fail("latents_std", "must have z_dim values");
    for (double& deviation : scaling.scale) {
        if (deviation <= 0)
            config.fail("latents_std", "must be positive");
        deviation = 1 / deviation;
    }
    return scaling;
}

/// What other members of the family have.
void refuseVariants(const contract::JsonConfig& config, std::int64_t pictureChannels, std::int64_t baseChannels)
{
    if (!config.reals("attn_scales", std::vector<double>()).empty())
        config.fail("attn_scales", "is not known here; known: []");
    if (config.flag("is_residual", false))
        config.fail("is_residual", "is not known here; known: false");
    if (config.has("patch_size") && config.count("patch_size") != 1)
        config.fail("patch_size", "is not known here; known: null");
    if (config.count("decoder_base_dim", baseChannels) != baseChannels)
        config.fail("decoder_base_dim", "must equal base_dim");
    if (config.count("out_channels", pictureChannels) != pictureChannels)
        config.fail("out_channels", "must equal the channels of what goes in");
}

}  // namespace

AutoencoderKlWan::AutoencoderKlWan(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_pictureChannels(config.count(className == "AutoencoderKLQwenImage" ? "input_channels" : "in_channels", 3))
    , m_latentChannels(config.count("z_dim", 16))
    , m_baseChannels(config.count("base_dim", 96))
    , m_multiples(config.integers("dim_mult", std::vector<std::int64_t> {1, 2, 4, 4}))
    , m_halvesFrames(truthsOf(config, "temperal_downsample", {false, true, true}))
    , m_residualsPerLevel(config.count("num_res_blocks", 2))
    , m_scaling(scalingOf(config, m_latentChannels))
{
    constexpr std::size_t kMostLevels = 8;
    if (m_multiples.empty() || m_multiples.size() > kMostLevels)
        config.fail("dim_mult", "must have from 1 to 8 levels");
    constexpr std::int64_t kMostMultiple = 1024;
    for (const std::int64_t multiple : m_multiples) {
        if (multiple < 1 || multiple > kMostMultiple)
            config.fail("dim_mult", "must lie between 1 and 1024");
    }
    if (m_halvesFrames.size() + 1 != m_multiples.size())
        config.fail("temperal_downsample", "must have one value less than dim_mult");
    if (std::ranges::count(m_halvesFrames, true) > kMostHalvings)
        config.fail("temperal_downsample", "must not be true more than twice");
    refuseVariants(config, m_pictureChannels, m_baseChannels);
    config.requireKnown({"attn_scales", "base_dim", "decoder_base_dim", "dim_mult", "dropout", "in_channels",
        "input_channels", "is_residual", "latents_mean", "latents_std", "num_res_blocks", "out_channels", "patch_size",
        "scale_factor_spatial", "scale_factor_temporal", "temperal_downsample", "z_dim"});
}

std::int64_t AutoencoderKlWan::spatialFactor() const { return std::int64_t {1} << m_halvesFrames.size(); }

std::int64_t AutoencoderKlWan::temporalFactor() const { return std::int64_t {1} << std::ranges::count(m_halvesFrames, true); }

TileSize AutoencoderKlWan::latentTile() const
{
    return {kTilePixels / spatialFactor(), kTileStridePixels / spatialFactor()};
}

at::Tensor AutoencoderKlWan::encodeChunk(const WeightScope& weights, const at::Tensor& frames, FrameMemory& memory) const
{
    at::Tensor x = causalConvolution(weights / "conv_in", frames, channels(0), 3, memory);
    std::int64_t block = 0;  // levels, their residuals and what lies between them are numbered in one row
    for (std::size_t level = 0; level < m_multiples.size(); ++level) {
        for (std::int64_t i = 0; i < m_residualsPerLevel; ++i)
            x = residual(weights / "down_blocks" / block++, x, channels(level), memory);
        if (level == m_halvesFrames.size())
            continue;
        const WeightScope step = weights / "down_blocks" / block++;
        x = picturesAsFrames(halved(step / "resample" / 1, framesAsPictures(x)), x.size(0));
        if (m_halvesFrames[level])
            x = halvedFrames(step / "time_conv", x, memory);
    }
    return head(weights, middle(weights / "mid_block", x, memory), 2 * m_latentChannels, memory);
}

at::Tensor AutoencoderKlWan::decodeChunk(const WeightScope& weights, const at::Tensor& latents, FrameMemory& memory) const
{
    at::Tensor x = causalConvolution(weights / "conv_in", latents, channels(m_multiples.size() - 1), 3, memory);
    x = middle(weights / "mid_block", x, memory);
    for (std::size_t i = 0; i < m_multiples.size(); ++i) {
        const std::size_t level = m_multiples.size() - 1 - i;
        const WeightScope block = weights / "up_blocks" / static_cast<std::int64_t>(i);
        for (std::int64_t k = 0; k < m_residualsPerLevel + 1; ++k)
            x = residual(block / "resnets" / k, x, channels(level), memory);
        if (level == 0)
            continue;
        const WeightScope step = block / "upsamplers" / 0;
        if (m_halvesFrames[level - 1])
            x = doubledFrames(step / "time_conv", x, memory);
        x = picturesAsFrames(doubled(step / "resample" / 1, framesAsPictures(x), x.size(1) / 2), x.size(0));
    }
    return head(weights, x, m_pictureChannels, memory);
}

at::Tensor AutoencoderKlWan::encodeWhole(const at::Tensor& videos) const
{
    const std::int64_t frames = videos.size(2);
    if ((frames - 1) % kFramesPerChunk != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "a video of " + std::to_string(frames) + " frames cannot be encoded: it must have one more than a multiple of 4");
    const WeightScope all(*m_weights);
    FrameMemory memory;
    std::vector<at::Tensor> chunks;
    for (std::int64_t begin = 0, end = 1; begin < frames; begin = end, end += kFramesPerChunk) {
        memory.beginChunk(begin == 0, end == frames);
        chunks.push_back(encodeChunk(all / "encoder", videos.narrow(2, begin, end - begin), memory));
    }
    return pointwise(all / "quant_conv", at::cat(chunks, 2), 2 * m_latentChannels);
}

at::Tensor AutoencoderKlWan::decodeWhole(const at::Tensor& latents) const
{
    const WeightScope all(*m_weights);
    const at::Tensor x = pointwise(all / "post_quant_conv", latents, m_latentChannels);
    FrameMemory memory;
    std::vector<at::Tensor> chunks;
    for (std::int64_t frame = 0; frame < x.size(2); ++frame) {
        memory.beginChunk(frame == 0, frame + 1 == x.size(2));
        chunks.push_back(decodeChunk(all / "decoder", x.narrow(2, frame, 1), memory));
    }
    return at::cat(chunks, 2).clamp(-1, 1);
}

}  // namespace engine
