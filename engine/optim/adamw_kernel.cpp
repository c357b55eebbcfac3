#include "engine/optim/adamw_kernel.h"

#include "engine/kernels/cpu/processor.h"

#include <cmath>

namespace engine {
namespace {

/// AdamWRange with a typed copy pointer.
template <typename Copy>
struct Run {
    float* weight;
    float* average;
    float* moment1;
    float* moment2;
    const float* gradient;
    Copy* copy;
};

ATELIER_INLINE void storeValue(float* to, float value) { *to = value; }

ATELIER_INLINE void storeValue(cpu::BFloat16* to, float value)
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
            average[i] += c.oneMinusEmaDecay * (w - average[i]);
        if constexpr (kCopies)
            storeValue(copy + i, w);
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
void updateTyped(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c)
{
    updateRun(Run<Copy> {range.weight, range.average, range.moment1, range.moment2, range.gradient,
                  static_cast<Copy*>(range.copy)},
        count, c);
}

}  // namespace

AdamWCoefficients::AdamWCoefficients(const AdamWOptions& all, const OptimizerStep& now, bool isDecayed)
    : options(all)
    , step(now)
{
    if (!isDecayed)
        options.weightDecay = 0;
    const auto count = static_cast<double>(step.count);
    const double correction1 = 1 - std::pow(options.beta1, count);
    const double correction2 = 1 - std::pow(options.beta2, count);
    const auto f = [](double value) { return static_cast<float>(value); };
    keep = f(1 - step.lr * options.weightDecay);
    stepSize = f(step.lr / correction1);
    beta1 = f(options.beta1);
    oneMinusBeta1 = f(1 - options.beta1);
    beta2 = f(options.beta2);
    oneMinusBeta2 = f(1 - options.beta2);
    inverseRootCorrection2 = f(1 / std::sqrt(correction2));
    eps = f(options.eps);
    gradScale = f(step.gradScale);
    oneMinusEmaDecay = f(1 - step.emaDecay);
}

void updateAdamW(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c)
{
    if (range.copyDtype == at::kBFloat16)
        updateTyped<cpu::BFloat16>(range, count, c);
    else
        updateTyped<float>(range, count, c);
}

}  // namespace engine
