#include "engine/kernels/head_kernels.h"

#include "engine/kernels/cpu/head_kernels.h"
#include "engine/kernels/gpu_head_kernels.h"
#include "engine/kernels/kernel_shares.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/stack.h>

namespace engine {
namespace {

template <typename T>
cpu::JoinedHeads<T> joinedHeads(const at::Tensor& x)
{
    return {dataOf<T>(x), x.defined() ? x.stride(1) : 0};
}

template <typename T>
cpu::SplitHeads<T> splitHeadsOf(const at::Tensor& x)
{
    return {dataOf<T>(x), x.stride(0), x.stride(1), x.stride(2)};
}

template <typename T>
cpu::HeadTransform<T> transformOf(const HeadTransform& form)
{
    return {dataOf<const T>(form.weight), dataOf<const float>(form.rotary.cosines), dataOf<const float>(form.rotary.sines),
        static_cast<float>(form.scale), static_cast<float>(form.epsilon)};
}

/// The same rows with the width of a single head.
cpu::Rows rowsOfHead(cpu::Rows rows, std::int64_t size) { return {rows.begin, rows.end, rows.tokens, size}; }

}  // namespace

RotaryTable RotaryTable::rows(std::int64_t first, std::int64_t count) const
{
    return cosines.defined() ? RotaryTable {cosines.narrow(0, first, count), sines.narrow(0, first, count)} : RotaryTable {};
}

RotaryTable rotaryTable(const at::Tensor& cosines, const at::Tensor& sines)
{
    const auto pairs = [](const at::Tensor& even, const at::Tensor& odd) {
        return at::stack({even.to(at::kFloat), odd.to(at::kFloat)}, 2).flatten(1);
    };
    return {pairs(cosines, cosines), pairs(-sines, sines)};
}

void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form)
{
    const bool hasRun = ranOnCpu(x, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t tokens = x.size(1), heads = x.size(2), size = x.size(3);
        forRows(x.size(0) * tokens, tokens, heads * size, [&](cpu::Rows rows) {
            cpu::splitHeads(rowsOfHead(rows, size), heads, joinedHeads<const T>(x), splitHeadsOf<T>(out), transformOf<T>(form));
        });
    });
    if (!hasRun && !(isOnGpu(x) && gpu::splitHeads(x, out, form)))
        reference::splitHeads(x, out, form);
}

void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight, Arena& arena)
{
    const bool hasRun = ranOnCpu(gradient, [&](auto* none) {
        using T = Element<decltype(none)>;
        const std::int64_t samples = dx.size(0), tokens = dx.size(1), heads = dx.size(2), size = dx.size(3);
        const std::int64_t pieces = piecesPerSample(samples, tokens, heads * size);
        const bool hasSums = form.weight.defined();
        const Scratch sums(arena, hasSums ? samples * pieces * size : 0);
        forPieces(samples, tokens, heads * size, pieces, [&](cpu::Rows rows, std::int64_t piece) {
            cpu::splitHeadsBackward(rowsOfHead(rows, size), heads, splitHeadsOf<const T>(gradient), joinedHeads<const T>(x),
                joinedHeads<T>(dx), addsToDx, transformOf<T>(form),
                hasSums ? sums.data() + piece * size : nullptr);
        });
        if (dWeight.defined())
            cpu::addPieces(sums.data(), samples * pieces, size, dataOf<T>(dWeight), size, true);
    });
    if (!hasRun && !(isOnGpu(gradient) && gpu::splitHeadsBackward(gradient, x, dx, addsToDx, form, dWeight, arena)))
        reference::splitHeadsBackward(gradient, x, dx, addsToDx, form, dWeight);
}

namespace reference {
namespace {

at::Tensor toFloat(const at::Tensor& tensor) { return tensor.to(at::kFloat); }

at::Tensor withPairsSwapped(const at::Tensor& x)
{
    auto pairs = x.sizes().vec();
    pairs.back() /= 2;
    pairs.push_back(2);
    return x.reshape(pairs).flip(-1).flatten(-2);
}

/// @param x [B, n, H, d]
at::Tensor rotated(const at::Tensor& x, const RotaryTable& table, double direction)
{
    if (!table.cosines.defined())
        return x;
    return x * table.cosines.unsqueeze(1) + withPairsSwapped(x) * table.sines.unsqueeze(1) * direction;
}

}  // namespace

void splitHeads(const at::Tensor& x, const at::Tensor& out, const HeadTransform& form)
{
    at::Tensor y = toFloat(x);
    if (form.weight.defined())
        y = y * (y.square().mean(-1, true) + form.epsilon).rsqrt() * toFloat(form.weight);
    out.copy_((rotated(y, form.rotary, 1) * form.scale).transpose(1, 2));
}

void splitHeadsBackward(const at::Tensor& gradient, const at::Tensor& x, const at::Tensor& dx, bool addsToDx,
    const HeadTransform& form, const at::Tensor& dWeight)
{
    at::Tensor d = rotated(toFloat(gradient).transpose(1, 2) * form.scale, form.rotary, -1);
    if (form.weight.defined()) {
        const at::Tensor values = toFloat(x);
        const at::Tensor r = (values.square().mean(-1, true) + form.epsilon).rsqrt();
        const at::Tensor hat = values * r;
        if (dWeight.defined())
            dWeight.add_((d * hat).sum({0, 1, 2}));
        const at::Tensor weighted = d * toFloat(form.weight);
        d = (weighted - hat * (weighted * hat).mean(-1, true)) * r;
    }
    if (addsToDx)
        dx.add_(d);
    else
        dx.copy_(d);
}

}  // namespace reference
}  // namespace engine
