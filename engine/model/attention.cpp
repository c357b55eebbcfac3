// Dims: B samples, n tokens of a stream, H heads, d elements of a head.
#include "engine/model/attention.h"

#include "engine/model/cached_attention.h"
#include "engine/model/kernels.h"
#include "engine/model/streamed_attention.h"

#include <ATen/ops/bmm.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace engine {
namespace {

enum class Role { Query, Key, Value };

enum class Way {
    Materialised,  ///< the weights of all heads at once, kept for backward
    ByHead,        ///< one head's after another's, computed again in backward
    Streamed       ///< LibTorch's kernels
};

Way wayFor(const at::Tensor& any, std::int64_t keys)
{
    if (!any.is_cpu())
        return Way::Streamed;
    if (keys <= kLongestMaterialised)
        return Way::Materialised;
    return any.scalar_type() == at::kBFloat16 ? Way::ByHead : Way::Streamed;
}

/// Queries, keys and values of all streams, or their gradients. [B, H, tokens, d] each
struct Heads {
    at::Tensor query, key, value;
    at::Tensor& of(Role role) { return role == Role::Query ? query : role == Role::Key ? key : value; }
};

std::int64_t tokensOf(const ProjectedPart& part) { return part.value ? part.value->data.size(1) : 0; }

/// One attention: what is asked, and how it is answered.
struct Attention {
    std::vector<AttentionStream> streams;
    AttentionForm form;
    std::int64_t batch = 0, queries = 0, keys = 0;
    at::ScalarType dtype = at::kFloat;
    Way way = Way::Streamed;

    Attention(const std::vector<AttentionStream>& given, const AttentionForm& asked)
        : streams(given)
        , form(asked)
    {
        for (const AttentionStream& stream : streams) {
            queries += tokensOf(stream.query);
            keys += tokensOf(stream.key);
        }
        const at::Tensor& any = (streams.front().query.value ? streams.front().query : streams.front().key).value->data;
        batch = any.size(0);
        dtype = any.scalar_type();
        way = wayFor(any, keys);
    }

    double scale() const { return 1 / std::sqrt(static_cast<double>(form.headSize)); }

    /// [B, n, H, d] of a part, or of its gradient.
    at::Tensor headsOf(const at::Tensor& projected, std::int64_t part) const
    {
        return projected.view({batch, projected.size(1), -1, form.heads, form.headSize}).select(2, part);
    }
    at::Tensor headsOf(const at::Tensor& joined) const { return headsOf(joined, 0); }

    std::vector<std::int64_t> apart(std::int64_t tokens) const { return {batch, form.heads, tokens, form.headSize}; }

    /// Whether queries, keys and values may stay where their projection put them.
    bool staysInPlace() const
    {
        const AttentionStream& only = streams.front();
        return way == Way::Streamed && streams.size() == 1 && !only.queryNorm && !only.keyNorm && !form.rotary.cosines.defined();
    }

