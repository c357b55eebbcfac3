#include "engine/algorithm/digit_network.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace engine {

DigitNetwork::DigitNetwork(std::int64_t classes, at::Generator& random)
{
    constexpr std::int64_t kNarrow = 16;
    constexpr std::int64_t kWide = 48;
    constexpr std::int64_t kHidden = 128;
    const std::vector<std::vector<std::int64_t>> shapes = {
        {kNarrow, 1, 3, 3}, {kWide, kNarrow, 3, 3}, {kHidden, kWide * 4 * 4}, {classes, kHidden}};
    for (const auto& shape : shapes) {
        at::Tensor weight = at::randn(shape, random, at::kFloat);
        const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
        weight.mul_(std::sqrt(2 / inputs));  // He initialisation: keeps the scale through each ReLU
        m_weights.push_back(weight.set_requires_grad(true));
        m_weights.push_back(at::zeros({shape[0]}, at::kFloat).set_requires_grad(true));
    }
}

at::Tensor DigitNetwork::logits(const at::Tensor& images) const
{
    const auto& w = m_weights;
    const at::Tensor fine = at::relu(at::conv2d(images, w[0], w[1], 1, 1));     // [N, narrow, 8, 8]
    const at::Tensor coarse = at::relu(at::conv2d(fine, w[2], w[3], 2, 1));     // [N, wide, 4, 4]
    const at::Tensor hidden = at::relu(at::linear(coarse.flatten(1), w[4], w[5]));
    return at::linear(hidden, w[6], w[7]);
}

}  // namespace engine
