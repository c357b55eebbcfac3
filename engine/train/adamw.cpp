#include "engine/train/adamw.h"

#include "engine/comm/cpu_vector.h"

#include <ATen/Parallel.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace engine {
namespace {

struct Coefficients {
    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps,
        gradScale, emaDecay, oneMinusEmaDecay;
};

Coefficients coefficients(const AdamWStep& step, double weightDecay)
{
    const auto count = static_cast<double>(step.count);
    const double correction1 = 1 - std::pow(step.beta1, count);
    const double correction2 = 1 - std::pow(step.beta2, count);
    const auto f = [](double value) { return static_cast<float>(value); };
    return {f(1 - step.lr * weightDecay), f(step.lr / correction1), f(step.beta1), f(1 - step.beta1),
        f(step.beta2), f(1 - step.beta2), f(1 / std::sqrt(correction2)), f(step.eps),
        f(step.gradScale), f(step.emaDecay), f(1 - step.emaDecay)};
}

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
ATELIER_INLINE void updateElements(const Run<Copy>& run, std::int64_t count, Coefficients c)
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
ATELIER_INLINE void updateAny(const Run<Copy>& run, std::int64_t count, Coefficients c)
{
    if (run.average)
        run.copy ? updateElements<true, true>(run, count, c) : updateElements<true, false>(run, count, c);
    else
        run.copy ? updateElements<false, true>(run, count, c) : updateElements<false, false>(run, count, c);
}

ATELIER_MULTIVERSION
void updateRun(const Run<float>& run, std::int64_t count, Coefficients c) { updateAny(run, count, c); }

ATELIER_MULTIVERSION
void updateRun(const Run<cpu::BFloat16>& run, std::int64_t count, Coefficients c) { updateAny(run, count, c); }

template <typename Copy>
void updateOnCpu(Unit& unit, std::int64_t first, std::int64_t count, const Coefficients& c)
{
    constexpr std::int64_t kGrain = 1 << 16;
    const at::Tensor slot = unit.slotToRefresh();
    at::parallel_for(first, first + count, kGrain, [&](std::int64_t begin, std::int64_t end) {
        const auto at = [&](const at::Tensor& shard) { return shard.defined() ? shard.data_ptr<float>() + begin : nullptr; };
        updateRun(Run<Copy> {at(unit.master), at(unit.ema), at(unit.expAvg), at(unit.expAvgSq), at(unit.gradShard),
                      slot.defined() ? static_cast<Copy*>(slot.data_ptr()) + begin : nullptr},
            end - begin, c);
    });
}

void updateByTensors(Unit& unit, std::int64_t begin, std::int64_t count, const Coefficients& c)
{
    const auto run = [&](const at::Tensor& shard) { return shard.narrow(0, begin, count); };
    at::Tensor weight = run(unit.master);
    at::Tensor moment1 = run(unit.expAvg), moment2 = run(unit.expAvgSq);
    const at::Tensor gradient = run(unit.gradShard) * c.gradScale;
    moment1.mul_(c.beta1).add_(gradient, c.oneMinusBeta1);
    moment2.mul_(c.beta2).addcmul_(gradient, gradient, c.oneMinusBeta2);
    weight.mul_(c.keep).addcdiv_(
        moment1, moment2.sqrt().mul_(c.inverseRootCorrection2).add_(c.eps), -c.stepSize);
    if (unit.ema.defined())
        run(unit.ema).mul_(c.emaDecay).add_(weight, c.oneMinusEmaDecay);
    if (const at::Tensor slot = unit.slotToRefresh(); slot.defined())
        run(slot).copy_(weight);
}

double squaresOf(const float* values, std::int64_t count)
{
    double lanes[8] = {};  // fixed order: the same sum on every machine
    const std::int64_t whole = count / 8 * 8;
    for (std::int64_t i = 0; i < whole; i += 8) {
        for (std::int64_t lane = 0; lane < 8; ++lane) {
            const double value = values[i + lane];
            lanes[lane] += value * value;
        }
    }
    double sum = std::accumulate(std::begin(lanes), std::end(lanes), 0.0);
    for (std::int64_t i = whole; i < count; ++i)
        sum += static_cast<double>(values[i]) * values[i];
    return sum;
}

}  // namespace

void applyAdamW(Unit& unit, int rank, const AdamWStep& step)
{
    const std::int64_t decayed = unit.layout().decayedCount(rank);
    const std::int64_t rest = unit.layout().shardLength - decayed;
    const bool isBFloat16 = unit.computeDtype() == at::kBFloat16;
    const auto update = !unit.master.is_cpu() ? updateByTensors
        : isBFloat16                          ? updateOnCpu<cpu::BFloat16>
                                              : updateOnCpu<float>;
    if (decayed > 0)
        update(unit, 0, decayed, coefficients(step, step.weightDecay));
    if (rest > 0)
        update(unit, decayed, rest, coefficients(step, 0));
}

double sumOfSquares(const at::Tensor& gradShard)
{
    if (!gradShard.is_cpu()) {
        const double norm = at::linalg_vector_norm(gradShard, 2).item<double>();
        return norm * norm;
    }
    // Pieces of one length: the same sum on any number of threads.
    constexpr std::int64_t kPiece = 1 << 18;
    const float* const values = gradShard.const_data_ptr<float>();
    const std::int64_t count = gradShard.numel();
    std::vector<double> sums(static_cast<std::size_t>((count + kPiece - 1) / kPiece));
    at::parallel_for(0, static_cast<std::int64_t>(sums.size()), 1, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t piece = begin; piece < end; ++piece)
            sums[static_cast<std::size_t>(piece)]
                = squaresOf(values + piece * kPiece, std::min(kPiece, count - piece * kPiece));
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

}  // namespace engine