    /// Calls body(part, role, its first token among those of its role, norm, transform) for all that streams bring.
    template <typename Body>
    void forParts(Body body) const
    {
        std::int64_t firstQuery = 0, firstKey = 0, firstRow = 0;
        for (const AttentionStream& stream : streams) {
            const std::int64_t queriesHere = tokensOf(stream.query), keysHere = tokensOf(stream.key);
            const std::int64_t tokens = std::max(queriesHere, keysHere);
            const RotaryTable rotary = form.rotary.rows(firstRow, tokens);
            const auto transform = [&](const Parameter* norm, double factor) {
                return HeadTransform {norm ? norm->value : at::Tensor(), rotary, factor, form.normEpsilon};
            };
            if (queriesHere > 0)
                body(stream.query, Role::Query, firstQuery, stream.queryNorm,
                    transform(stream.queryNorm, way == Way::Streamed ? 1 : scale()));
            if (keysHere > 0) {
                body(stream.key, Role::Key, firstKey, stream.keyNorm, transform(stream.keyNorm, 1));
                body(stream.value, Role::Value, firstKey, nullptr, HeadTransform {});
            }
            firstQuery += queriesHere;
            firstKey += keysHere;
            firstRow += tokens;
        }
    }
};

Heads split(Tape& tape, const Attention& attention)
{
    Heads heads;
    if (attention.staysInPlace()) {
        attention.forParts([&](const ProjectedPart& part, Role role, std::int64_t, Parameter*, const HeadTransform&) {
            heads.of(role) = attention.headsOf(part.value->data, part.part).transpose(1, 2);
        });
        return heads;
    }
    heads.query = tape.allocate(attention.apart(attention.queries), attention.dtype);
    heads.key = tape.allocate(attention.apart(attention.keys), attention.dtype);
    heads.value = tape.allocate(attention.apart(attention.keys), attention.dtype);
    attention.forParts([&](const ProjectedPart& part, Role role, std::int64_t first, Parameter*, const HeadTransform& form) {
        const at::Tensor to = heads.of(role).narrow(2, first, tokensOf(part));
        splitHeads(attention.headsOf(part.value->data, part.part), to, form);
    });
    return heads;
}

/// From gradients of heads to those of projections and norms.
void splitBackward(Tape& tape, const Attention& attention, Heads& gradients)
{
    attention.forParts([&](const ProjectedPart& part, Role role, std::int64_t first, Parameter* norm, const HeadTransform& form) {
        const at::Tensor gradient = gradients.of(role).narrow(2, first, tokensOf(part));
        at::Tensor dWeight;
        if (norm && norm->isTrained) {
            if (norm->claimGrad())
                norm->grad.zero_();
            dWeight = norm->grad;
        }
        splitHeadsBackward(gradient, attention.headsOf(part.value->data, part.part),
            attention.headsOf(tape.contribute(part.value).grad, part.part), false, form, dWeight, tape.arena());
    });
}

/// Memory for the gradients of all parts, which outlives the scratch of backward.
void reserveGradients(Tape& tape, const Attention& attention)
{
    for (const AttentionStream& stream : attention.streams) {
        for (const ProjectedPart& part : {stream.query, stream.key, stream.value}) {
            if (part.value)
                tape.contribute(part.value);
        }
    }
}

/// @param mixed [B, H, queries, d]
void joinOutputs(Tape& tape, const Attention& attention, const std::vector<Var>& outputs, const at::Tensor& mixed)
{
    std::int64_t first = 0;
    for (const Var out : outputs) {
        const std::int64_t tokens = out->data.size(1);
        joinHeads(mixed.narrow(2, first, tokens), attention.headsOf(out->data), tape.arena());
        first += tokens;
    }
}

/// [B, H, queries, d] in scratch memory.
at::Tensor gradientOf(Tape& tape, const Attention& attention, const std::vector<Var>& outputs)
{
    const at::Tensor gradient = tape.allocate(attention.apart(attention.queries), attention.dtype);
    std::int64_t first = 0;
    for (const Var out : outputs) {
        const std::int64_t tokens = out->data.size(1);
        const at::Tensor own = gradient.narrow(2, first, tokens);
        if (tape.hasGrad(out))
            splitHeads(attention.headsOf(tape.gradOf(out)), own);
        else
            own.zero_();
        first += tokens;
    }
    return gradient;
}

Heads memoryLike(Tape& tape, const Heads& heads)
{
    const auto like = [&](const at::Tensor& x) { return tape.allocate(x.sizes(), x.scalar_type()); };
    return {like(heads.query), like(heads.key), like(heads.value)};
}

/// [B, H, …] as a batch of matrices.
at::Tensor matrices(const at::Tensor& heads) { return heads.view({-1, heads.size(2), heads.size(3)}); }

void materialised(Tape& tape, const Attention& attention, const std::vector<Var>& outputs)
{
    const Heads heads = split(tape, attention);
    const at::Tensor q = matrices(heads.query), k = matrices(heads.key), v = matrices(heads.value);
    at::Tensor weights = tape.allocate({q.size(0), attention.queries, attention.keys}, attention.dtype);
    at::bmm_out(weights, q, k.transpose(1, 2));
    softmax(weights, attention.form.keyBias);
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor mixed = tape.allocate(attention.apart(attention.queries), attention.dtype);
    at::Tensor products = matrices(mixed);
    at::bmm_out(products, weights, v);
    joinOutputs(tape, attention, outputs, mixed);
    tape.arena().release(mark);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        reserveGradients(tape, attention);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = matrices(gradientOf(tape, attention, outputs));
        Heads d = memoryLike(tape, heads);
        at::Tensor dq = matrices(d.query), dk = matrices(d.key), dv = matrices(d.value);
        at::Tensor dWeights = tape.allocate(weights.sizes(), attention.dtype);
        at::bmm_out(dv, weights.transpose(1, 2), gradient);
        at::bmm_out(dWeights, gradient, v.transpose(1, 2));
        softmaxBackward(weights, dWeights);
        at::bmm_out(dq, dWeights, k);
        at::bmm_out(dk, dWeights.transpose(1, 2), q);
        splitBackward(tape, attention, d);
        tape.arena().release(start);
    });
}

