#include "engine/nn/layers.h"

#include "engine/comm/errors.h"
#include "engine/kernels/head_kernels.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/isinf.h>

#include <cmath>
#include <memory>
#include <utility>

namespace engine {
namespace {

at::Tensor part(const at::Tensor& modulation, std::int64_t index, std::int64_t width)
{
    return modulation.narrow(1, index * width, width);
}

void storeContribution(const at::Tensor& to, const at::Tensor& values, bool isFirst)
{
    if (isFirst)
        to.copy_(values);
    else
        to.add_(values);
}

/// Memory to which a gradient is added: the parameter's, zeroed at first use, or scratch if it is not trained.
at::Tensor zeroedGradient(Tape& tape, Parameter& parameter)
{
    if (!parameter.isTrained)
        return tape.allocate(parameter.value.sizes(), parameter.value.scalar_type());
    if (parameter.claimGrad())
        parameter.grad.zero_();
    return parameter.grad;
}

}  // namespace

Var modulatedNorm(
    Tape& tape, Var x, Var modulation, std::int64_t shiftPart, std::int64_t scalePart, double epsilon)
{
    const std::int64_t width = x->data.size(-1);
    const std::int64_t rows = x->data.numel() / width;
    const NormForm form {.epsilon = static_cast<float>(epsilon)};
    const NormStatistics statistics {tape.allocate({rows}, at::kFloat), tape.allocate({rows}, at::kFloat)};
    const at::Tensor shift = part(modulation->data, shiftPart, width), scale = part(modulation->data, scalePart, width);
    const Var out = tape.makeDerived(x->data.sizes(), x->data.scalar_type(),
        [=](const at::Tensor& to, PassDirection) { modulatedNorm(x->data, shift, scale, to, statistics, form); });
    tape.record(out, [=, &tape] {
        const at::Tensor dModulation = tape.contributeToZeroed(modulation);
        const auto [dx, isFirstOfX] = tape.contribute(x);
        modulatedNormBackward(tape.gradOf(out), x->data, scale, statistics, dx, !isFirstOfX,
            part(dModulation, shiftPart, width), part(dModulation, scalePart, width), tape.arena(), form);
    });
    return out;
}

Var layerNorm(Tape& tape, Var x, Parameter& weight, Parameter& bias, double epsilon)
{
    const std::int64_t width = x->data.size(-1);
    const std::int64_t rows = x->data.numel() / width;
    const NormForm form {.epsilon = static_cast<float>(epsilon), .scaleOffset = 0};
    const auto ofAll = [width](const at::Tensor& vector) { return vector.view({1, width}); };
    const NormStatistics statistics {tape.allocate({rows}, at::kFloat), tape.allocate({rows}, at::kFloat)};
    const Var out = tape.makeDerived(x->data.sizes(), x->data.scalar_type(), [=, &weight, &bias](const at::Tensor& to, PassDirection) {
        modulatedNorm(x->data, ofAll(bias.value), ofAll(weight.value), to, statistics, form);
    });
    tape.record(out, [=, &tape, &weight, &bias] {
        const auto [dx, isFirstOfX] = tape.contribute(x);
        const Arena::Mark mark = tape.arena().mark();
        modulatedNormBackward(tape.gradOf(out), x->data, ofAll(weight.value), statistics, dx, !isFirstOfX,
            ofAll(zeroedGradient(tape, bias)), ofAll(zeroedGradient(tape, weight)), tape.arena(), form);
        tape.arena().release(mark);
    });
    return out;
}

Var rmsNorm(Tape& tape, Var x, Parameter& weight, double epsilon)
{
    const std::int64_t width = x->data.size(-1);
    // The kernel of attention heads, with one head as wide as the row.
    const auto rows = [width](const at::Tensor& values) { return values.view({1, -1, 1, width}); };
    const auto form = [&weight, epsilon] { return HeadTransform {.weight = weight.value, .epsilon = epsilon}; };
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    splitHeads(rows(x->data), rows(out->data).transpose(1, 2), form());
    tape.record(out, [=, &tape, &weight] {
        const auto [dx, isFirstOfX] = tape.contribute(x);
        const at::Tensor dWeight = weight.isTrained ? zeroedGradient(tape, weight) : at::Tensor();
        splitHeadsBackward(rows(tape.gradOf(out)).transpose(1, 2), rows(x->data), rows(dx), !isFirstOfX, form(), dWeight,
            tape.arena());
    });
    return out;
}

Var gatedAdd(Tape& tape, Var x, Var modulation, std::int64_t gatePart, Var h)
{
    const std::int64_t width = x->data.size(-1);
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    const at::Tensor gate = part(modulation->data, gatePart, width);
    gatedAdd(x->data, gate, h->data, out->data);
    tape.record(out, [=, &tape] {
        const at::Tensor dGate = part(tape.contributeToZeroed(modulation), gatePart, width);
        // h is a layer's own output that nothing else reads, so its gradient is written here only.
        gatedAddBackward(tape.gradOf(out), gate, h->data, tape.contribute(h).grad, dGate, tape.arena());
        tape.moveGradient(out, x);
    });
    return out;
}

Var gelu(Tape& tape, Var x)
{
    // Once x is not needed any more, it holds the derivatives.
    const auto holdsDerivatives = std::make_shared<bool>(false);
    const auto derive = [x, holdsDerivatives](const at::Tensor& to) {
        if (std::exchange(*holdsDerivatives, true))
            throw EngineError(EngineError::Kind::WrongUsage, "gelu: only one layer may read its output");
        geluForBackward(x->data, to);
    };
    const bool isRecomputed = tape.recomputesLayers(), isRecording = tape.isRecording();
    const Var out = tape.makeDerived(x->data.sizes(), x->data.scalar_type(), [=](const at::Tensor& to, PassDirection direction) {
        if (direction == PassDirection::Backward || (isRecording && !isRecomputed))
            derive(to);
        else
            gelu(x->data, to);
    });
    tape.record(out, [=, &tape] {
        if (!*holdsDerivatives) {
            const Arena::Mark mark = tape.arena().mark();
            derive(tape.allocate(x->data.sizes(), x->data.scalar_type()));
            tape.arena().release(mark);
        }
        geluBackward(tape.gradOf(out), x->data);
        tape.moveGradient(out, x);
    });
    return out;
}

Var silu(Tape& tape, Var x)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    silu(x->data, out->data);
    tape.record(out, [=, &tape] {
        const auto [dx, isFirstOfX] = tape.contribute(x);
        siluBackward(tape.gradOf(out), x->data, dx, !isFirstOfX);
    });
    return out;
}

