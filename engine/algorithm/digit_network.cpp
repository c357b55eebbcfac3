#include "engine/algorithm/digit_network.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/zeros.h>

#include <cmath>

namespace engine {

DigitNetwork::DigitNetwork(Shape shape, std::int64_t classes, at::Generator& random)
    : m_shape(shape)
{
    constexpr std::int64_t kNarrow = 16;
    constexpr std::int64_t kWide = 48;
    constexpr std::int64_t kSingle = 32;
    constexpr std::int64_t kHidden = 128;
    const std::vector<std::vector<std::int64_t>> deep = {
        {kNarrow, 1, 3, 3}, {kWide, kNarrow, 3, 3}, {kHidden, kWide * 4 * 4}, {classes, kHidden}};
    const std::vector<std::vector<std::int64_t>> wide = {{kSingle, 1, 5, 5}, {kHidden, kSingle * 4 * 4}, {classes, kHidden}};
    for (const auto& layer : shape == Shape::Deep ? deep : wide) {
        at::Tensor weight = at::randn(layer, random, at::kFloat);
        const auto inputs = static_cast<double>(weight.numel() / weight.size(0));
        weight.mul_(std::sqrt(2 / inputs));  // He initialisation: keeps the scale through each ReLU
        m_weights.push_back(weight.set_requires_grad(true));
        m_weights.push_back(at::zeros({layer[0]}, at::kFloat).set_requires_grad(true));
    }
}

at::Tensor DigitNetwork::logits(const at::Tensor& images) const
{
    const auto& w = m_weights;
    const std::size_t dense = w.size() - 4;  // the weights of the two linear layers
    const at::Tensor coarse = m_shape == Shape::Deep
        ? at::relu(at::conv2d(at::relu(at::conv2d(images, w[0], w[1], 1, 1)), w[2], w[3], 2, 1))  // [N, 48, 4, 4]
        : at::relu(at::conv2d(images, w[0], w[1], 2, 2));                                        // [N, 32, 4, 4]
    const at::Tensor hidden = at::relu(at::linear(coarse.flatten(1), w[dense], w[dense + 1]));
    return at::linear(hidden, w[dense + 2], w[dense + 3]);
}

}  // namespace engine
