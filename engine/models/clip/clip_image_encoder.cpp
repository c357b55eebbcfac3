#include "engine/models/clip/clip_image_encoder.h"

#include "engine/models/text/text_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/matmul.h>

#include <utility>

namespace engine {

ClipImageEncoder::ClipImageEncoder(const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights)
    : m_weights(std::move(weights))
    , m_layers(config, {.width = 768, .layers = 12, .heads = 12, .hidden = 3072})
    , m_side(config.count("image_size", 224))
    , m_patch(config.count("patch_size", 32))
{
    if (config.count("num_channels", 3) != 3)
        config.fail("num_channels", "must be 3");
    if (m_patch > m_side)
        config.fail("patch_size", "must not be larger than image_size");
}

at::Tensor ClipImageEncoder::embedded(const WeightScope& weights, const at::Tensor& pixels) const
{
    const std::int64_t batch = pixels.size(0), grid = patchesPerSide(), covered = grid * m_patch;
    // A convolution whose stride is the kernel's size is a product with the pixels of each patch. What remains at the edges is not used.
    const at::Tensor patches = pixels.narrow(2, 0, covered)
                                   .narrow(3, 0, covered)
                                   .reshape({batch, 3, grid, m_patch, grid, m_patch})
                                   .permute({0, 2, 4, 1, 3, 5})
                                   .reshape({batch, grid * grid, 3 * m_patch * m_patch});
    const at::Tensor kernel = (weights / "patch_embedding")("weight", {width(), 3, m_patch, m_patch}).reshape({width(), -1});
    const at::Tensor classToken = weights("class_embedding", {width()}).expand({batch, 1, width()});
    const at::Tensor positions = (weights / "position_embedding")("weight", {grid * grid + 1, width()});
    return at::cat({classToken, at::matmul(patches, kernel.t())}, 1) + positions;
}

at::Tensor ClipImageEncoder::encode(const at::Tensor& pixels, const Observer& observer) const
{
    const WeightScope weights = WeightScope(*m_weights) / "vision_model";
    at::Tensor x = m_layers.normed(weights / "pre_layrnorm", embedded(weights / "embeddings", pixels));  // spelled so in the files
    for (std::int64_t i = 0; i < layers(); ++i) {
        if (observer)
            observer(i, x);
        x = m_layers.layer(weights / "encoder" / "layers" / i, x, /*bias=*/{});
    }
    if (observer)
        observer(layers(), x);
    return m_layers.normed(weights / "post_layernorm", x.select(1, 0));
}

}  // namespace engine
