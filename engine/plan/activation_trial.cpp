#include "engine/plan/activation_trial.h"

#include "engine/autograd/tape.h"
#include "engine/comm/available_memory.h"
#include "engine/lora/adapters.h"
#include "engine/tasks/engine_options.h"

#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <string>

namespace engine {
namespace {

constexpr double kMostFlops = 3e11;  // of a pass there and back; some seconds on two cores
constexpr std::int64_t kMemoryParts = 64;  // one of them is what a pass may take of the memory that is free; more would take longer to write

std::int64_t elementsOf(const std::vector<UnitSpec>& units)
{
    std::int64_t count = 0;
    for (const UnitSpec& unit : units) {
        for (const ParameterSpec& parameter : unit.parameters)
            count += parameter.elements();
    }
    return count;
}

/// Of a pass of @p samples samples through @p units, whose weights are zero.
Activations activationsOfPass(const PlannedModel& planned, UnitSequence& units, std::int64_t samples)
{
    {
        std::optional<Adapters> adapters;
        if (!planned.adapterLayers.empty())
            adapters.emplace(units, planned.adapterLayers, std::vector<std::string> {kDefaultAdapter});
        Tape tape(units, Tape::Mode::Train);
        const Var out = planned.model->forward(tape, *planned.input(samples));
        tape.backward(out, at::zeros_like(out->data));
    }
    const Activations activations {static_cast<std::int64_t>(units.arena().peakBytes()), static_cast<std::int64_t>(units.arena().retiredBytes())};
    units.zeroGrad();
    return activations;
}

/// The most samples, up to @p wanted, of which a pass takes no more than its part of the free memory.
std::int64_t samplesThatFit(const PlannedModel& planned, UnitSequence& units, std::int64_t wanted)
{
    constexpr std::int64_t kFew = 4;  // so that half of them is no fewer than what is measured here: the arena's peak only grows
    if (wanted <= kFew)
        return wanted;
    const std::int64_t ofOne = activationsOfPass(planned, units, 1).peak, ofTwo = activationsOfPass(planned, units, 2).peak;
    const std::int64_t room = availableBytes(c10::kCPU) / kMemoryParts - ofTwo;
    return std::clamp(2 + room / std::max<std::int64_t>(ofTwo - ofOne, 1), kFew, wanted);
}

}  // namespace

std::optional<Activations> activationsOf(const contract::Experiment& experiment, const PlannedModel& planned)
{
    const std::int64_t wanted = experiment.integer("batch.micro");
    const auto one = planned.input(1);
    if (!one || experiment.integer("engine.ulysses") * experiment.integer("engine.ring") > 1)
        return std::nullopt;
    // Master weights, gathered weights and both forms of gradients.
    if (elementsOf(planned.units) * 4 * static_cast<std::int64_t>(sizeof(float)) > availableBytes(c10::kCPU) / 4)
        return std::nullopt;
    const double flopsOfOne = 3 * planned.model->forwardFlops(*one);
    const std::int64_t inTime = flopsOfOne * static_cast<double>(wanted) <= kMostFlops
        ? wanted : static_cast<std::int64_t>(kMostFlops / flopsOfOne);
    if (inTime < 2 && inTime < wanted)
        return std::nullopt;

    LoneGroup group;
    BufferPool pool(group, c10::kCPU);
    const UnitOptions options {.computeDtype = dtypeOf(experiment.text("engine.compute_dtype")), .trainedDtype = planned.trainedDtype, .keepsAverage = false};
    UnitSequence units(planned.units, group, pool, options, sequenceOptions(experiment), std::nullopt);
    const std::int64_t affordable = samplesThatFit(planned, units, inTime);
    if (affordable == wanted)
        return activationsOfPass(planned, units, wanted);
    // The smaller one first: the arena's peak only grows.
    const std::int64_t few = affordable / 2;
    const Activations ofFew = activationsOfPass(planned, units, few), ofMore = activationsOfPass(planned, units, affordable);
    const auto extrapolated = [&](std::int64_t Activations::*bytes) {
        const double perSample = static_cast<double>(ofMore.*bytes - ofFew.*bytes) / static_cast<double>(affordable - few);
        return ofMore.*bytes + static_cast<std::int64_t>(perSample * static_cast<double>(wanted - affordable));
    };
    return Activations {extrapolated(&Activations::peak), extrapolated(&Activations::retired)};
}

}  // namespace engine
