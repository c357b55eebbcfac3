#include "engine/optim/adamw_gpu.h"

#include "engine/kernels/gpu_launch.h"

namespace engine {
namespace {

/// As in engine/kernels/cuda/source/adamw.cu.
struct Coefficients {
    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps, gradScale, oneMinusEmaDecay;
};

}  // namespace

bool updateAdamWOnGpu(const AdamWRange& range, std::int64_t count, const AdamWCoefficients& c)
{
    static thread_local gpu::Kernel kernel("adamW");
    constexpr std::int64_t kVector = 4;
    constexpr unsigned kThreads = 256;
    const bool isHalf = range.copyDtype == at::kBFloat16;
    if (!cuda::launcher() || (!isHalf && range.copyDtype != at::kFloat))
        return false;
    const auto isAligned = [](const void* address, std::size_t bytes) { return reinterpret_cast<std::uintptr_t>(address) % bytes == 0; };
    bool isVector = count % kVector == 0 && isAligned(range.copy, isHalf ? 8 : 16);
    for (const void* address : {static_cast<const void*>(range.weight), static_cast<const void*>(range.average), static_cast<const void*>(range.moment1),
             static_cast<const void*>(range.moment2), static_cast<const void*>(range.gradient)})
        isVector = isVector && isAligned(address, 16);
    const void* const variant = kernel.variant(std::string(isHalf ? "bf16" : "f32") + (isVector ? "_4" : "_1"));
    if (!variant)
        return false;
    const Coefficients coefficients {c.keep, c.stepSize, c.beta1, c.oneMinusBeta1, c.beta2, c.oneMinusBeta2, c.inverseRootCorrection2, c.eps,
        c.gradScale, c.oneMinusEmaDecay};
    gpu::launch(variant, {.x = gpu::ceilDivided(count, kThreads * (isVector ? kVector : 1))}, {.x = kThreads}, range.weight, range.average,
        range.moment1, range.moment2, range.gradient, range.copy, coefficients, static_cast<long long>(count));
    return true;
}

}  // namespace engine
