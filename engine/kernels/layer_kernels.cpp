#include "engine/kernels/layer_kernels.h"

#include "engine/kernels/gpu_layer_kernels.h"
#include "engine/kernels/kernel_shares.h"

#include <algorithm>

namespace engine {
namespace {

template <typename T>
cpu::PerSample<T> perSample(const at::Tensor& block)
{
    return {dataOf<T>(block), block.size(0) == 1 ? 0 : block.stride(0)};
}

/// Calls @p kernel with a null pointer of the element type T of x and one of that of @p modulation, which is T or float.
template <typename Kernel>
bool ranModulatedOnCpu(const at::Tensor& x, const at::Tensor& modulation, Kernel kernel)
{
    return ranOnCpu(x, [&](auto* none) {
        if (modulation.scalar_type() == x.scalar_type())
            kernel(none, none);
        else
            kernel(none, static_cast<float*>(nullptr));
    });
}

}  // namespace

void modulatedNorm(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale, const at::Tensor& out,
    const NormStatistics& statistics, const NormForm& form)
{
    const bool hasRun = ranModulatedOnCpu(x, scale, [&](auto* none, auto* noModulation) {
        using T = Element<decltype(none)>;
        using S = Element<decltype(noModulation)>;
        forRows(x.size(0) * x.size(1), x.size(1), x.size(2), [&](cpu::Rows rows) {
            cpu::modulatedNorm(rows, dataOf<T>(x), perSample<const S>(shift), perSample<const S>(scale),
                dataOf<T>(out), dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), form.epsilon, form.scaleOffset);
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::modulatedNorm(x, shift, scale, out, statistics, form)))
        reference::modulatedNorm(x, shift, scale, out, statistics, form);
}

void modulatedNormBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& scale,
    const NormStatistics& statistics, const at::Tensor& dx, bool addsToDx, const at::Tensor& dShift,
    const at::Tensor& dScale, Arena& arena, const NormForm& form)
{
    const bool hasRun = ranModulatedOnCpu(x, scale, [&](auto* none, auto* noModulation) {
        using T = Element<decltype(none)>;
        using S = Element<decltype(noModulation)>;
        const std::int64_t samples = x.size(0), tokens = x.size(1), width = x.size(2);
        const std::int64_t pieces = piecesPerSample(samples, tokens, width);
        const Scratch sums(arena, samples * pieces * 2 * width);
        forPieces(samples, tokens, width, pieces, [&](cpu::Rows rows, std::int64_t piece) {
            cpu::modulatedNormBackward(rows, dataOf<T>(gradient), dataOf<T>(x), perSample<const S>(scale),
                dataOf<float>(statistics.mean), dataOf<float>(statistics.inverseDeviation), dataOf<T>(dx), addsToDx,
                form.scaleOffset, sums.data() + piece * 2 * width);
        });
        for (std::int64_t sample = 0; sample < samples; ++sample) {
            const float* const first = sums.data() + sample * pieces * 2 * width;
            cpu::addPieces(first, pieces, 2 * width, perSample<S>(dShift).of(sample), width, true);
            cpu::addPieces(first + width, pieces, 2 * width, perSample<S>(dScale).of(sample), width, true);
        }
    });
    if (!hasRun && !(isOnGpu(x) && gpu::modulatedNormBackward(gradient, x, scale, statistics, dx, addsToDx, dShift, dScale, arena, form)))
        reference::modulatedNormBackward(gradient, x, scale, statistics, dx, addsToDx, dShift, dScale, form);
}

void gatedAdd(const at::Tensor& x, const at::Tensor& gate, const at::Tensor& h, const at::Tensor& out)
{
    const bool hasRun = ranModulatedOnCpu(x, gate, [&](auto* none, auto* noModulation) {
        using T = Element<decltype(none)>;
        using S = Element<decltype(noModulation)>;
        forRows(x.size(0) * x.size(1), x.size(1), x.size(2), [&](cpu::Rows rows) {
            cpu::gatedAdd(rows, dataOf<T>(x), perSample<const S>(gate), dataOf<T>(h), dataOf<T>(out));
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::gatedAdd(x, gate, h, out)))
        reference::gatedAdd(x, gate, h, out);
}

void gatedAddBackward(const at::Tensor& gradient, const at::Tensor& gate, const at::Tensor& h,
    const at::Tensor& dh, const at::Tensor& dGate, Arena& arena)
{
    const bool hasRun = ranModulatedOnCpu(h, gate, [&](auto* none, auto* noModulation) {
        using T = Element<decltype(none)>;
        using S = Element<decltype(noModulation)>;
        const std::int64_t samples = h.size(0), tokens = h.size(1), width = h.size(2);
        const std::int64_t pieces = piecesPerSample(samples, tokens, width);
        const Scratch sums(arena, samples * pieces * width);
        forPieces(samples, tokens, width, pieces, [&](cpu::Rows rows, std::int64_t piece) {
            cpu::gatedAddBackward(rows, dataOf<T>(gradient), perSample<const S>(gate), dataOf<T>(h), dataOf<T>(dh),
                sums.data() + piece * width);
        });
        for (std::int64_t sample = 0; sample < samples; ++sample)
            cpu::addPieces(sums.data() + sample * pieces * width, pieces, width, perSample<S>(dGate).of(sample), width, true);
    });
    if (!hasRun && !(isOnGpu(h) && gpu::gatedAddBackward(gradient, gate, h, dh, dGate, arena)))
        reference::gatedAddBackward(gradient, gate, h, dh, dGate);
}

void gelu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::gelu(dataOf<T>(x) + begin, dataOf<T>(out) + begin, count);
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::gelu(x, out)))
        reference::gelu(x, out);
}

