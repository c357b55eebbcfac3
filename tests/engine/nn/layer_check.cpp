#include "tests/engine/nn/layer_check.h"

#include <ATen/ATen.h>

#include "engine/nn/layers.h"
#include "tests/engine/test_device.h"

#include <QtTest>

#include <algorithm>
#include <string>

namespace tests {
namespace {

/// One run: the outputs, then the gradients of inputs and parameters.
using Named = std::vector<std::pair<std::string, at::Tensor>>;

class Run {
public:
    Run(const LayerCase& layerCase, at::ScalarType dtype)
        : m_case(layerCase)
        , m_dtype(dtype)
        , m_units(specs(), m_group, m_pool, {.computeDtype = dtype}, {}, 5)
    {
        for (const auto& shape : m_case.inputs)
            m_inputs.push_back(onDevice(at::randn(shape).to(dtype)));
    }

    Named textbook(int times)
    {
        Tensors parameters, inputs;
        for (std::size_t i = 0; i < m_case.parameters.size(); ++i)
            parameters.push_back(part(&engine::Unit::master, i).to(m_dtype).to(at::kDouble).requires_grad_(true));
        for (const at::Tensor& input : m_inputs)
            inputs.push_back(input.to(at::kDouble).requires_grad_(true));
        const Tensors outputs = m_case.textbook(parameters, inputs);
        Named results;
        m_gradients.clear();
        at::Tensor loss = at::zeros({}, at::TensorOptions(device()).dtype(at::kDouble));
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            m_gradients.push_back(onDevice(at::randn(outputs[i].sizes()).to(m_dtype)));
            loss = loss + (outputs[i] * m_gradients[i].to(at::kDouble)).sum() * times;
            results.emplace_back("output " + std::to_string(i), outputs[i].detach() * times);
        }
        loss.backward();
        addGradients(results, inputs, [](const at::Tensor& x) { return x.grad(); });
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const at::Tensor gradient = parameters[i].grad();
            results.emplace_back(m_case.parameters[i].name, gradient.defined() ? gradient : at::zeros_like(parameters[i]));
        }
        return results;
    }

    Named layers(int times)
    {
        Named results;
        m_units.zeroGrad();
        engine::Tape tape(m_units, engine::Tape::Mode::Train);
        std::vector<engine::Var> inputs;
        for (const at::Tensor& input : m_inputs) {
            inputs.push_back(tape.input(input));
            inputs.back()->needsGrad = true;
        }
        std::vector<engine::Var> outputs = m_case.layers(tape, tape.root(), inputs);
        for (int i = 1; i < times; ++i) {
            const auto again = m_case.layers(tape, tape.root(), inputs);
            for (std::size_t k = 0; k < outputs.size(); ++k)
                outputs[k] = engine::add(tape, outputs[k], again[k]);
        }
        for (std::size_t i = 0; i < outputs.size(); ++i)
            results.emplace_back("output " + std::to_string(i), outputs[i]->data.clone());
        runBackward(tape, outputs);
        addGradients(results, inputs, [&](engine::Var x) { return tape.gradOf(x).clone(); });
        for (std::size_t i = 0; i < m_case.parameters.size(); ++i)
            results.emplace_back(m_case.parameters[i].name, part(&engine::Unit::gradShard, i));
        return results;
    }

private:
    std::vector<engine::UnitSpec> specs() const
    {
        auto parameters = m_case.parameters;
        if (parameters.empty())
            parameters.push_back({"unused", {16}, 0, false});
        return {{"root", parameters}};
    }

    /// The part of @p shard that belongs to a parameter; zeros if there is none, as for the gradient of a frozen parameter.
    at::Tensor part(at::Tensor engine::Unit::*shard, std::size_t index) const
    {
        const engine::ParameterSpec& spec = m_case.parameters[index];
        for (engine::Unit* unit : m_units.parts()) {
            for (std::size_t i = 0; i < unit->spec().parameters.size() && (unit->*shard).numel() > 0; ++i) {
                if (&unit->ownParameter(i) == &m_units[0].parameter(index))
                    return (unit->*shard).narrow(0, unit->layout().offsets[i], spec.elements()).view(spec.shape).clone();
            }
        }
        return at::zeros(spec.shape, device());
    }

    /// Runs backward from all outputs, concatenated into one value.
    void runBackward(engine::Tape& tape, const std::vector<engine::Var>& outputs)
    {
        std::vector<engine::Var> flat;
        Tensors gradients;
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            const auto shape = outputs[i]->data.sizes().vec();
            std::vector<std::int64_t> order(shape.size());
            for (std::size_t k = 0; k < order.size(); ++k)
                order[k] = static_cast<std::int64_t>(k);
            flat.push_back(engine::permuted(tape, outputs[i], shape, order, {outputs[i]->data.numel()}, outputs[i]->data.scalar_type()));
            gradients.push_back(m_gradients[i].flatten());
        }
        tape.backward(engine::concatenated(tape, flat, 0), at::cat(gradients));
    }

    template <typename Values, typename GradientOf>
    void addGradients(Named& results, const Values& inputs, GradientOf gradientOf)
    {
        for (std::size_t i = 0; i < inputs.size(); ++i)
            results.emplace_back("gradient of input " + std::to_string(i), gradientOf(inputs[i]));
    }

    const LayerCase& m_case;
    at::ScalarType m_dtype;
    engine::LoneGroup m_group;
    engine::BufferPool m_pool {m_group, device()};
    mutable engine::UnitSequence m_units;
    Tensors m_inputs, m_gradients;
};

/// @return empty, or the first output or gradient that is off, and by how much.
std::string differenceFromTextbook(const LayerCase& layerCase, at::ScalarType dtype)
{
    at::manual_seed(11);
    Run run(layerCase, dtype);
    const double tolerance = dtype == at::kBFloat16 ? 3e-2 : 2e-5;
    for (const int times : {1, 2}) {
        const Named truth = run.textbook(times), got = run.layers(times);
        for (std::size_t i = 0; i < truth.size(); ++i) {
            const auto& [name, expected] = truth[i];
            const at::Tensor actual = got[i].second.to(at::kDouble);
            const double error = (actual - expected).abs().max().item<double>() / (expected.abs().max().item<double>() + 1e-3);
            if (!(error <= tolerance))
                return name + ": off by " + std::to_string(error) + ", " + std::to_string(times) + " times";
        }
    }
    return {};
}

}  // namespace

void addLayerRows(const LayerCases& cases)
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isHalf");
    for (const auto& [name, layerCase] : cases) {
        QTest::newRow(qPrintable(name + QStringLiteral(", float32"))) << name << false;
        QTest::newRow(qPrintable(name + QStringLiteral(", bfloat16"))) << name << true;
    }
}

void checkLayerRow(const LayerCases& cases)
{
    QFETCH(QString, name);
    QFETCH(bool, isHalf);
    const std::string problem = differenceFromTextbook(cases.at(name), isHalf ? at::kBFloat16 : at::kFloat);
    QVERIFY2(problem.empty(), problem.c_str());
}

}  // namespace tests
