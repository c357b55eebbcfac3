#include "engine/train/adamw.h"

#include "engine/comm/cpu_vector.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/zeros_like.h>

#include <cmath>

namespace engine {
namespace {

/// Memory of one run of the shard. average and copy may be null.
template <typename Copy>
struct Run {
    float* weight;
    float* average;
    float* moment1;
    float* moment2;
    const float* gradient;
    Copy* copy;  ///< gathered form of the new weights
};

ATELIER_INLINE void put(float* to, float value) { *to = value; }

ATELIER_INLINE void put(cpu::BFloat16* to, float value)
{
    const auto bits = __builtin_bit_cast(std::uint32_t, value);
    to->bits = static_cast<std::uint16_t>((bits + 0x7fff + ((bits >> 16) & 1)) >> 16);  // weights are finite
}

template <bool kAverages, bool kCopies, typename Copy>
ATELIER_INLINE void updateElements(const Run<Copy>& run, std::int64_t count, AdamWCoefficients c)
{
    float* __restrict weight = run.weight;
    float* __restrict average = run.average;
    float* __restrict moment1 = run.moment1;
    float* __restrict moment2 = run.moment2;
    const float* __restrict gradient = run.gradient;
    Copy* __restrict copy = run.copy;
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * c.gradScale;
        const float m = c.beta1 * moment1[i] + c.oneMinusBeta1 * g;
        const float v = c.beta2 * moment2[i] + c.oneMinusBeta2 * g * g;
        const float w = weight[i] * c.keep
            - c.stepSize * (m / (std::sqrt(v) * c.inverseRootCorrection2 + c.eps));
        moment1[i] = m;
        moment2[i] = v;
        weight[i] = w;
        if constexpr (kAverages)
            average[i] = c.emaDecay * average[i] + c.oneMinusEmaDecay * w;
        if constexpr (kCopies)
            put(copy + i, w);
    }
}

template <typename Copy>
ATELIER_INLINE void updateAny(const Run<Copy>& run, std::int64_t count, AdamWCoefficients c)
{
    if (run.average)
        run.copy ? updateElements<true, true>(run, count, c) : updateElements<true, false>(run, count, c);
    else
        run.copy ? updateElements<false, true>(run, count, c) : updateElements<false, false>(run, count, c);
}

ATELIER_MULTIVERSION
void updateRun(const Run<float>& run, std::int64_t count, AdamWCoefficients c) { updateAny(run, count, c); }

ATELIER_MULTIVERSION
void updateRun(const Run<cpu::BFloat16>& run, std::int64_t count, AdamWCoefficients c) { updateAny(run, count, c); }

template <typename Copy>
void updateOnCpu(Unit& unit, std::int64_t first, const at::Tensor& moment1, const at::Tensor& moment2, const AdamWCoefficients& c)
{
    constexpr std::int64_t kGrain = 1 << 16;
    const at::Tensor slot = unit.slotToRefresh();
    at::parallel_for(0, moment1.numel(), kGrain, [&](std::int64_t begin, std::int64_t end) {
        const auto at = [&](const at::Tensor& shard) {
            return shard.defined() ? shard.data_ptr<float>() + first + begin : nullptr;
        };
        updateRun(Run<Copy> {at(unit.master), at(unit.ema), moment1.data_ptr<float>() + begin,
                      moment2.data_ptr<float>() + begin, at(unit.gradShard),
                      slot.defined() ? static_cast<Copy*>(slot.data_ptr()) + first + begin : nullptr},
            end - begin, c);
    });
}

void updateByTensors(Unit& unit, std::int64_t begin, at::Tensor& moment1, at::Tensor& moment2, const AdamWCoefficients& c)
{
    const auto range = [&](const at::Tensor& shard) { return shard.narrow(0, begin, moment1.numel()); };
    at::Tensor weight = range(unit.master);
    const at::Tensor gradient = range(unit.gradShard) * c.gradScale;
    moment1.mul_(c.beta1).add_(gradient, c.oneMinusBeta1);
    moment2.mul_(c.beta2).addcmul_(gradient, gradient, c.oneMinusBeta2);
    weight.mul_(c.keep).addcdiv_(
        moment1, moment2.sqrt().mul_(c.inverseRootCorrection2).add_(c.eps), -c.stepSize);
    if (unit.ema.defined())
        range(unit.ema).mul_(c.emaDecay).add_(weight, c.oneMinusEmaDecay);
    if (const at::Tensor slot = unit.slotToRefresh(); slot.defined())
        range(slot).copy_(weight);
}

}  // namespace

AdamWCoefficients::AdamWCoefficients(const AdamWOptions& options, const OptimizerStep& step, bool isDecayed)
{
    const auto count = static_cast<double>(step.count);
    const double correction1 = 1 - std::pow(options.beta1, count);
    const double correction2 = 1 - std::pow(options.beta2, count);
    const auto f = [](double value) { return static_cast<float>(value); };
    keep = f(isDecayed ? 1 - step.lr * options.weightDecay : 1);
    stepSize = f(step.lr / correction1);
    beta1 = f(options.beta1);
    oneMinusBeta1 = f(1 - options.beta1);
    beta2 = f(options.beta2);
    oneMinusBeta2 = f(1 - options.beta2);
    inverseRootCorrection2 = f(1 / std::sqrt(correction2));
    eps = f(options.eps);
    gradScale = f(step.gradScale);
    emaDecay = f(step.emaDecay);
    oneMinusEmaDecay = f(1 - step.emaDecay);
}

void updateAdamW(Unit& unit, std::int64_t begin, at::Tensor moment1, at::Tensor moment2, const AdamWCoefficients& c)
{
    if (!unit.master.is_cpu())
        updateByTensors(unit, begin, moment1, moment2, c);
    else if (unit.computeDtype() == at::kBFloat16)
        updateOnCpu<cpu::BFloat16>(unit, begin, moment1, moment2, c);
    else
        updateOnCpu<float>(unit, begin, moment1, moment2, c);
}

AdamW::AdamW(UnitSequence& units, AdamWOptions options)
    : m_units(units)
    , m_options(options)
{
    for (std::size_t i = 0; i < units.size(); ++i)
        units[i].optimizerStates
            = {{"exp_avg", at::zeros_like(units[i].master)}, {"exp_avg_sq", at::zeros_like(units[i].master)}};
}

void AdamW::update(std::size_t index, const OptimizerStep& step)
{
    Unit& unit = m_units[index];
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