Var addPositions(Tape& tape, Var x, Parameter& table, std::int64_t first)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    const std::int64_t count = x->data.size(1);
    at::add_out(out->data, x->data, table.value.narrow(1, first, count));
    tape.record(out, [=, &tape, &table] {
        const at::Tensor& gradient = tape.gradOf(out);
        if (table.isTrained) {
            const bool isWhole = count == table.value.size(1);
            const bool adds = !table.claimGrad();
            if (!adds && !isWhole)
                table.grad.zero_();
            columnSums(gradient.view({gradient.size(0), -1}), table.grad.narrow(1, first, count), adds, tape.arena());
        }
        tape.moveGradient(out, x);
    });
    return out;
}

Var add(Tape& tape, Var a, Var b)
{
    const Var out = tape.make(a->data.sizes(), a->data.scalar_type());
    at::add_out(out->data, a->data, b->data);
    tape.record(out, [=, &tape] {
        if (b->needsGrad) {
            const auto [db, isFirstOfB] = tape.contribute(b);
            storeContribution(db, tape.gradOf(out), isFirstOfB);
        }
        tape.moveGradient(out, a);
    });
    return out;
}

Var clampedInHalf(Tape& tape, Var x)
{
    if (x->data.scalar_type() != at::kHalf)
        return x;
    constexpr double kLargest = 65504;
    const Var out = tape.make(x->data.sizes(), at::kHalf);
    at::clamp_out(out->data, x->data, -kLargest, kLargest);
    tape.record(out, [=, &tape] {
        tape.gradOf(out).masked_fill_(x->data.isinf(), 0);
        tape.moveGradient(out, x);
    });
    return out;
}

