// Dims: R rows of all samples, I in, O out of all linears of a group.
#include "engine/nn/linear.h"

#include "engine/kernels/layer_kernels.h"
#include "engine/kernels/matrix_product.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace engine {
namespace {

at::Tensor flatRows(const at::Tensor& x) { return x.view({-1, x.size(-1)}); }

/// A parameter's value or gradient as a matrix of its rows.
at::Tensor matrixOf(const at::Tensor& parameter) { return parameter.view({parameter.size(0), -1}); }

/// The values of an adapter that its backward needs. Kept here because another term may be selected by then.
struct LowRankValue {
    const LowRankTerm* term = nullptr;
    at::Tensor inner = {};
    double scale = 0;
    bool hasDropout = false;
};
using LowRankValues = c10::SmallVector<LowRankValue, 3>;

using TensorOf = const at::Tensor& (*)(const LinearWeights&);

const at::Tensor& weightOf(const LinearWeights& each) { return each.weight->value; }
const at::Tensor& weightGradOf(const LinearWeights& each) { return each.weight->grad; }

/// [O, I]: the group's tensors as one matrix, without a copy; undefined if they are not adjacent in memory.
at::Tensor joined(const LinearGroup& group, TensorOf part)
{
    const at::Tensor first = matrixOf(part(group.front()));
    if (group.size() == 1)
        return first;
    std::int64_t end = first.storage_offset();
    for (const LinearWeights& each : group) {
        const at::Tensor& here = part(each);
        if (here.storage_offset() != end || !here.storage().is_alias_of(first.storage()))
            return {};
        end += here.numel();
    }
    const std::int64_t width = first.size(1);
    return first.as_strided({(end - first.storage_offset()) / width, width}, {width, 1});
}

/// Calls body(linear, its first output column, its number of columns).
template <typename Body>
void forEach(const LinearGroup& group, Body body)
{
    std::int64_t first = 0;
    for (const LinearWeights& each : group) {
        const std::int64_t count = each.weight->value.size(0);
        body(each, first, count);
        first += count;
    }
}

std::int64_t widthOf(const LinearGroup& group)
{
    std::int64_t width = 0;
    forEach(group, [&](const LinearWeights&, std::int64_t first, std::int64_t count) { width = first + count; });
    return width;
}

/// [O]: the only bias, or a copy of all of them; undefined if the linears have none.
at::Tensor biasOf(Tape& tape, const LinearGroup& group)
{
    if (!group.front().bias)
        return {};
    if (group.size() == 1)
        return group.front().bias->value;
    const at::Tensor all = tape.allocate({widthOf(group)}, group.front().bias->value.scalar_type());
    forEach(group, [&](const LinearWeights& each, std::int64_t first, std::int64_t count) {
        all.narrow(0, first, count).copy_(each.bias->value);
    });
    return all;
}

void multiplyAll(Tape& tape, const LinearGroup& group, const at::Tensor& x_RI, const at::Tensor& out_RO)
{
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor bias = biasOf(tape, group);
    const auto run = [&](const at::Tensor& to, const at::Tensor& weight, const at::Tensor& ownBias) {
        if (ownBias.defined())
            multiplyAddBias(to, x_RI, weight, ownBias);
        else
            multiply(to, x_RI, weight.t(), false);
    };
    if (const at::Tensor weight = joined(group, weightOf); weight.defined()) {
        run(out_RO, weight, bias);
    } else {
        forEach(group, [&](const LinearWeights& each, std::int64_t first, std::int64_t count) {
            run(out_RO.narrow(1, first, count), matrixOf(each.weight->value),
                bias.defined() ? bias.narrow(0, first, count) : bias);
        });
    }
    tape.arena().release(mark);
}

/// The dropout mask of an adapter's input: 1 where kept, 0 where dropped. The same in forward, recomputation and backward.
at::Tensor dropoutMaskOf(Tape& tape, const LowRankTerm& term, const at::Tensor& x_RI)
{
    const at::Tensor mask = tape.allocate(x_RI.sizes(), x_RI.scalar_type());
    drawDropoutMask(mask, term.dropout, term.module, tape.draws());
    return mask;
}

/// @return scale · A x [R, rank] of each linear, not computed yet; undefined without an adapter
LowRankValues makeLowRankValues(Tape& tape, const LinearGroup& group, const at::Tensor& out_RO)
{
    LowRankValues values;
    for (const LinearWeights& each : group) {
        const LowRankTerm* const term = each.weight->lowRank;
        values.push_back({.term = term});
        if (!term)
            continue;
        LowRankValue& value = values.back();
        value.hasDropout = tape.isTraining() && term->dropout > 0;
        value.scale = term->scale / (value.hasDropout ? 1 - term->dropout : 1);
        value.inner = tape.allocate({out_RO.size(0), term->down->value.size(0)}, out_RO.scalar_type());
    }
    return values;
}

/// Computes the adapters' values and adds their terms to the outputs.
void addLowRankTerms(Tape& tape, const LinearGroup& group, const LowRankValues& values, const at::Tensor& x_RI, const at::Tensor& out_RO)
{
    std::size_t index = 0;
    forEach(group, [&](const LinearWeights&, std::int64_t first, std::int64_t count) {
        const auto& [term, inner, scale, hasDropout] = values[index++];
        if (!term)
            return;
        const Arena::Mark mark = tape.arena().mark();
        multiply(inner, hasDropout ? dropoutMaskOf(tape, *term, x_RI).mul_(x_RI) : x_RI, term->down->value.t(), false);
        tape.arena().release(mark);
        inner.mul_(scale);
        multiply(out_RO.narrow(1, first, count), inner, term->up->value.t(), true);
    });
}

void addGradient(Parameter& parameter, const at::Tensor& left, const at::Tensor& right)
{
    if (parameter.isTrained)
        multiply(parameter.grad, left, right, !parameter.claimGrad());
}

/// Call it after the linears' own gradient of x has been stored.
void addLowRankGradients(Tape& tape, const LinearGroup& group, const LowRankValues& values, const at::Tensor& gradient_RO, Var x, const at::Tensor& x_RI)
{
    std::size_t index = 0;
    forEach(group, [&](const LinearWeights&, std::int64_t first, std::int64_t count) {
        const auto& [term, inner, scale, hasDropout] = values[index++];
        if (!term)
            return;
        const at::Tensor own = gradient_RO.narrow(1, first, count);
        addGradient(*term->up, own.t(), inner);
        const Arena::Mark mark = tape.arena().mark();
        const at::Tensor dInner = tape.allocate(inner.sizes(), inner.scalar_type());
        multiply(dInner, own, term->up->value, false);
        dInner.mul_(scale);
        if (hasDropout) {
            const at::Tensor mask = dropoutMaskOf(tape, *term, x_RI), memory = tape.allocate(x_RI.sizes(), x_RI.scalar_type());
            addGradient(*term->down, dInner.t(), memory.copy_(mask).mul_(x_RI));
            if (x->needsGrad) {
                multiply(memory, dInner, term->down->value, false);
                flatRows(tape.gradOf(x)).addcmul_(memory, mask);
            }
        } else {
            addGradient(*term->down, dInner.t(), x_RI);
            if (x->needsGrad)
                multiply(flatRows(tape.gradOf(x)), dInner, term->down->value, true);
        }
        tape.arena().release(mark);
    });
}

void addWeightGradients(const LinearGroup& group, const at::Tensor& gradient_RO, const at::Tensor& x_RI)
{
    const Parameter& first = *group.front().weight;
    const auto isLikeFirst = [&](const LinearWeights& each) {
        return each.weight->isTrained == first.isTrained && each.weight->isGradWritten == first.isGradWritten;
    };
    const at::Tensor whole = std::ranges::all_of(group, isLikeFirst) ? joined(group, weightGradOf) : at::Tensor();
    if (whole.defined()) {
        if (first.isTrained)
            multiply(whole, gradient_RO.t(), x_RI, first.isGradWritten);
        for (const LinearWeights& each : group)
            each.weight->isGradWritten = each.weight->isTrained;
        return;
    }
    forEach(group, [&](const LinearWeights& each, std::int64_t begin, std::int64_t count) {
        if (each.weight->isTrained)
            multiply(matrixOf(each.weight->grad), gradient_RO.narrow(1, begin, count).t(), x_RI, !each.weight->claimGrad());
    });
}

/// Whether backward needs the input's values.
bool readsInput(const LinearGroup& group)
{
    return std::ranges::any_of(group, [](const LinearWeights& each) { return each.weight->isTrained || each.weight->lowRank; });
}

void addBiasGradients(Tape& tape, const LinearGroup& group, const at::Tensor& gradient_RO)
{
    const auto hasTrainedBias = [](const LinearWeights& each) { return each.bias && each.bias->isTrained; };
    if (std::ranges::none_of(group, hasTrainedBias))
        return;
    if (group.size() == 1) {
        Parameter& bias = *group.front().bias;
        columnSums(gradient_RO, bias.grad, !bias.claimGrad(), tape.arena());
        return;
    }
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor sums = tape.allocate({gradient_RO.size(1)}, gradient_RO.scalar_type());
    columnSums(gradient_RO, sums, false, tape.arena());
    forEach(group, [&](const LinearWeights& each, std::int64_t first, std::int64_t count) {
        if (!hasTrainedBias(each))
            return;
        const at::Tensor own = sums.narrow(0, first, count);
        if (each.bias->claimGrad())
            each.bias->grad.copy_(own);
        else
            each.bias->grad.add_(own);
    });
    tape.arena().release(mark);
}

void addInputGradient(Tape& tape, const LinearGroup& group, const at::Tensor& gradient_RO, Var x)
{
    const auto [dx, isFirstOfX] = tape.contribute(x);
    const at::Tensor dx_RI = flatRows(dx);
    if (const at::Tensor weight = joined(group, weightOf); weight.defined()) {
        multiply(dx_RI, gradient_RO, weight, !isFirstOfX);
        return;
    }
    bool adds = !isFirstOfX;
    forEach(group, [&](const LinearWeights& each, std::int64_t first, std::int64_t count) {
        multiply(dx_RI, gradient_RO.narrow(1, first, count), matrixOf(each.weight->value), std::exchange(adds, true));
    });
}

}  // namespace

