#include "engine/model/autoencoder/picture_layers.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/upsample_nearest2d.h>

namespace engine {

at::Tensor convolution3x3(const WeightScope& weights, const at::Tensor& x, std::int64_t channels)
{
    return at::conv2d(x, weights("weight", {channels, x.size(1), 3, 3}), weights("bias", {channels}), 1, 1);
}

at::Tensor convolution1x1(const WeightScope& weights, const at::Tensor& x, std::int64_t channels)
{
    return at::conv2d(x, weights("weight", {channels, x.size(1), 1, 1}), weights("bias", {channels}));
}

at::Tensor halved(const WeightScope& weights, const at::Tensor& x)
{
    const std::int64_t channels = x.size(1);
    return at::conv2d(at::constant_pad_nd(x, {0, 1, 0, 1}), weights("weight", {channels, channels, 3, 3}),
        weights("bias", {channels}), 2);
}

at::Tensor doubled(const WeightScope& weights, const at::Tensor& x, std::int64_t channels)
{
    return convolution3x3(weights, at::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)}), channels);
}

at::Tensor attendOverPicture(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)
{
    return at::scaled_dot_product_attention(q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)).squeeze(1);
}

}  // namespace engine
