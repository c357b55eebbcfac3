#include "tests/engine/worker/reference_training.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/csrc/autograd/generated/variable_factories.h>

#include "engine/data/digits.h"
#include "engine/data/epoch_sampler.h"
#include "engine/diffusion/flow_matching.h"
#include "engine/models/registry.h"
#include "engine/models/trainable.h"
#include "engine/shard/random.h"

#include <cmath>
#include <limits>
#include <set>

namespace tests {
namespace {

Weights initialWeights(const engine::Model& model, std::uint64_t seed)
{
    Weights weights;
    for (const engine::UnitSpec& unit : model.units()) {
        for (const engine::ParameterSpec& spec : unit.parameters) {
            at::Tensor value = at::zeros(spec.shape);
            if (spec.initStd > 0) {
                engine::fillNormal({value.data_ptr<float>(), static_cast<std::size_t>(value.numel())},
                    {.seed = seed, .purpose = "weights/" + spec.name});
                value.mul_(spec.initStd);
            }
            weights[spec.name] = value.requires_grad_(true);
        }
    }
    return weights;
}

class PlainDit {
public:
    PlainDit(const Weights& weights, const contract::Experiment& experiment, bool hasAttention)
        : m_weights(weights)
        , m_patch(experiment.integer("model.patch"))
        , m_heads(experiment.integer("model.heads"))
        , m_depth(experiment.integer("model.depth"))
        , m_hasAttention(hasAttention)
    {
    }

    at::Tensor velocity(const at::Tensor& x_BCHW, const at::Tensor& sigma, const at::Tensor& label) const
    {
        const auto b = x_BCHW.size(0), c = x_BCHW.size(1), g = x_BCHW.size(2) / m_patch, p = m_patch;
        auto x = x_BCHW.view({b, c, g, p, g, p}).permute({0, 2, 4, 3, 5, 1}).reshape({b, g * g, p * p * c});
        x = linear(x, "embed") + m_weights.at("pos");
        const auto f = at::exp(at::arange(128, at::kFloat) * (-std::log(10000.0) / 128));
        const auto angle = sigma.unsqueeze(1) * 1000.0 * f.unsqueeze(0);
        const auto time = at::cat({at::cos(angle), at::sin(angle)}, 1);
        const auto condition = linear(at::silu(linear(time, "time1")), "time2")
            + m_weights.at("label.weight").index_select(0, label);
        for (std::int64_t i = 0; i < m_depth; ++i)
            x = block(x, condition, "blocks." + std::to_string(i) + ".");
        const auto ada = linear(at::silu(condition), "final_ada").chunk(2, 1);
        x = linear(norm(x, ada[0], ada[1]), "final");
        return x.view({b, g, g, p, p, c}).permute({0, 5, 1, 3, 2, 4}).reshape({b, c, g * p, g * p});
    }

private:
    at::Tensor linear(const at::Tensor& x, const std::string& name) const
    {
        return at::matmul(x, m_weights.at(name + ".weight").t()) + m_weights.at(name + ".bias");
    }
    static at::Tensor norm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale)
    {
        const auto mean = x.mean(-1, true);
        const auto variance = (x - mean).square().mean(-1, true);
        return (x - mean) / at::sqrt(variance + 1e-6) * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1);
    }
    at::Tensor block(const at::Tensor& x, const at::Tensor& condition, const std::string& name) const
    {
        const auto b = x.size(0), n = x.size(1), d = x.size(2);
        const auto ada = linear(at::silu(condition), name + "ada").chunk(6, 1);
        const auto qkv = linear(norm(x, ada[0], ada[1]), name + "qkv").view({b, n, 3, m_heads, d / m_heads});
        const auto part = [&](std::int64_t i) { return qkv.select(2, i).transpose(1, 2); };
        const auto scores = at::matmul(part(0), part(1).transpose(2, 3))
            / std::sqrt(static_cast<double>(d / m_heads));
        const auto mixed = at::matmul(at::softmax(scores, -1), part(2)).transpose(1, 2).reshape({b, n, d});
        const auto y = x + (m_hasAttention ? 1 : 0) * ada[2].unsqueeze(1) * linear(mixed, name + "proj");
        const auto h = linear(norm(y, ada[3], ada[4]), name + "fc1");
        const auto gelu = 0.5 * h * (1 + at::tanh(std::sqrt(2 / M_PI) * (h + 0.044715 * h.pow(3))));
        return y + ada[5].unsqueeze(1) * linear(gelu, name + "fc2");
    }

    const Weights& m_weights;
    std::int64_t m_patch, m_heads, m_depth;
    bool m_hasAttention;
};

struct Moments {
    at::Tensor first, second;
};

