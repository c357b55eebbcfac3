#include "engine/algorithm/digit_judge.h"

#include "engine/comm/errors.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/affine_grid_generator.h>
#include <ATen/ops/argmax.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/eq.h>
#include <ATen/ops/grid_sampler_2d.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randperm.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace engine {
namespace {

constexpr std::int64_t kBatch = 64;
constexpr std::int64_t kDeepEpochs = 30;
constexpr std::int64_t kWideEpochs = 12;  // enough for a reward, and ready in a second or two
constexpr double kHighestRate = 3e-3;
constexpr std::int64_t kWarmupSteps = 30;

/// Returns slightly rotated, stretched, shifted and noisy copies, because handwriting varies and samples have residual noise.
at::Tensor augmented(const at::Tensor& images, at::Generator& random)
{
    constexpr double kTurn = 0.08;   // standard deviation of each entry of the affine matrix
    constexpr double kShift = 0.12;  // standard deviation of the shift, in halves of the image's side
    constexpr double kNoise = 0.25;
    constexpr int kBilinear = 0;
    constexpr int kZeros = 0;
    const std::int64_t count = images.size(0);
    const at::Tensor spread
        = at::tensor({kTurn, kTurn, kShift, kTurn, kTurn, kShift}, at::kFloat).view({2, 3});
    const at::Tensor identity = at::tensor({1.0, 0.0, 0.0, 0.0, 1.0, 0.0}, at::kFloat).view({2, 3});
    const at::Tensor maps = at::randn({count, 2, 3}, random, at::kFloat) * spread + identity;
    const at::Tensor grid = at::affine_grid_generator(maps, images.sizes(), false);
    // grid_sampler pads with 0, but black is -1 here.
    const at::Tensor moved = at::grid_sampler_2d(images + 1, grid, kBilinear, kZeros, false) - 1;
    return moved + at::randn(images.sizes(), random, at::kFloat) * kNoise;
}

class AdamW {
public:
    explicit AdamW(const std::vector<at::Tensor>& weights)
        : m_weights(weights)
    {
        for (const at::Tensor& weight : weights) {
            m_means.push_back(at::zeros_like(weight).detach());
            m_squares.push_back(at::zeros_like(weight).detach());
            m_counts.push_back(at::zeros({}, at::kFloat));
        }
    }

    void step(const std::vector<at::Tensor>& gradients, double rate)
    {
        const at::NoGradGuard noGrad;
        for (at::Tensor& count : m_counts)
            count.add_(1);
        at::_fused_adamw_(m_weights, gradients, m_means, m_squares, {}, m_counts, rate, 0.9, 0.99,
            /*weight_decay=*/0.02, 1e-8, /*amsgrad=*/false, /*maximize=*/false);
    }

private:
    std::vector<at::Tensor> m_weights;
    std::vector<at::Tensor> m_means;
    std::vector<at::Tensor> m_squares;
    std::vector<at::Tensor> m_counts;
};

/// Learning rate with linear warmup and cosine decay to 0.
double rateAt(std::int64_t step, std::int64_t steps)
{
    const double warmup
        = std::min(1.0, static_cast<double>(step + 1) / static_cast<double>(kWarmupSteps));
    const double progress = static_cast<double>(step) / static_cast<double>(steps);
    return kHighestRate * warmup * 0.5 * (1 + std::cos(std::numbers::pi * progress));
}

void fit(const DigitNetwork& network, const LabelledImages& data, std::int64_t epochs, at::Generator& random)
{
    const std::int64_t count = data.images.size(0);
    const std::int64_t batches = (count + kBatch - 1) / kBatch;
    AdamW optimizer(network.weights());
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        const at::Tensor order = at::randperm(count, random, at::kLong);
        for (std::int64_t batch = 0; batch < batches; ++batch) {
            const at::Tensor rows = order.slice(0, batch * kBatch, (batch + 1) * kBatch);
            const at::Tensor logits
                = network.logits(augmented(data.images.index_select(0, rows), random));
            const at::Tensor loss = at::cross_entropy_loss(logits,
                data.labels.index_select(0, rows), {}, at::Reduction::Mean, /*ignore_index=*/-100,
                /*label_smoothing=*/0.05);
            optimizer.step(torch::autograd::grad({loss}, network.weights()),
                rateAt(epoch * batches + batch, epochs * batches));
        }
    }
}

void checkShape(const at::Tensor& images)
{
    if (images.dim() != 4 || images.size(1) != 1 || images.size(2) != 8 || images.size(3) != 8)
        throw EngineError(
            EngineError::Kind::Failure, "the digit judge needs images with one channel and 8 × 8 pixels");
}

std::string nameOfWeight(std::size_t i) { return "weight_" + std::to_string(i); }

}  // namespace

DigitJudge::DigitJudge(std::unique_ptr<DigitNetwork> network)
    : m_network(std::move(network))
{
}
DigitJudge::DigitJudge(DigitJudge&&) noexcept = default;
DigitJudge& DigitJudge::operator=(DigitJudge&&) noexcept = default;
DigitJudge::~DigitJudge() = default;

DigitJudge DigitJudge::train(const DataSplit& data, std::uint64_t seed, DigitNetwork::Shape shape)
{
    checkShape(data.training.images);
    const c10::InferenceMode normalMode(false);  // training needs autograd, even if the caller is in inference mode
    at::Generator random = at::make_generator<at::CPUGeneratorImpl>(seed);
    DigitJudge judge(std::make_unique<DigitNetwork>(shape, data.training.classes, random));
    fit(*judge.m_network, data.training, shape == DigitNetwork::Shape::Deep ? kDeepEpochs : kWideEpochs, random);
    judge.measureAccuracy(data);
    return judge;
}

DigitJudge DigitJudge::withWeights(const DataSplit& data, DigitNetwork::Shape shape, const std::map<std::string, at::Tensor>& weights)
{
    checkShape(data.training.images);
    at::Generator random = at::make_generator<at::CPUGeneratorImpl>(0);
    DigitJudge judge(std::make_unique<DigitNetwork>(shape, data.training.classes, random));
    const at::NoGradGuard noGrad;
    const std::vector<at::Tensor>& own = judge.m_network->weights();
    for (std::size_t i = 0; i < own.size(); ++i) {
        const auto found = weights.find(nameOfWeight(i));
        if (found == weights.end() || found->second.sizes() != own[i].sizes())
            throw std::runtime_error("its weights do not fit the classifier");
        at::Tensor(own[i]).copy_(found->second);
    }
    judge.measureAccuracy(data);
    return judge;
}

std::map<std::string, at::Tensor> DigitJudge::weights() const
{
    std::map<std::string, at::Tensor> weights;
    for (std::size_t i = 0; i < m_network->weights().size(); ++i)
        weights[nameOfWeight(i)] = m_network->weights()[i].detach();
    return weights;
}

void DigitJudge::measureAccuracy(const DataSplit& data)
{
    if (data.validation.labels.numel() > 0)
        m_accuracy = labels(data.validation.images).eq(data.validation.labels).to(at::kDouble).mean().item<double>();
}

at::Tensor DigitJudge::labels(const at::Tensor& images) const
{
    checkShape(images);
    const at::NoGradGuard noGrad;
    return m_network->logits(images.detach().to(at::kCPU, at::kFloat)).argmax(1);
}

at::Tensor DigitJudge::probabilities(const at::Tensor& images) const
{
    checkShape(images);
    const at::NoGradGuard noGrad;
    return m_network->logits(images.detach().to(at::kCPU, at::kFloat)).softmax(1);
}

}  // namespace engine