void geluForBackward(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::geluAndDerivative(dataOf<T>(x) + begin, dataOf<T>(out) + begin, count);
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::gelu(x, out)))
        reference::gelu(x, out);
}

void geluBackward(const at::Tensor& gradient, const at::Tensor& kept)
{
    const bool hasRun = ranOnCpu(kept, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(kept.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::multiplyElements(dataOf<T>(gradient) + begin, dataOf<T>(kept) + begin, count);
        });
    });
    if (!hasRun && !(isOnGpu(kept) && gpu::geluBackward(gradient, kept)))
        reference::geluBackward(gradient, kept);
}

void silu(const at::Tensor& x, const at::Tensor& out)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::silu(dataOf<T>(x) + begin, dataOf<T>(out) + begin, count);
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::silu(x, out)))
        reference::silu(x, out);
}

void siluBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        forElements(x.numel(), [&](std::int64_t begin, std::int64_t count) {
            cpu::siluBackward(dataOf<T>(gradient) + begin, dataOf<T>(x) + begin, dataOf<T>(dx) + begin, addsToDx, count);
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::siluBackward(gradient, x, dx, addsToDx)))
        reference::siluBackward(gradient, x, dx, addsToDx);
}

void columnSums(const at::Tensor& x, const at::Tensor& out, bool adds, Arena& arena)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t rows = x.size(0), width = x.size(1);
        const std::int64_t pieces = piecesPerSample(1, rows, width);
        const Scratch sums(arena, pieces * width);
        forPieces(1, rows, width, pieces, [&](cpu::Rows share, std::int64_t piece) {
            cpu::columnSums(share, dataOf<T>(x), sums.data() + piece * width);
        });
        cpu::addPieces(sums.data(), pieces, width, dataOf<T>(out), width, adds);
    });
    if (!hasRun && !(isOnGpu(x) && gpu::columnSums(x, out, adds, arena)))
        reference::columnSums(x, out, adds);
}

void softmax(const at::Tensor& x, const at::Tensor& bias, double scale)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t width = x.size(-1), rowCount = x.numel() / width;
        const std::int64_t samples = bias.defined() ? bias.size(0) : 1;
        forRows(rowCount, rowCount / samples, width, [&](cpu::Rows rows) {
            cpu::softmax(rows, dataOf<T>(x), dataOf<const float>(bias), static_cast<float>(scale));
        });
    });
    if (!hasRun)
        reference::softmax(x, bias, scale);
}

void softmaxBackward(const at::Tensor& p, const at::Tensor& d, double scale)
{
    const bool hasRun = ranOnCpu(p, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t width = p.size(-1);
        forRows(p.numel() / width, 1, width, [&](cpu::Rows rows) {
            const std::int64_t begin = rows.begin * width;
            cpu::softmaxBackward(
                dataOf<T>(p) + begin, dataOf<T>(d) + begin, rows.end - rows.begin, width, static_cast<float>(scale));
        });
    });
    if (!hasRun)
        reference::softmaxBackward(p, d, scale);
}

}  // namespace engine
