#include "engine/train/forward_backward.h"

#include "engine/comm/trace.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

#include <numeric>
#include <optional>
#include <stdexcept>

namespace engine {
namespace {

const std::string kWholeModel = "the model";

struct Passes {
    std::int64_t micros = 0, timesteps = 0;

    double count() const { return static_cast<double>(micros * timesteps); }
};

Passes passesOf(const ForwardSteps& steps)
{
    const Passes passes {steps.microBatches(), steps.timesteps()};
    if (passes.micros < 1 || passes.timesteps < 1)
        throw std::invalid_argument("a step has " + std::to_string(passes.micros) + " micro-batches and "
            + std::to_string(passes.timesteps) + " timesteps; it needs at least one of each");
    return passes;
}

/// Calls @p load(micro) and then @p pass(micro, timestep) for each timestep.
template <typename Load, typename Pass>
void forEachPass(const Passes& passes, Load load, Pass pass)
{
    for (std::int64_t micro = 0; micro < passes.micros; ++micro) {
        load(micro);
        for (std::int64_t timestep = 0; timestep < passes.timesteps; ++timestep)
            pass(micro, timestep);
    }
}

}  // namespace

double StepNumbers::loss() const { return std::accumulate(losses.begin(), losses.end(), 0.0); }

void StepNumbers::clear()
{
    losses.clear();
    metrics.clear();
    forwardFlops = 0;
    m_onDevice.clear();
}

void StepNumbers::add(const StepLoss& loss, double passes)
{
    if (loss.valueOnDevice.defined())
        m_onDevice.push_back(loss.valueOnDevice.to(at::kDouble) / passes);
    else
        losses.push_back(loss.value / passes);
    for (const auto& [name, value] : loss.metrics)
        metrics[name].push_back(value);
}

at::Tensor StepNumbers::lossesOnDevice() const { return m_onDevice.empty() ? at::Tensor() : at::stack(m_onDevice); }

void StepNumbers::setLosses(const at::Tensor& onHost)
{
    const auto* const values = onHost.const_data_ptr<double>();
    losses.assign(values, values + onHost.numel());
    m_onDevice.clear();
}

void forwardBackward(UnitSequence& units, ForwardSteps& steps, const LossFunction& loss, double lossScale,
    StepNumbers& numbers, PartClock& clock)
{
    if (!loss)
        throw std::invalid_argument("training needs a loss function");
    const Passes passes = passesOf(steps);
    numbers.clear();
    const auto load = [&](std::int64_t micro) {
        steps.load(micro);
        clock.lap(&StepTimes::data);
    };
    forEachPass(passes, load, [&](std::int64_t micro, std::int64_t timestep) {
        Tape tape(units, Tape::Mode::Train);
        std::optional<TraceRange> range(std::in_place, "forward of", kWholeModel);
        const ForwardStep step = steps.forward(tape, timestep);
        const StepLoss result = loss(step, timestep);
        numbers.add(result, passes.count());
        numbers.forwardFlops += step.flops;
        range.reset();
        clock.lap(&StepTimes::forward);

        units.setLastBackward(micro + 1 == passes.micros && timestep + 1 == passes.timesteps);
        const TraceRange backward("backward of", kWholeModel);
        tape.backward(step.prediction, lossScale == 1 ? result.gradient : result.gradient * lossScale);
        clock.lap(&StepTimes::backward);
        if (timestep + 1 == passes.timesteps) {
            steps.prefetch();
            clock.lap(&StepTimes::data);
        }
    });
}

}  // namespace engine
