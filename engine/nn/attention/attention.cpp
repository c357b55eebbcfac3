// Dims: B samples, H heads, d elements of a head.
#include "engine/nn/attention/attention.h"

#include "engine/kernels/layer_kernels.h"
#include "engine/kernels/matrix_product.h"
#include "engine/nn/attention/cached_attention.h"
#include "engine/nn/attention/stream_heads.h"
#include "engine/nn/attention/streamed_attention.h"

#include <ATen/ops/zeros.h>

#include <limits>

namespace engine {
namespace {

/// [B, H, …] as a batch of matrices.
at::Tensor matrices(const at::Tensor& heads) { return heads.view({-1, heads.size(2), heads.size(3)}); }

HeadMatrices matricesOf(const Heads& heads) { return {matrices(heads.query), matrices(heads.key), matrices(heads.value)}; }

/// AttentionKernel::Math: the attention weights of all heads at once, kept for backward.
void materialised(Tape& tape, const StreamHeads& attention, const std::vector<Var>& outputs)
{
    // Where heads need no transformation, the products read and write the projections themselves.
    const bool usesViews = attention.canBeViews() && multipliesStrided(outputs.front()->data);
    const Heads heads = attention.split(tape, usesViews);
    const at::Tensor weights = tape.allocate({attention.batch, attention.form.heads, attention.queries, attention.keys}, attention.dtype);
    multiplyEach(weights, heads.query, heads.key.mT());
    softmax(weights, attention.form.keyBias, attention.scale());
    const Arena::Mark mark = tape.arena().mark();
    if (usesViews) {
        multiplyEach(attention.headsOf(outputs.front()->data), weights, heads.value);
    } else {
        const at::Tensor mixed = tape.allocate(attention.headsShape(attention.queries), attention.dtype);
        multiplyEach(mixed, weights, heads.value);
        attention.join(tape, mixed, outputs);
    }
    tape.arena().release(mark);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        attention.reserveGradients(tape);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient
            = usesViews ? attention.headsOf(tape.gradOf(outputs.front())) : attention.gradientHeads(tape, outputs);
        const Heads d = usesViews ? attention.gradientViews(tape) : Heads::like(tape, heads);
        const at::Tensor dWeights = tape.allocate(weights.sizes(), attention.dtype);
        multiplyEach(d.value, weights.mT(), gradient);
        multiplyEach(dWeights, gradient, heads.value.mT());
        softmaxBackward(weights, dWeights, attention.scale());
        multiplyEach(d.query, dWeights, heads.key);
        multiplyEach(d.key, dWeights.mT(), heads.query);
        if (!usesViews)
            attention.splitBackward(tape, d);
        tape.arena().release(start);
    });
}

/// AttentionKernel::ByHead: one head's attention weights at a time, recomputed in backward.
void byHead(Tape& tape, const StreamHeads& attention, const std::vector<Var>& outputs)
{
    const bool splitsAgain = tape.recomputesLayers();
    const Arena::Mark beforeHeads = tape.arena().mark();
    const Heads heads = attention.split(tape, false);
    const Arena::Mark afterHeads = tape.arena().mark();
    const at::Tensor mixed = tape.allocate(attention.headsShape(attention.queries), attention.dtype);
    attendByHead(matricesOf(heads), attention.form.keyBias, matrices(mixed), tape.arena());
    attention.join(tape, mixed, outputs);
    tape.arena().release(splitsAgain ? beforeHeads : afterHeads);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        attention.reserveGradients(tape);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = attention.gradientHeads(tape, outputs);
        const Heads given = splitsAgain ? attention.split(tape, false) : heads;
        const Heads d = Heads::like(tape, given);
        attendByHeadBackward(matrices(gradient), matricesOf(given), attention.form.keyBias, matricesOf(d), tape.arena());
        attention.splitBackward(tape, d);
        tape.arena().release(start);
    });
}

/// AttentionKernel::Flash, Efficient and Cudnn: LibTorch's kernels.
void streamed(Tape& tape, const StreamHeads& attention, AttentionKernel kernel, const std::vector<Var>& outputs)
{
    const bool splitsAgain = tape.recomputesLayers();
    const Arena::Mark mark = tape.arena().mark();
    const Heads heads = attention.split(tape, true);
    const LogSums logSums = tape.isRecording() ? LogSums::Computed : LogSums::None;
    const StreamedAttention result = attendStreamed(
        heads.query, heads.key, heads.value, attention.scale(), logSums, attention.form.keyBias, kernel);
    attention.join(tape, result.mixed, outputs);
    if (splitsAgain)
        tape.arena().release(mark);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape] {
        attention.reserveGradients(tape);
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = attention.gradientHeads(tape, outputs);
        const Heads given = splitsAgain ? attention.split(tape, true) : heads;
        const AttentionGradients d = streamedBackward(
            gradient, given.query, given.key, given.value, result, attention.scale(), attention.form.keyBias, kernel);
        attention.splitBackward(tape, {d.q, d.k, d.v});
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
    StreamHeads attention(streams, form);
    const AttentionKernel kernel = attention.kernel(tape.isRecording());
    attention.scalesQueries = kernel == AttentionKernel::ByHead;
    const std::vector<Var> outputs = attention.makeOutputs(tape);
    switch (kernel) {
    case AttentionKernel::Math: materialised(tape, attention, outputs); break;
    case AttentionKernel::ByHead: byHead(tape, attention, outputs); break;
    default: streamed(tape, attention, kernel, outputs); break;
    }
    return outputs;
}

Var selfAttention(Tape& tape, Var qkv, std::int64_t heads)
{
    const std::int64_t headSize = qkv->data.size(2) / 3 / heads;
    return attend(tape, {AttentionStream::of(qkv)}, {.heads = heads, .headSize = headSize}).front();
}

}  // namespace engine
