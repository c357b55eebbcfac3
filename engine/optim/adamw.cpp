#include "engine/optim/adamw.h"

#include "engine/optim/adamw_gpu.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace engine {
namespace {

/// The elements from @p first + @p begin on of a unit's shard, whose moments begin at @p first.
AdamWRange rangeOf(Unit& unit, std::int64_t first, std::int64_t begin, const at::Tensor& moment1, const at::Tensor& moment2)
{
    const auto at = [&](const at::Tensor& shard) { return shard.defined() ? shard.data_ptr<float>() + first + begin : nullptr; };
    const at::Tensor slot = unit.slotToRefresh();
    void* const copy = slot.defined() ? slot.slice(0, first + begin).data_ptr() : nullptr;
    return {at(unit.master), at(unit.ema), moment1.data_ptr<float>() + begin, moment2.data_ptr<float>() + begin, at(unit.gradShard), copy,
        unit.computeDtype()};
}

void updateOnCpu(Unit& unit, std::int64_t first, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c)
{
    constexpr std::int64_t kGrain = 1 << 16;
    at::parallel_for(0, moment1.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        updateAdamW(rangeOf(unit, first, begin, moment1, moment2), end - begin, c);
    });
}

/// Updates with ATen's fused kernel, a single kernel on a GPU. It leaves the gradients scaled.
void updateByAten(Unit& unit, std::int64_t begin, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c)
{
    const std::int64_t count = moment1.numel();
    const at::Tensor master = unit.master.narrow(0, begin, count);
    const at::Tensor weight = master.to(at::kFloat);  // no copy if it is float32 already
    const auto scalar = [&](double value) { return at::full({}, value, moment1.options()); };
    at::_fused_adamw_({weight}, {unit.gradShard.narrow(0, begin, count)}, {moment1}, {moment2}, {},
        {scalar(static_cast<double>(c.step.count))}, c.step.lr, c.options.beta1, c.options.beta2, c.options.weightDecay, c.options.eps,
        /*amsgrad=*/false, /*maximize=*/false, scalar(1 / c.step.gradScale), /*found_inf=*/std::nullopt);
    if (!weight.is_same(master))
        master.copy_(weight);
    updateEmaAndCopy(unit, begin, count, c.oneMinusEmaDecay);
}

bool isOnGpuInFloat(const Unit& unit) { return unit.master.is_cuda() && unit.master.scalar_type() == at::kFloat; }

}  // namespace

void updateAdamW(Unit& unit, std::int64_t begin, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c)
{
    if (hasCpuKernels(unit))
        updateOnCpu(unit, begin, moment1, moment2, c);
    else if (!isOnGpuInFloat(unit) || !updateAdamWOnGpu(rangeOf(unit, begin, 0, moment1, moment2), moment1.numel(), c))
        updateByAten(unit, begin, moment1, moment2, c);
}

std::vector<ShardState> adamWStates(const Unit& unit, const std::vector<bool>& covers)
{
    std::vector<ShardState> states = {{.name = "exp_avg", .covers = covers}, {.name = "exp_avg_sq", .covers = covers}};
    for (ShardState& state : states)
        state.values = at::zeros({stateLength(state, unit.pieces())}, unit.gradShard.options());
    return states;
}

void updateAdamWPart(Unit& unit, const AdamWOptions& options, const OptimizerStep& step)
{
    const AdamWCoefficients decayed(options, step, true), kept(options, step, false);
    const std::vector<ShardState>& states = unit.optimizerStates;
    std::int64_t cursor = 0;
    for (const LayoutPiece& piece : unit.pieces()) {
        if (!states[0].covers[piece.tensor])
            continue;
        updateAdamW(unit, piece.shardBegin, states[0].values.narrow(0, cursor, piece.count),
            states[1].values.narrow(0, cursor, piece.count),
            unit.layoutTensors()[piece.tensor].isDecayed ? decayed : kept);
        cursor += piece.count;
    }
}

AdamW::AdamW(UnitSequence& units, AdamWOptions options)
    : m_units(units)
    , m_options(options)
{
    for (std::size_t i = 0; i < units.size(); ++i) {
        const at::Tensor& like = units[i].gradShard;
        if (units[i].isTrained())
            units[i].optimizerStates = {{"exp_avg", at::zeros_like(like)}, {"exp_avg_sq", at::zeros_like(like)}};
    }
}

void AdamW::update(std::size_t index, const OptimizerStep& step)
{
    Unit& unit = m_units[index];
    if (!unit.isTrained())
        return;
    const std::int64_t decayed = unit.layout().decayedCount(unit.rank());
    const auto update = [&](std::int64_t begin, std::int64_t end, bool isDecayed) {
        const auto range = [&](std::size_t state) { return unit.optimizerStates[state].values.slice(0, begin, end); };
        if (begin < end)
            updateAdamW(unit, begin, range(0), range(1), AdamWCoefficients(m_options, step, isDecayed));
    };
    update(0, decayed, true);
    update(decayed, unit.layout().shardLength, false);
}

}  // namespace engine
