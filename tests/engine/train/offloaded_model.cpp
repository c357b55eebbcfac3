#include "tests/engine/train/offloaded_model.h"

#include <ATen/ATen.h>

#include <cstdio>

namespace tests {
namespace {

constexpr int kBlocks = 4;

contract::Experiment experimentOf(const OffloadSetting& setting)
{
    contract::Experiment experiment;
    experiment.set("optim.kind", setting.optimizer);
    experiment.set("engine.offload", setting.offload);
    return experiment;
}

std::vector<engine::UnitSpec> specs()
{
    std::vector<engine::UnitSpec> all;
    for (int i = 0; i <= kBlocks; ++i) {
        const std::string name = i == 0 ? "root" : "blocks." + std::to_string(i - 1);
        all.push_back({name, {{name + ".weight", {48, 100}, 0.2, true}, {name + ".bias", {50}, 0.2, false}}});
    }
    return all;
}

void writeGradients(engine::Unit& unit, int salt)
{
    for (std::size_t i = 0; i < 2; ++i) {
        engine::Parameter& parameter = unit.parameter(i);
        parameter.grad.copy_((parameter.value.cpu().to(at::kFloat) * 7 + salt).sin());
        parameter.isGradWritten = true;
    }
}

}  // namespace

OffloadedModel::OffloadedModel(engine::Group& group, c10::Device device, engine::Group* replicas,
    const engine::CopyStream* copies, const OffloadSetting& setting, engine::Accelerator* accelerator)
    : m_setting(setting)
    , m_pool(group, device)
    , m_units(specs(), group, m_pool,
          {.computeDtype = setting.computeDtype,
              .stateBlock = engine::stateBlockOf(experimentOf(setting)),
              .replicas = replicas,
              .copies = copies},
          {.reshardAfterForward = setting.reshards, .prefetch = setting.prefetches,
              .reducesEachPass = setting.reducesEachPass},
          11)
    , m_optimizer(engine::makeOptimizer(experimentOf(setting), m_units, group))
    , m_offload(m_units, accelerator, experimentOf(setting))
{
}

void OffloadedModel::step(int number)
{
    m_units.zeroGrad();
    for (int micro = 0; micro < m_setting.accumulation; ++micro) {
        m_units.setLastBackward(micro + 1 == m_setting.accumulation);
        pass(number * 10 + micro);
    }
    const engine::OptimizerStep step {.lr = 0.01, .gradScale = 0.5, .emaDecay = 0.9, .count = number + 1};
    m_optimizer->prepare(step);
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        m_optimizer->update(i, step);
        m_units.weightsChanged(i);
    }
}

std::vector<at::Tensor> OffloadedModel::states()
{
    std::vector<at::Tensor> all;
    for (std::size_t i = 0; i < m_units.size(); ++i) {
        for (const engine::ShardState& state : m_units[i].storedStates())
            all.push_back(state.values.cpu().clone());
    }
    return all;
}

std::vector<at::Tensor> OffloadedModel::gathered(engine::Weights weights)
{
    const engine::UnitSequence::EvaluationScope scope(m_units, weights);
    std::vector<at::Tensor> all;
    m_units.begin();
    for (std::size_t i = 1; i < m_units.size(); ++i)
        m_units.enter(i);
    for (std::size_t i = 0; i < m_units.size(); ++i)
        all.push_back(m_units[i].parameter(0).value.cpu().clone());
    return all;
}

std::string OffloadedModel::places()
{
    const auto place = [](const at::Tensor& tensor) { return tensor.is_cpu() ? "host" : "device"; };
    const engine::Unit& unit = m_units[1];
    if (unit.ema.device() != unit.master.device())
        return "weights here and there";
    return std::string(place(unit.master)) + " " + place(unit.gradShard) + " " + place(unit.optimizerStates[0].values);
}

void OffloadedModel::pass(int salt)
{
    m_units.begin();
    for (std::size_t i = 1; i < m_units.size(); ++i) {
        m_units.enter(i);
        m_units.exit(i, true);
    }
    m_units.beginBackward();
    for (std::size_t i = m_units.size(); i-- > 1;) {
        m_units.beginUnitBackward(i);
        writeGradients(m_units[i], salt);
        m_units.endUnitBackward(i);
    }
    writeGradients(m_units[0], salt);
    m_units.endBackward();
}

bool areEqual(const std::vector<at::Tensor>& some, const std::vector<at::Tensor>& others, double tolerance)
{
    if (some.size() != others.size())
        return false;
    for (std::size_t i = 0; i < some.size(); ++i) {
        const at::Tensor a = some[i].to(at::kDouble), b = others[i].to(at::kDouble);
        if (tolerance == 0 ? !at::equal(a, b) : !at::allclose(a, b, tolerance, tolerance)) {
            std::fprintf(stderr, "tensor %zu is off by %g\n", i, (a - b).abs().max().item<double>());
            return false;
        }
    }
    return true;
}

}  // namespace tests
