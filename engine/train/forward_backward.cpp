#include "engine/train/forward_backward.h"

#include "engine/comm/trace.h"
#include "engine/train/stacked_outputs.h"
#include "engine/train/stopwatch.h"

#include <ATen/TensorOperators.h>

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
        throw std::invalid_argument("a step of " + std::to_string(passes.micros) + " micro-batches and "
            + std::to_string(passes.timesteps) + " timesteps: at least one of each is needed");
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
}

void StepNumbers::add(double loss, const NamedNumbers& stepMetrics)
{
    losses.push_back(loss);
    for (const auto& [name, value] : stepMetrics)
        metrics[name].push_back(value);
}

void forwardBackward(UnitSequence& units, Mesh& mesh, ForwardSteps& steps, const LossFunction& loss, double lossScale,
    StepNumbers& numbers, StepTimes& times)
{
    if (!loss)
        throw std::invalid_argument("training needs a loss function: without one there is only a forward pass");
    const Passes passes = passesOf(steps);
    numbers.clear();
    Stopwatch watch;
    const auto lapInto = [&](double& time) {
        const double waited = mesh.takeWaitedMs();
        times.communication += waited;
        time += watch.lap() - waited;
    };
    const auto load = [&](std::int64_t micro) {
        steps.load(micro);
        times.data += watch.lap();
    };
    forEachPass(passes, load, [&](std::int64_t micro, std::int64_t timestep) {
        Tape tape(units, Tape::Mode::Train);
        std::optional<TraceRange> range(std::in_place, "forward of", kWholeModel);
        const ForwardStep step = steps.forward(tape, timestep);
        const StepLoss result = loss(step, timestep);
        numbers.add(result.value / passes.count(), result.metrics);
        range.reset();
        lapInto(times.forward);

        units.setLastBackward(micro + 1 == passes.micros && timestep + 1 == passes.timesteps);
        const TraceRange backward("backward of", kWholeModel);
        tape.backward(step.prediction, lossScale == 1 ? result.gradient : result.gradient * lossScale);
        lapInto(times.backward);
    });
}

ForwardResult forwardOnly(UnitSequence& units, ForwardSteps& steps, const LossFunction& loss, Weights weights)
{
    const Passes passes = passesOf(steps);
    const UnitSequence::EvaluationScope scope(units, weights);
    StackedOutputs outputs(passes.micros, passes.timesteps);
    StepNumbers numbers;
    const auto load = [&](std::int64_t micro) { steps.load(micro); };
    forEachPass(passes, load, [&](std::int64_t micro, std::int64_t timestep) {
        Tape tape(units, Tape::Mode::Evaluate);
        const ForwardStep step = steps.forward(tape, timestep);
        if (loss) {
            const StepLoss result = loss(step, timestep);
            numbers.add(result.value / passes.count(), result.metrics);
        } else {
            numbers.add(1, {});
        }
        outputs.add(micro, timestep, step.outputs);
    });
    return {outputs.take(), std::move(numbers)};
}

}  // namespace engine
