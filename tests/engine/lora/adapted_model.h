// A small model with two linears that have adapters: one in the root, one in a block.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/comm/errors.h"
#include "engine/lora/adapters.h"
#include "engine/nn/parameter_places.h"
#include "tests/engine/cpu.h"

#include <ATen/ATen.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace tests {

inline constexpr std::int64_t kWidth = 24, kRank = 3;
inline const std::vector<engine::AdapterLayer> kLayers = {{"up", kRank, 2.0}, {"block.0.down", kRank, 0.5}};

inline std::vector<engine::UnitSpec> plainSpecs()
{
    engine::SpecBuilder root("root", ""), block("block.0", "block.0.");
    root.linear("up", 2 * kWidth, kWidth);
    root.normWeight("norm", kWidth);
    block.linear("down", kWidth, 2 * kWidth);
    block.linear("out", 2 * kWidth, kWidth);
    return {root.take(), block.take()};
}

inline std::vector<engine::UnitSpec> adaptedSpecs(
    const std::vector<std::string>& names = {"default", "old"}, engine::AdapterInit init = engine::AdapterInit::Gaussian)
{
    auto specs = plainSpecs();
    engine::declareAdapters(specs, kLayers, names, init);
    return specs;
}

/// The forward pass of the model. @param x [R, kWidth] → [R, 2 · kWidth]
inline engine::Var forward(engine::Tape& tape, const at::Tensor& x)
{
    const engine::BlockParameters root(tape.root(), 0);
    const engine::Var up = engine::linear(tape, tape.input(x), root.linear({0, 1}));
    const auto block = [&tape](engine::Unit& unit, const std::vector<engine::Var>& in) {
        const engine::BlockParameters own(unit, 0);
        return std::vector<engine::Var> {engine::linear(tape, engine::linear(tape, in[0], own.linear({0, 1})), own.linear({2, 3}))};
    };
    return tape.unit(1, {up}, block).front();
}

/// Whole master weights by name, in float32. Collective.
inline std::map<std::string, at::Tensor> weightsOf(engine::UnitSequence& units)
{
    std::map<std::string, at::Tensor> weights;
    for (const engine::Unit* unit : units.parts()) {
        const at::Tensor whole = unit->wholeMaster().to(at::kFloat);
        for (std::size_t i = 0; i < unit->spec().parameters.size(); ++i) {
            const engine::ParameterSpec& parameter = unit->spec().parameters[i];
            weights[parameter.name] = whole.narrow(0, unit->layout().offsets[i], parameter.elements()).view(parameter.shape).clone();
        }
    }
    return weights;
}

/// Gradients of the trained parameters by name, whole and summed over ranks. Collective; overwrites the master weights.
inline std::map<std::string, at::Tensor> gradientsOf(engine::UnitSequence& units)
{
    for (std::size_t i = 0; i < units.size(); ++i) {
        if (units[i].isTrained())
            units[i].master.copy_(units[i].gradShard);
    }
    auto all = weightsOf(units);
    std::erase_if(all, [](const auto& each) { return each.first.find(".default.") == std::string::npos; });
    return all;
}

/// Sets a parameter to @p values on every rank.
inline void setWeight(engine::UnitSequence& units, const std::string& name, const at::Tensor& values)
{
    for (engine::Unit* unit : units.parts()) {
        for (std::size_t i = 0; i < unit->spec().parameters.size(); ++i) {
            if (unit->spec().parameters[i].name == name)
                unit->setMaster(i, values);
        }
    }
}

/// Returns the message of the EngineError that @p body throws, or an empty string.
inline std::string errorOf(const std::function<void()>& body)
{
    try {
        body();
    } catch (const engine::EngineError& error) {
        return error.what();
    }
    return {};
}

/// Sets every second B to non-zero values, so that adapters change the output.
inline void moveAway(engine::UnitSequence& units)
{
    for (const auto& [name, values] : weightsOf(units)) {
        if (name.find(".lora_B.") != std::string::npos)
            setWeight(units, name, at::linspace(-0.3, name.find(".old.") != std::string::npos ? 0.9 : 0.4, values.numel()).view(values.sizes()));
    }
    units.reshardAll();
}

inline at::Tensor rowsOf(std::int64_t count) { return at::linspace(-1, 1, count * kWidth).sin().view({count, kWidth}); }

inline at::Tensor outputOf(engine::UnitSequence& units, std::int64_t rows = 2)
{
    engine::Tape tape(units, engine::Tape::Mode::Evaluate);
    return forward(tape, rowsOf(rows).to(units[0].computeDtype()))->data.clone();
}

/// Options with activation checkpointing of all blocks, or of none.
inline engine::SequenceOptions recomputing(bool recomputes)
{
    return {.recompute = *contract::UnitSelection::parse(recomputes ? "all" : "none")};
}

}  // namespace tests
