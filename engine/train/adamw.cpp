#include "engine/train/adamw.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/linalg_vector_norm.h>

#include <cmath>

// One build serves old and new processors; every variant rounds alike (no contraction, no reassociation).
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATELIER_MULTIVERSION __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define ATELIER_MULTIVERSION
#endif

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

ATELIER_MULTIVERSION
void updateRun(float* __restrict weight, float* __restrict average, float* __restrict moment1,
    float* __restrict moment2, const float* __restrict gradient, std::int64_t count, Coefficients c)
{
    for (std::int64_t i = 0; i < count; ++i) {
        const float g = gradient[i] * c.gradScale;
        const float m = c.beta1 * moment1[i] + c.oneMinusBeta1 * g;
        const float v = c.beta2 * moment2[i] + c.oneMinusBeta2 * g * g;
        const float w = weight[i] * c.keep
            - c.stepSize * (m / (std::sqrt(v) * c.inverseRootCorrection2 + c.eps));
        moment1[i] = m;
        moment2[i] = v;
        weight[i] = w;
        average[i] = c.emaDecay * average[i] + c.oneMinusEmaDecay * w;
    }
}

void updateOnCpu(Unit& unit, std::int64_t begin, std::int64_t count, const Coefficients& c)
{
    if (count > 0)
        updateRun(unit.master.data_ptr<float>() + begin, unit.ema.data_ptr<float>() + begin,
            unit.expAvg.data_ptr<float>() + begin, unit.expAvgSq.data_ptr<float>() + begin,
            unit.gradShard.const_data_ptr<float>() + begin, count, c);
}

void updateByTensors(Unit& unit, std::int64_t begin, std::int64_t count, const Coefficients& c)
{
    if (count == 0)
        return;
    const auto run = [&](const at::Tensor& shard) { return shard.narrow(0, begin, count); };
    at::Tensor weight = run(unit.master), average = run(unit.ema);
    at::Tensor moment1 = run(unit.expAvg), moment2 = run(unit.expAvgSq);
    const at::Tensor gradient = run(unit.gradShard) * c.gradScale;
    moment1.mul_(c.beta1).add_(gradient, c.oneMinusBeta1);
    moment2.mul_(c.beta2).addcmul_(gradient, gradient, c.oneMinusBeta2);
    weight.mul_(c.keep).addcdiv_(
        moment1, moment2.sqrt().mul_(c.inverseRootCorrection2).add_(c.eps), -c.stepSize);
    average.mul_(c.emaDecay).add_(weight, c.oneMinusEmaDecay);
}

}  // namespace

void applyAdamW(Unit& unit, int rank, const AdamWStep& step)
{
    const std::int64_t decayed = unit.layout().decayedCount(rank);
    const std::int64_t rest = unit.layout().shardLength - decayed;
    const auto update = unit.master.is_cpu() ? updateOnCpu : updateByTensors;
    update(unit, 0, decayed, coefficients(step, step.weightDecay));
    update(unit, decayed, rest, coefficients(step, 0));
}

double sumOfSquares(const at::Tensor& gradShard)
{
    if (!gradShard.is_cpu()) {
        const double norm = at::linalg_vector_norm(gradShard, 2).item<double>();
        return norm * norm;
    }
    const float* values = gradShard.const_data_ptr<float>();
    double lanes[8] = {};  // fixed order: the same sum on every machine
    const std::int64_t whole = gradShard.numel() / 8 * 8;
    for (std::int64_t i = 0; i < whole; i += 8) {
        for (std::int64_t lane = 0; lane < 8; ++lane) {
            const double value = values[i + lane];
            lanes[lane] += value * value;
        }
    }
    double sum = 0;
    for (const double lane : lanes)
        sum += lane;
    for (std::int64_t i = whole; i < gradShard.numel(); ++i)
        sum += static_cast<double>(values[i]) * values[i];
    return sum;
}

}  // namespace engine