Var linear(Tape& tape, Var x, const LinearGroup& group)
{
    auto shape = x->data.sizes().vec();
    shape.back() = widthOf(group);
    const Var out = tape.make(shape, x->data.scalar_type());
    const at::Tensor out_RO = flatRows(out->data);
    const LowRankValues lowRank = makeLowRankValues(tape, group, out_RO);
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor x_RI = flatRows(tape.computed(x, PassDirection::Forward));
    multiplyAll(tape, group, x_RI, out_RO);
    addLowRankTerms(tape, group, lowRank, x_RI, out_RO);
    tape.arena().release(mark);
    tape.record(out, [&tape, x, out, group, lowRank] {
        const at::Tensor gradient_RO = flatRows(tape.gradOf(out));
        if (x->needsGrad)
            tape.allocateGradient(x);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor given_RI = readsInput(group) ? flatRows(tape.computed(x, PassDirection::Backward)) : at::Tensor();
        addWeightGradients(group, gradient_RO, given_RI);
        addBiasGradients(tape, group, gradient_RO);
        if (x->needsGrad)
            addInputGradient(tape, group, gradient_RO, x);
        addLowRankGradients(tape, group, lowRank, gradient_RO, x, given_RI);
        tape.arena().release(start);
    });
    return out;
}

Var linear(Tape& tape, Var x, const LinearWeights& weights) { return linear(tape, x, LinearGroup {weights}); }

}  // namespace engine
