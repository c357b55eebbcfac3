#include "engine/models/clip/clip_image_processor.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/_upsample_bicubic2d_aa.h>
#include <ATen/ops/nan_to_num.h>
#include <ATen/ops/tensor.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <string>

namespace engine {
namespace {

constexpr std::int64_t kBicubic = 3;  // of Pillow

/// @p key is a number, or an object with it under @p name.
std::int64_t lengthIn(const contract::JsonConfig& config, const char* key, const char* name, std::int64_t fallback)
{
    const bool isObject = config.has(key) && config.json().at(key).is_object();
    return isObject ? config.object(key).count(name) : config.count(key, fallback);
}

std::vector<double> colours(const contract::JsonConfig& config, const char* key, std::vector<double> fallback)
{
    std::vector<double> values = config.reals(key, std::move(fallback));
    if (values.size() != 3 || !std::ranges::all_of(values, [](double value) { return std::isfinite(value); }))
        config.fail(key, "must have three finite numbers");
    return values;
}

at::Tensor perChannel(const std::vector<double>& values) { return at::tensor(values, at::kFloat).view({3, 1, 1}); }

}  // namespace

ClipImageProcessor::ClipImageProcessor(const contract::JsonConfig& config, std::int64_t side)
    : m_shorter(lengthIn(config, "size", "shortest_edge", 224))
    , m_side(side)
    , m_factor(config.real("rescale_factor", 1.0 / 255))
    , m_mean(colours(config, "image_mean", {0.48145466, 0.4578275, 0.40821073}))
    , m_deviation(colours(config, "image_std", {0.26862954, 0.26130258, 0.27577711}))
{
    for (const char* key : {"do_resize", "do_center_crop", "do_rescale", "do_normalize"}) {
        if (!config.flag(key, true))
            config.fail(key, "must be true; images are prepared in no other way");
    }
    if (config.integer("resample", kBicubic) != kBicubic)
        config.fail("resample", "must be 3, which is bicubic interpolation");
    for (const char* name : {"height", "width"}) {
        if (lengthIn(config, "crop_size", name, 224) != side)
            config.fail("crop_size", "must be " + std::to_string(side) + ", the image_size of the model's vision_config");
    }
    if (m_shorter < side)
        config.fail("size", "must be at least " + std::to_string(side) + ", to which images are cropped");
    if (std::ranges::any_of(m_deviation, [](double deviation) { return deviation <= 0; }))
        config.fail("image_std", "must have three numbers above 0");
}

at::Tensor ClipImageProcessor::prepared(const at::Tensor& images) const
{
    const std::int64_t height = images.size(2), width = images.size(3), shorter = std::min(height, width);
    const auto scaled = [&](std::int64_t length) {  // rounds down
        return static_cast<std::int64_t>(static_cast<double>(m_shorter * length) / static_cast<double>(shorter));
    };
    at::Tensor bytes = at::nan_to_num(images.cpu()).mul(255).round().clamp(0, 255).to(at::kByte);
    bytes = at::_upsample_bicubic2d_aa(bytes, {scaled(height), scaled(width)}, /*align_corners=*/false);
    bytes = bytes.narrow(2, (bytes.size(2) - m_side) / 2, m_side).narrow(3, (bytes.size(3) - m_side) / 2, m_side);
    return bytes.to(at::kFloat, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous)
        .mul_(m_factor)
        .sub_(perChannel(m_mean))
        .div_(perChannel(m_deviation));
}

}  // namespace engine
