#include "engine/model/layers.h"

#include "engine/model/kernels.h"
#include "engine/model/matrix_product.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/add.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>

#include <cmath>

namespace engine {
namespace {

at::Tensor flatRows(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

at::Tensor part(const at::Tensor& modulation, std::int64_t index, std::int64_t width)
{
    return modulation.narrow(1, index * width, width);
}

bool isFirst(Parameter& parameter) { return !std::exchange(parameter.isGradWritten, true); }

}  // namespace

Var linear(Tape& tape, Var x, Parameter& weight, Parameter& bias)
{
    auto shape = x->data.sizes().vec();
    shape.back() = weight.value.size(0);
    const Var out = tape.make(shape, x->data.scalar_type());
    multiplyAddBias(flatRows(out->data), flatRows(x->data), weight.value, bias.value);
    tape.record(out, [&tape, x, out, &weight, &bias] {
        const at::Tensor gradient = flatRows(tape.gradOf(out));
        if (weight.isTrained)
            multiply(weight.grad, gradient.t(), flatRows(x->data), !isFirst(weight));
        if (bias.isTrained)
            columnSums(gradient, bias.grad, !isFirst(bias), tape.arena());
        if (x->needsGrad) {
            const auto [dx, isFirstOfX] = tape.contribute(x);
            multiply(flatRows(dx), gradient, weight.value, !isFirstOfX);
        }
    });
    return out;
}

Var modulatedNorm(Tape& tape, Var x, Var modulation, std::int64_t shiftPart, std::int64_t scalePart)
{
    const std::int64_t width = x->data.size(-1);
    const std::int64_t rows = x->data.numel() / width;
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    const NormStatistics statistics {tape.allocate({rows}, at::kFloat), tape.allocate({rows}, at::kFloat)};
    const at::Tensor scale = part(modulation->data, scalePart, width);
    modulatedNorm(x->data, part(modulation->data, shiftPart, width), scale, out->data, statistics);
    tape.record(out, [=, &tape] {
        const at::Tensor dModulation = tape.contributeToZeroed(modulation);
        const auto [dx, isFirstOfX] = tape.contribute(x);
        modulatedNormBackward(tape.gradOf(out), x->data, scale, statistics, dx, !isFirstOfX,
            part(dModulation, shiftPart, width), part(dModulation, scalePart, width), tape.arena());
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
        // h is a layer's own output, which nothing else reads: its gradient is only ever written here.
        gatedAddBackward(tape.gradOf(out), gate, h->data, tape.contribute(h).grad, dGate, tape.arena());
        tape.handOn(out, x);
    });
    return out;
}

Var gelu(Tape& tape, Var x)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    gelu(x->data, out->data);
    tape.record(out, [=, &tape] {
        geluBackward(tape.gradOf(out), x->data, tape.gradOf(out));
        tape.handOn(out, x);
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
            const bool adds = !isFirst(table);
            if (!adds && !isWhole)
                table.grad.zero_();
            columnSums(gradient.view({gradient.size(0), -1}), table.grad.narrow(1, first, count), adds, tape.arena());
        }
        tape.handOn(out, x);
    });
    return out;
}

Var addEmbedding(Tape& tape, Var x, Parameter& table, const at::Tensor& index)
{
    const Var out = tape.make(x->data.sizes(), x->data.scalar_type());
    at::add_out(out->data, x->data, table.value.index_select(0, index));
    tape.record(out, [=, &tape, &table] {
        if (table.isTrained) {
            if (isFirst(table))
                table.grad.zero_();
            table.grad.index_add_(0, index, tape.gradOf(out));
        }
        tape.handOn(out, x);
    });
    return out;
}

at::Tensor sinusoid(const at::Tensor& t, std::int64_t size)
{
    const std::int64_t half = size / 2;
    const auto frequencies
        = (at::arange(half, t.options()) * (-std::log(10000.0) / static_cast<double>(half))).exp();
    const auto angles = (t * 1000.0).unsqueeze(1) * frequencies.unsqueeze(0);
    return at::cat(std::vector<at::Tensor> {angles.cos(), angles.sin()}, 1);
}

}  // namespace engine