HeadMatrices matricesOf(const Heads& heads) { return {matrices(heads.query), matrices(heads.key), matrices(heads.value)}; }

void byHead(Tape& tape, const Attention& attention, const std::vector<Var>& outputs)
{
    const Heads heads = split(tape, attention);
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor mixed = tape.allocate(attention.apart(attention.queries), attention.dtype);
    attendByHead(matricesOf(heads), attention.form.keyBias, matrices(mixed), tape.arena());
    joinOutputs(tape, attention, outputs, mixed);
    tape.arena().release(mark);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        reserveGradients(tape, attention);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = gradientOf(tape, attention, outputs);
        Heads d = memoryLike(tape, heads);
        attendByHeadBackward(matrices(gradient), matricesOf(heads), attention.form.keyBias, matricesOf(d), tape.arena());
        splitBackward(tape, attention, d);
        tape.arena().release(start);
    });
}

void streamed(Tape& tape, const Attention& attention, const std::vector<Var>& outputs)
{
    const Heads heads = split(tape, attention);
    const StreamedAttention result = attendStreamed(
        heads.query, heads.key, heads.value, attention.scale(), tape.isRecording(), attention.form.keyBias);
    joinOutputs(tape, attention, outputs, result.mixed);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        reserveGradients(tape, attention);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = gradientOf(tape, attention, outputs);
        const AttentionGradients d = streamedBackward(
            gradient, heads.query, heads.key, heads.value, result, attention.scale(), attention.form.keyBias);
        Heads gradients {d.q, d.k, d.v};
        splitBackward(tape, attention, gradients);
        tape.arena().release(start);
    });
}

}  // namespace

at::Tensor keyBias(const at::Tensor& mask)
{
    return at::zeros(mask.sizes(), mask.options().dtype(at::kFloat))
        .masked_fill_(mask.logical_not(), -std::numeric_limits<double>::infinity());
}

std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form)
{
    const Attention attention(streams, form);
    std::vector<Var> outputs;
    for (const AttentionStream& stream : streams) {
        if (stream.query.value)
            outputs.push_back(tape.make({attention.batch, tokensOf(stream.query), form.heads * form.headSize}, attention.dtype));
    }
    switch (attention.way) {
    case Way::Materialised: materialised(tape, attention, outputs); break;
    case Way::ByHead: byHead(tape, attention, outputs); break;
    case Way::Streamed: streamed(tape, attention, outputs); break;
    }
    return outputs;
}

Var selfAttention(Tape& tape, Var qkv, std::int64_t heads)
{
    const std::int64_t headSize = qkv->data.size(2) / 3 / heads;
    return attend(tape, {AttentionStream::of(qkv)}, {.heads = heads, .headSize = headSize}).front();
}

}  // namespace engine
