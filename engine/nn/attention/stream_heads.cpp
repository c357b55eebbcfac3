#include "engine/nn/attention/stream_heads.h"

#include "engine/nn/attention/measured_attention.h"

#include <algorithm>
#include <cmath>

namespace engine {

Heads Heads::like(Tape& tape, const Heads& other)
{
    const auto memory = [&](const at::Tensor& x) { return tape.allocate(x.sizes(), x.scalar_type()); };
    return {memory(other.query), memory(other.key), memory(other.value)};
}

StreamHeads::StreamHeads(const std::vector<AttentionStream>& given, const AttentionForm& asked, const SequencePart& here)
    : streams(given)
    , form(asked)
    , part(here)
{
    for (const AttentionStream& stream : streams) {
        queries += tokensOf(stream.query);
        keys += tokensOf(stream.key);
    }
    const at::Tensor& any = (streams.front().query.value ? streams.front().query : streams.front().key).value->data;
    batch = any.size(0);
    dtype = any.scalar_type();
}

double StreamHeads::scale() const { return 1 / std::sqrt(static_cast<double>(form.headSize)); }

AttentionKernel StreamHeads::kernel(bool trains) const
{
    const at::Tensor& any = (streams.front().query.value ? streams.front().query : streams.front().key).value->data;
    if (form.kernel == AttentionKernel::Automatic && any.is_cuda() && !form.keyBias.defined())
        return fastestKernel({dtype, batch, form.heads, queries, keys, form.headSize, trains}, any.device());
    return chosenKernel(form.kernel, {any.device().type(), dtype, form.headSize, keys, form.keyBias.defined()});
}

std::vector<Var> StreamHeads::makeOutputs(Tape& tape) const
{
    std::vector<Var> outputs;
    for (const AttentionStream& stream : streams) {
        if (stream.query.value)
            outputs.push_back(tape.make({batch, tokensOf(stream.query), form.heads * form.headSize}, dtype));
    }
    return outputs;
}

/// [B, n, H, d] of a part, or of its gradient.
at::Tensor StreamHeads::headsOf(const at::Tensor& projected, std::int64_t index) const
{
    return projected.view({batch, projected.size(1), -1, form.heads, form.headSize}).select(2, index);
}

at::Tensor& StreamHeads::of(Heads& heads, Role role)
{
    return role == Role::Query ? heads.query : role == Role::Key ? heads.key : heads.value;
}

/// Calls body(part, role, its first token among those of its role, norm, transform) for all parts of all streams.
template <typename Body>
void StreamHeads::forParts(Body body) const
{
    std::int64_t firstQuery = 0, firstKey = 0, firstRow = 0;
    for (const AttentionStream& stream : streams) {
        const std::int64_t queriesHere = tokensOf(stream.query), keysHere = tokensOf(stream.key);
        const std::int64_t tokens = std::max(queriesHere, keysHere);
        const RotaryTable rotary = form.rotary.rows(firstRow + (stream.isDivided ? part.index * tokens : 0), tokens);
        const auto transform = [&](const Parameter* norm, double factor) {
            return HeadTransform {norm ? norm->value : at::Tensor(), rotary, factor, form.normEpsilon};
        };
        if (queriesHere > 0)
            body(stream.query, Role::Query, firstQuery, stream.queryNorm, transform(stream.queryNorm, scalesQueries ? scale() : 1));
        if (keysHere > 0) {
            body(stream.key, Role::Key, firstKey, stream.keyNorm, transform(stream.keyNorm, 1));
            body(stream.value, Role::Value, firstKey, nullptr, HeadTransform {});
        }
        firstQuery += queriesHere;
        firstKey += keysHere;
        firstRow += stream.isDivided ? part.count * tokens : tokens;
    }
}

bool StreamHeads::canBeViews() const
{
    const AttentionStream& only = streams.front();
    return streams.size() == 1 && !scalesQueries && !only.queryNorm && !only.keyNorm && !form.rotary.cosines.defined();
}

Heads StreamHeads::split(Tape& tape, bool allowViews) const
{
    Heads heads;
    if (allowViews && canBeViews()) {
        forParts([&](const ProjectedPart& each, Role role, std::int64_t, Parameter*, const HeadTransform&) {
            of(heads, role) = headsOf(each.value->data, each.part).transpose(1, 2);
        });
        return heads;
    }
    const auto memory = [&](std::int64_t tokens) { return tape.allocate(headsShape(tokens), dtype); };
    heads = {memory(queries), memory(keys), memory(keys)};
    forParts([&](const ProjectedPart& each, Role role, std::int64_t first, Parameter*, const HeadTransform& transform) {
        const at::Tensor to = of(heads, role).narrow(2, first, tokensOf(each));
        splitHeads(headsOf(each.value->data, each.part), to, transform);
    });
    return heads;
}

void StreamHeads::splitBackward(Tape& tape, const Heads& gradients) const
{
    Heads given = gradients;
    forParts([&](const ProjectedPart& each, Role role, std::int64_t first, Parameter* norm, const HeadTransform& transform) {
        const at::Tensor gradient = of(given, role).narrow(2, first, tokensOf(each));
        at::Tensor dWeight;
        if (norm && norm->isTrained) {
            if (norm->claimGrad())
                norm->grad.zero_();
            dWeight = norm->grad;
        }
        splitHeadsBackward(gradient, headsOf(each.value->data, each.part),
            headsOf(tape.contribute(each.value).grad, each.part), false, transform, dWeight, tape.arena());
    });
}

Heads StreamHeads::gradientViews(Tape& tape) const
{
    Heads gradients;
    forParts([&](const ProjectedPart& each, Role role, std::int64_t, Parameter*, const HeadTransform&) {
        of(gradients, role) = headsOf(tape.contribute(each.value).grad, each.part).transpose(1, 2);
    });
    return gradients;
}

void StreamHeads::reserveGradients(Tape& tape) const
{
    for (const AttentionStream& stream : streams) {
        for (const ProjectedPart& each : {stream.query, stream.key, stream.value}) {
            if (each.value)
                tape.contribute(each.value);
        }
    }
}

void StreamHeads::join(Tape& tape, const at::Tensor& mixed, const std::vector<Var>& outputs) const
{
    std::int64_t first = 0;
    for (const Var out : outputs) {
        const std::int64_t tokens = out->data.size(1);
        joinHeads(mixed.narrow(2, first, tokens), headsOf(out->data, 0), tape.arena());
        first += tokens;
    }
}

/// @param valuesOf returns an output's values; undefined: zeros
template <typename Body>
at::Tensor StreamHeads::splitOutputs(Tape& tape, const std::vector<Var>& outputs, Body valuesOf) const
{
    const at::Tensor all = tape.allocate(headsShape(queries), dtype);
    std::int64_t first = 0;
    for (const Var out : outputs) {
        const std::int64_t tokens = out->data.size(1);
        const at::Tensor own = all.narrow(2, first, tokens);
        if (const at::Tensor values = valuesOf(out); values.defined())
            splitHeads(headsOf(values, 0), own);
        else
            own.zero_();
        first += tokens;
    }
    return all;
}

at::Tensor StreamHeads::outputHeads(Tape& tape, const std::vector<Var>& outputs) const
{
    return splitOutputs(tape, outputs, [](Var out) { return out->data; });
}

at::Tensor StreamHeads::gradientHeads(Tape& tape, const std::vector<Var>& outputs) const
{
    return splitOutputs(tape, outputs, [&](Var out) { return tape.hasGrad(out) ? tape.gradOf(out) : at::Tensor(); });
}

}  // namespace engine
