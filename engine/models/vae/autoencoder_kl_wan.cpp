#include "engine/models/vae/autoencoder_kl_wan.h"

#include "engine/comm/errors.h"
#include "engine/models/vae/image_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/silu.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace engine {
namespace {

constexpr std::int64_t kFramesPerChunk = 4, kMaxTemporalHalvings = 2;
constexpr std::int64_t kTilePixels = 256, kTileStridePixels = 192;

at::Tensor residual(const WeightScope& weights, const at::Tensor& x, std::int64_t channels, FrameMemory& memory)
{
    const at::Tensor shortcut = x.size(1) == channels ? x : pointwise(weights / "conv_shortcut", x, channels);
    at::Tensor h = at::silu(normedOverChannels(weights / "norm1", x));
    h = causalConvolution(weights / "conv1", h, channels, 3, memory);
    h = at::silu(normedOverChannels(weights / "norm2", h));
    return causalConvolution(weights / "conv2", h, channels, 3, memory) + shortcut;
}

/// Self-attention within each frame, plus @p x.
at::Tensor attended(const WeightScope& weights, const at::Tensor& x)
{
    const std::int64_t channels = x.size(1);
    const at::Tensor images = framesAsImages(x);
    const at::Tensor qkv
        = convolution1x1(weights / "to_qkv", normedOverChannels(weights / "norm", images), 3 * channels);
    const auto parts = qkv.flatten(2).transpose(1, 2).chunk(3, -1);
    const at::Tensor mixed = attendOverImage(parts[0], parts[1], parts[2]).transpose(1, 2).reshape(images.sizes());
    return x + imagesAsFrames(convolution1x1(weights / "proj", mixed, channels), x.size(0));
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

std::vector<bool> flagsIn(const contract::JsonConfig& config, const char* key, const std::vector<bool>& otherwise)
{
    if (!config.has(key))
        return otherwise;
    const nlohmann::json& values = config.json().at(key);
    std::vector<bool> flags;
    for (const nlohmann::json& value : values) {
        if (!values.is_array() || !value.is_boolean())
            config.fail(key, "must be a list of true and false");
        flags.push_back(value.get<bool>());
    }
    return flags;
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

/// Moves squares of edge² pixels into the channels, in the order channel, column, row.
/// [B, C, F, H, W] → [B, C edge², F, H / edge, W / edge]
at::Tensor patched(const at::Tensor& x, std::int64_t edge)
{
    return x.unflatten(4, {x.size(4) / edge, edge}).unflatten(3, {x.size(3) / edge, edge}).permute({0, 1, 6, 4, 2, 3, 5}).flatten(1, 3);
}
/// The inverse of patched().
at::Tensor unpatched(const at::Tensor& x, std::int64_t edge)
{
    return x.unflatten(1, {x.size(1) / (edge * edge), edge, edge}).permute({0, 1, 4, 5, 3, 6, 2}).flatten(5, 6).flatten(3, 4);
}

/// The shortcut around a level of the encoder: the mean over each @p frames × @p edge × @p edge neighbourhood, then over groups
/// of the resulting channels until @p channels are left. Pads with zero frames at the start to a multiple of @p frames.
at::Tensor downShortcut(const at::Tensor& x, std::int64_t channels, std::int64_t frames, std::int64_t edge)
{
    const std::int64_t before = (frames - x.size(2) % frames) % frames;
    const at::Tensor whole = before > 0 ? at::constant_pad_nd(x, {0, 0, 0, 0, before, 0}) : x;
    const at::Tensor neighbours = whole.unflatten(4, {whole.size(4) / edge, edge}).unflatten(3, {whole.size(3) / edge, edge})
        .unflatten(2, {whole.size(2) / frames, frames}).permute({0, 1, 3, 5, 7, 2, 4, 6}).flatten(1, 4);
    return neighbours.unflatten(1, {channels, neighbours.size(1) / channels}).mean(2);
}

/// The shortcut around a level of the decoder: repeats channels to fill 2 × 2 elements in each of @p frames frames. The single
/// frame of the first chunk stays a single frame.
at::Tensor upShortcut(const at::Tensor& x, std::int64_t channels, std::int64_t frames, bool isFirstChunk)
{
    constexpr std::int64_t kEdge = 2;
    const at::Tensor more = x.repeat_interleave(channels * frames * kEdge * kEdge / x.size(1), 1);
    const at::Tensor spread = more.unflatten(1, {channels, frames, kEdge, kEdge}).permute({0, 1, 5, 2, 6, 3, 7, 4}).flatten(6, 7).flatten(4, 5).flatten(2, 3);
    return isFirstChunk ? spread.narrow(2, frames - 1, spread.size(2) - frames + 1) : spread;
}

/// Rejects variants of the architecture that are not implemented.
void requireSupported(const contract::JsonConfig& config, std::int64_t imageChannels)
{
    if (!config.reals("attn_scales", std::vector<double>()).empty())
        config.fail("attn_scales", "has an unsupported value; supported: []");
    if (config.count("out_channels", imageChannels) != imageChannels)
        config.fail("out_channels", "must equal the number of input channels");
}

}  // namespace

AutoencoderKlWan::AutoencoderKlWan(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_imageChannels(config.count(className == "AutoencoderKLQwenImage" ? "input_channels" : "in_channels", 3))
    , m_latentChannels(config.count("z_dim", 16))
    , m_encoderChannels(config.count("base_dim", 96))
    , m_decoderChannels(config.count("decoder_base_dim", m_encoderChannels))
    , m_patch(config.count("patch_size", 1))
    , m_hasShortcuts(config.flag("is_residual", false))
    , m_multiples(config.integers("dim_mult", std::vector<std::int64_t> {1, 2, 4, 4}))
    , m_halvesFrames(flagsIn(config, "temperal_downsample", {false, true, true}))
    , m_residualsPerLevel(config.count("num_res_blocks", 2))
    , m_scaling(scalingOf(config, m_latentChannels))
{
    constexpr std::size_t kMaxLevels = 8;
    if (m_multiples.empty() || m_multiples.size() > kMaxLevels)
        config.fail("dim_mult", "must have from 1 to 8 levels");
    constexpr std::int64_t kMaxMultiple = 1024;
    for (const std::int64_t multiple : m_multiples) {
        if (multiple < 1 || multiple > kMaxMultiple)
            config.fail("dim_mult", "must have values from 1 to 1024");
    }
    if (m_halvesFrames.size() + 1 != m_multiples.size())
        config.fail("temperal_downsample", "must have one value fewer than dim_mult");
    if (std::ranges::count(m_halvesFrames, true) > kMaxTemporalHalvings)
        config.fail("temperal_downsample", "must not be true more than twice");
    requireSupported(config, m_imageChannels);
    checkPatchAndShortcuts(config);
    config.requireKnown({"attn_scales", "base_dim", "decoder_base_dim", "dim_mult", "dropout", "in_channels",
        "input_channels", "is_residual", "latents_mean", "latents_std", "num_res_blocks", "out_channels", "patch_size",
        "scale_factor_spatial", "scale_factor_temporal", "temperal_downsample", "z_dim"});
}

void AutoencoderKlWan::checkPatchAndShortcuts(const contract::JsonConfig& config) const
{
    constexpr std::int64_t kLargestEdge = 8;
    if (m_patch > kLargestEdge || m_imageChannels % (m_patch * m_patch) != 0)
        config.fail("patch_size", "must be at most 8, and its square must divide the number of input channels");
    for (std::size_t level = 0; m_hasShortcuts && level < m_multiples.size(); ++level) {
        // The shortcuts average and repeat groups of channels and neighbours: both must divide evenly, down and up.
        constexpr std::int64_t kElements = 4;
        const std::int64_t finer = m_multiples[level == 0 ? 0 : level - 1], own = m_multiples[level];
        const std::int64_t coarser = isCoarsest(level) ? own : m_multiples[level + 1];
        const std::int64_t down = isCoarsest(level) ? 1 : kElements * temporalStride(level);
        const std::int64_t up = level == 0 ? 1 : kElements * temporalStride(level - 1);
        if (finer * down % own != 0 || (level > 0 && own * up % coarser != 0))
            config.fail("dim_mult", "must have values that divide evenly from level to level when is_residual is true");
    }
}

std::int64_t AutoencoderKlWan::spatialFactor() const { return m_patch << m_halvesFrames.size(); }

std::int64_t AutoencoderKlWan::temporalFactor() const { return std::int64_t {1} << std::ranges::count(m_halvesFrames, true); }

TileSize AutoencoderKlWan::latentTile() const
{
    return {kTilePixels / spatialFactor(), kTileStridePixels / spatialFactor()};
}

at::Tensor AutoencoderKlWan::encodeLevel(const WeightScope& weights, const at::Tensor& x, std::size_t level, FrameMemory& memory) const
{
    const std::int64_t channels = m_encoderChannels * m_multiples[level];
    at::Tensor h = x;
    for (std::int64_t i = 0; i < m_residualsPerLevel; ++i)
        h = residual(weights / "resnets" / i, h, channels, memory);
    if (isCoarsest(level))
        return h + downShortcut(x, channels, 1, 1);
    const WeightScope step = weights / "downsampler";
    h = imagesAsFrames(halved(step / "resample" / 1, framesAsImages(h)), h.size(0));
    if (m_halvesFrames[level])
        h = halvedFrames(step / "time_conv", h, memory);
    return h + downShortcut(x, channels, temporalStride(level), 2);
}

at::Tensor AutoencoderKlWan::decodeLevel(const WeightScope& weights, const at::Tensor& x, std::size_t level, FrameMemory& memory) const
{
    const std::int64_t channels = m_decoderChannels * m_multiples[level];
    at::Tensor h = x;
    for (std::int64_t i = 0; i < m_residualsPerLevel + 1; ++i)
        h = residual(weights / "resnets" / i, h, channels, memory);
    if (level == 0)
        return h;
    const WeightScope step = weights / (m_hasShortcuts ? "upsampler" : "upsamplers.0");
    if (m_halvesFrames[level - 1])
        h = doubledFrames(step / "time_conv", h, memory);
    const std::int64_t nextChannels = m_hasShortcuts ? channels : channels / 2;
    h = imagesAsFrames(doubled(step / "resample" / 1, framesAsImages(h), nextChannels), h.size(0));
    return m_hasShortcuts ? h + upShortcut(x, channels, temporalStride(level - 1), memory.isFirstChunk()) : h;
}

at::Tensor AutoencoderKlWan::encodeChunk(const WeightScope& weights, const at::Tensor& frames, FrameMemory& memory) const
{
    at::Tensor x = causalConvolution(weights / "conv_in", frames, m_encoderChannels * m_multiples[0], 3, memory);
    std::int64_t block = 0;  // without shortcuts, residual blocks and downsamplers of all levels share one numbering
    for (std::size_t level = 0; level < m_multiples.size(); ++level) {
        if (m_hasShortcuts) {
            x = encodeLevel(weights / "down_blocks" / static_cast<std::int64_t>(level), x, level, memory);
            continue;
        }
        for (std::int64_t i = 0; i < m_residualsPerLevel; ++i)
            x = residual(weights / "down_blocks" / block++, x, m_encoderChannels * m_multiples[level], memory);
        if (isCoarsest(level))
            continue;
        const WeightScope step = weights / "down_blocks" / block++;
        x = imagesAsFrames(halved(step / "resample" / 1, framesAsImages(x)), x.size(0));
        if (m_halvesFrames[level])
            x = halvedFrames(step / "time_conv", x, memory);
    }
    return head(weights, middle(weights / "mid_block", x, memory), 2 * m_latentChannels, memory);
}

at::Tensor AutoencoderKlWan::decodeChunk(const WeightScope& weights, const at::Tensor& latents, FrameMemory& memory) const
{
    at::Tensor x = causalConvolution(weights / "conv_in", latents, m_decoderChannels * m_multiples.back(), 3, memory);
    x = middle(weights / "mid_block", x, memory);
    for (std::size_t i = 0; i < m_multiples.size(); ++i)
        x = decodeLevel(weights / "up_blocks" / static_cast<std::int64_t>(i), x, m_multiples.size() - 1 - i, memory);
    return head(weights, x, m_imageChannels, memory);
}

at::Tensor AutoencoderKlWan::encodeWhole(const at::Tensor& videos) const
{
    const std::int64_t frames = videos.size(2);
    const at::Tensor patches = patched(videos, m_patch);
    if ((frames - 1) % kFramesPerChunk != 0)
        throw EngineError(EngineError::Kind::WrongUsage,
            "a video of " + std::to_string(frames)
                + " frames cannot be encoded: the number of frames must be one more than a multiple of 4");
    const WeightScope all(*m_weights);
    FrameMemory memory;
    std::vector<at::Tensor> chunks;
    for (std::int64_t begin = 0, end = 1; begin < frames; begin = end, end += kFramesPerChunk) {
        memory.beginChunk(begin == 0, end == frames);
        chunks.push_back(encodeChunk(all / "encoder", patches.narrow(2, begin, end - begin), memory));
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
    return unpatched(at::cat(chunks, 2), m_patch).clamp(-1, 1);
}

}  // namespace engine
