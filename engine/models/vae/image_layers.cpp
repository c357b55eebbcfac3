#include "engine/models/vae/image_layers.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/upsample_nearest2d.h>

#include <optional>
#include <vector>

namespace engine {
namespace {

/// Elements per image below which foldedKernels() costs more than it saves.
constexpr std::int64_t kSmallestFolded = 1024;

/// Folds nearest-neighbour doubling into a 3 × 3 kernel. Each element becomes 2 × 2 output places, and each place gets a 2 × 2
/// kernel over the original image: kernel rows (columns) that meet the same original element are added up.
/// @param kernel [O, I, 3, 3] → [4 · O, I, 2, 2] channels last; the place at (row, column) has index 2 row + column
at::Tensor foldedKernels(const at::Tensor& kernel)
{
    const at::Tensor planes = kernel.permute({2, 3, 0, 1}).contiguous();
    /// Sums the kernel rows that meet the first and the second original row at @p place. Returns [2, …].
    const auto pairs = [](const at::Tensor& rows, std::int64_t place) {
        return place == 0 ? at::stack({rows[0], rows[1] + rows[2]}) : at::stack({rows[0] + rows[1], rows[2]});
    };
    std::vector<at::Tensor> places;
    for (std::int64_t row = 0; row < 2; ++row) {
        const at::Tensor byColumn = pairs(planes, row).transpose(0, 1);  // [3, 2, O, I]
        for (std::int64_t column = 0; column < 2; ++column)
            places.push_back(pairs(byColumn, column).permute({2, 1, 0, 3}));  // [O, 2, 2, I], rows before columns
    }
    return at::cat(places).permute({0, 3, 1, 2});
}

}  // namespace

at::Tensor toChannelsLast(const at::Tensor& x) { return x.contiguous(at::MemoryFormat::ChannelsLast); }

at::Tensor activated(const at::Tensor& x)
{
    at::Tensor target = x;
    return at::GradMode::is_enabled() ? at::silu(x) : at::silu_(target);
}

at::Tensor sumOf(const at::Tensor& a, const at::Tensor& b)
{
    at::Tensor target = b;
    return at::GradMode::is_enabled() ? a + b : target.add_(a);
}

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
    const std::int64_t height = x.size(2), width = x.size(3);
    if (height * width < kSmallestFolded)
        return convolution3x3(weights, at::upsample_nearest2d(x, {2 * height, 2 * width}), channels);
    const at::Tensor folded = foldedKernels(weights("weight", {channels, x.size(1), 3, 3}));
    const at::Tensor all = at::conv2d(x, folded, weights("bias", {channels}).repeat({4}), 1, 1);
    const at::Tensor out = at::empty({x.size(0), channels, 2 * height, 2 * width}, x.options(), x.suggest_memory_format());
    for (std::int64_t row = 0; row < 2; ++row) {
        for (std::int64_t column = 0; column < 2; ++column)
            out.slice(2, row, std::nullopt, 2)
                .slice(3, column, std::nullopt, 2)
                .copy_(all.narrow(1, (2 * row + column) * channels, channels).narrow(2, row, height).narrow(3, column, width));
    }
    return out;
}

at::Tensor attendOverImage(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)
{
    return at::scaled_dot_product_attention(q.unsqueeze(1), k.unsqueeze(1), v.unsqueeze(1)).squeeze(1);
}

}  // namespace engine