/// Muon's direction for a gradient, in float64. @param momentum changes
at::Tensor muonDirection(const at::Tensor& gradient, at::Tensor& momentum, double beta)
{
    const at::Tensor g = gradient.to(at::kDouble);
    momentum = momentum.defined() ? beta * momentum + (1 - beta) * g : (1 - beta) * g;
    at::Tensor x = (1 - beta) * g + beta * momentum;
    x = x / (x.norm() + 1e-12);
    for (int i = 0; i < 5; ++i) {
        const at::Tensor a = at::matmul(x, x.t());
        x = 3.4445 * x + at::matmul(-4.7750 * a + 2.0315 * at::matmul(a, a), x);
    }
    return (0.2 * std::sqrt(std::max(x.size(0), x.size(1))) * x).to(at::kFloat);
}

}  // namespace

ReferenceResult trainPlainly(
    const contract::Experiment& experiment, std::int64_t globalBatch, const ReferenceOptions& options)
{
    at::set_num_threads(1);  // as the ranks: several would wait for each other longer than such small tensors take
    const auto seed = static_cast<std::uint64_t>(experiment.integer("run.seed"));
    const auto data = engine::loadDigits(
        experiment.text("data.path"), experiment.real("data.validation_fraction"), seed)
                          .training;
    const auto model = engine::buildModel(experiment, {8, 1, data.classes});
    engine::EpochSampler sampler(data.labels.size(0), seed);
    Weights weights;
    for (const auto& [name, value] : options.weights)
        weights[name] = value.clone().requires_grad_(true);
    if (weights.empty())
        weights = initialWeights(*model, seed);
    auto units = model->units();
    engine::selectTrainable(units, experiment.text("model.trainable"));
    std::set<std::string> trained;
    for (const engine::UnitSpec& unit : units) {
        for (const engine::ParameterSpec& parameter : unit.parameters) {
            if (parameter.isTrained)
                trained.insert(parameter.name);
        }
    }
    const PlainDit dit(weights, experiment, options.hasAttention);
    const double beta1 = experiment.real("optim.beta1"), beta2 = experiment.real("optim.beta2");
    const double lr = experiment.real("optim.lr"), clipNorm = experiment.real("optim.clip_norm");
    std::map<std::string, Moments> moments;
    ReferenceResult result;

    for (std::int64_t step = 0; step < experiment.integer("run.total_steps"); ++step) {
        std::vector<std::int64_t> picked;
        std::vector<std::uint64_t> rows;
        for (std::int64_t i = 0; i < globalBatch; ++i) {
            rows.push_back(static_cast<std::uint64_t>(i));
            picked.push_back(sampler.index(step * globalBatch + i));
        }
        const auto index = at::tensor(picked, at::kLong);
        const auto batch = engine::noiseBatch(data.images.index_select(0, index),
            data.labels.index_select(0, index), rows, seed, static_cast<std::uint64_t>(step),
            experiment.real("model.label_dropout"), data.classes);
        const auto loss
            = (dit.velocity(batch.noisy, batch.sigmas, batch.labels) - batch.target).square().mean();
        loss.backward();
        result.losses.push_back(loss.item<double>());

        double squares = 0;
        for (const std::string& name : trained)
            squares += weights.at(name).grad().to(at::kDouble).square().sum().item<double>();
        const double norm = std::sqrt(squares);
        result.gradNorms.push_back(norm);
        const double clip = clipNorm > 0 ? std::min(1.0, clipNorm / (norm + 1e-6)) : 1.0;
        for (auto& [name, weight] : weights) {
            if (step == 0)
                result.firstGradients[name] = weight.grad().clone();
            if (!trained.contains(name)) {
                weight.mutable_grad().reset();
                continue;
            }
            const auto g = weight.grad() * clip;
            auto& [m, v] = moments[name];
            if (experiment.text("optim.kind") == "muon" && name.starts_with("blocks.") && weight.dim() == 2) {
                at::Tensor value = weight.detach();
                value.mul_(1 - lr * experiment.real("optim.weight_decay"));
                value.sub_(lr * muonDirection(g, m, experiment.real("optim.momentum")));
                weight.mutable_grad().reset();
                continue;
            }
            if (!m.defined())
                m = at::zeros_like(g), v = at::zeros_like(g);
            m = beta1 * m + (1 - beta1) * g;
            v = beta2 * v + (1 - beta2) * g * g;
            const auto t = static_cast<double>(step + 1);
            const bool decays = !name.ends_with(".bias");
            at::Tensor value = weight.detach();
            if (decays)
                value.mul_(1 - lr * experiment.real("optim.weight_decay"));
            value.sub_(lr * (m / (1 - std::pow(beta1, t)))
                / (at::sqrt(v / (1 - std::pow(beta2, t))) + experiment.real("optim.eps")));
            weight.mutable_grad().reset();
        }
    }
    for (auto& [name, weight] : weights)
        result.weights[name] = weight.detach();
    return result;
}

double relativeDifference(const std::vector<double>& expected, const std::vector<double>& actual)
{
    if (expected.empty() || expected.size() != actual.size())
        return std::numeric_limits<double>::infinity();
    double squares = 0;
    for (std::size_t i = 0; i < expected.size(); ++i)
        squares += std::pow((actual[i] - expected[i]) / expected[i], 2);
    return std::sqrt(squares / static_cast<double>(expected.size()));
}

}  // namespace tests