Var addConstant(Tape& tape, Var x, const at::Tensor& table)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    at::add_out(out->data, x->data, table);
    tape.record(out, [=, &tape] { tape.moveGradient(out, x); });
    return out;
}

Var permuted(Tape& tape, Var x, const std::vector<std::int64_t>& pieces, const std::vector<std::int64_t>& order,
    const std::vector<std::int64_t>& shape, at::ScalarType dtype)
{
    std::vector<std::int64_t> moved;
    for (const std::int64_t dim : order)
        moved.push_back(pieces[static_cast<std::size_t>(dim)]);
    const Var out = tape.make(shape, dtype, x->needsGrad);
    out->data.view(moved).copy_(x->data.view(pieces).permute(order));
    tape.record(out, [=, &tape] {
        if (!x->needsGrad)
            return;
        const auto [dx, isFirstOfX] = tape.contribute(x);
        storeContribution(dx.view(pieces).permute(order), tape.gradOf(out).view(moved), isFirstOfX);
    });
    return out;
}

Var concatenated(Tape& tape, const std::vector<Var>& values, std::int64_t dim)
{
    auto shape = values.front()->data.sizes().vec();
    auto& length = shape[static_cast<std::size_t>(dim)];
    length = 0;
    for (const Var value : values) {
        length += value->data.size(dim);
        tape.keep(value);
    }
    const Var out = tape.make(shape, values.front()->data.scalar_type());
    std::int64_t end = 0;
    for (const Var value : values) {
        const std::int64_t first = std::exchange(end, end + value->data.size(dim));
        out->data.narrow(dim, first, end - first).copy_(value->data);
    }
    tape.record(out, [=, &tape] {
        std::int64_t cursor = 0;
        for (const Var value : values) {
            const std::int64_t count = value->data.size(dim), first = std::exchange(cursor, cursor + count);
            if (!value->needsGrad)
                continue;
            const auto [gradient, isFirstOfValue] = tape.contribute(value);
            storeContribution(gradient, tape.gradOf(out).narrow(dim, first, count), isFirstOfValue);
        }
    });
    return out;
}

Var narrowed(Tape& tape, Var x, std::int64_t dim, std::int64_t first, std::int64_t count)
{
    auto shape = x->data.sizes().vec();
    shape[static_cast<std::size_t>(dim)] = count;
    const Var out = tape.make(shape, x->data.scalar_type(), x->needsGrad);
    out->data.copy_(x->data.narrow(dim, first, count));
    tape.record(out, [=, &tape] {
        if (x->needsGrad)
            tape.contributeToZeroed(x).narrow(dim, first, count).add_(tape.gradOf(out));
    });
    return out;
}

Var addEmbedding(Tape& tape, Var x, Parameter& table, const at::Tensor& index)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    at::add_out(out->data, x->data, table.value.index_select(0, index));
    tape.record(out, [=, &tape, &table] {
        if (table.isTrained) {
            if (table.claimGrad())
                table.grad.zero_();
            table.grad.index_add_(0, index, tape.gradOf(out));
        }
        tape.moveGradient(out, x);
    });
    return out;
}

at::Tensor sinusoid(const at::Tensor& t, std::int64_t size, double scale, double shift)
{
    const std::int64_t half = size / 2;
    const at::Tensor exponents = at::arange(half, t.options()) * -std::log(10000.0) / (static_cast<double>(half) - shift);
    // Computed in float64 and rounded: the last bit of float32's exp differs between machines, and large times amplify it.
    const at::Tensor frequencies = exponents.to(at::kDouble).exp().to(at::kFloat);
    const auto angles = (t.unsqueeze(1) * frequencies.unsqueeze(0)) * scale;
    return at::cat(std::vector<at::Tensor> {angles.cos(), angles.sin()}, 1);
}

}  // namespace engine
