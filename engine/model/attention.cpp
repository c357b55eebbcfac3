#include "engine/model/attention.h"

#include "engine/model/kernels.h"
#include "engine/model/streamed_attention.h"

#include <ATen/ops/bmm.h>

#include <cmath>

namespace engine {
namespace {

struct Shape {
    std::int64_t batch, tokens, heads, size;
    double scale() const { return 1 / std::sqrt(static_cast<double>(size)); }
    std::vector<std::int64_t> joined(std::int64_t parts) const { return {batch, tokens, parts, heads, size}; }
};

Var materialised(Tape& tape, Var qkv, const Shape& shape)
{
    const at::ScalarType dtype = qkv->data.scalar_type();
    const std::int64_t matrices = shape.batch * shape.heads;
    const at::Tensor parts = tape.allocate({3, matrices, shape.tokens, shape.size}, dtype);
    splitHeads(qkv->data.view(shape.joined(3)), parts, shape.scale());
    const at::Tensor q = parts.select(0, 0), k = parts.select(0, 1), v = parts.select(0, 2);
    at::Tensor weights = tape.allocate({matrices, shape.tokens, shape.tokens}, dtype);
    at::bmm_out(weights, q, k.transpose(1, 2));
    softmax(weights);
    const Var out = tape.make({shape.batch, shape.tokens, shape.heads * shape.size}, dtype);
    const Arena::Mark mark = tape.arena().mark();
    at::Tensor mixed = tape.allocate({matrices, shape.tokens, shape.size}, dtype);
    at::bmm_out(mixed, weights, v);
    joinHeads(mixed, out->data.view(shape.joined(1)), 1);
    tape.arena().release(mark);

    tape.record(out, [=, &tape] {
        const at::Tensor dQkv = tape.contribute(qkv).grad;
        const Arena::Mark start = tape.arena().mark();
        const at::Tensor gradient = tape.allocate({matrices, shape.tokens, shape.size}, dtype);
        splitHeads(tape.gradOf(out).view(shape.joined(1)), gradient, 1);
        const at::Tensor dParts = tape.allocate({3, matrices, shape.tokens, shape.size}, dtype);
        at::Tensor dq = dParts.select(0, 0), dk = dParts.select(0, 1), dv = dParts.select(0, 2);
        at::Tensor dWeights = tape.allocate(weights.sizes(), dtype);
        at::bmm_out(dv, weights.transpose(1, 2), gradient);
        at::bmm_out(dWeights, gradient, v.transpose(1, 2));
        softmaxBackward(weights, dWeights);
        at::bmm_out(dq, dWeights, k);
        at::bmm_out(dk, dWeights.transpose(1, 2), q);
        joinHeads(dParts, dQkv.view(shape.joined(3)), shape.scale());
        tape.arena().release(start);
    });
    return out;
}

/// [B, heads, N, d] of one part of a joined tensor, without a copy.
at::Tensor headsOf(const at::Tensor& joined, std::int64_t part) { return joined.select(2, part).transpose(1, 2); }

Var streamed(Tape& tape, Var qkv, const Shape& shape)
{
    const at::Tensor parts = qkv->data.view(shape.joined(3));
    const at::Tensor q = headsOf(parts, 0), k = headsOf(parts, 1), v = headsOf(parts, 2);
    const StreamedAttention result = attendStreamed(q, k, v, shape.scale(), tape.isRecording());
    const Var out = tape.make({shape.batch, shape.tokens, shape.heads * shape.size}, qkv->data.scalar_type());
    headsOf(out->data.view(shape.joined(1)), 0).copy_(result.mixed);

    tape.record(out, [=, &tape] {
        const at::Tensor gradient = headsOf(tape.gradOf(out).view(shape.joined(1)), 0);
        const AttentionGradients d = streamedBackward(gradient, q, k, v, result, shape.scale());
        const at::Tensor dParts = tape.contribute(qkv).grad.view(shape.joined(3));
        headsOf(dParts, 0).copy_(d.q);
        headsOf(dParts, 1).copy_(d.k);
        headsOf(dParts, 2).copy_(d.v);
    });
    return out;
}

}  // namespace

Var selfAttention(Tape& tape, Var qkv, std::int64_t heads)
{
    const Shape shape {qkv->data.size(0), qkv->data.size(1), heads, qkv->data.size(2) / 3 / heads};
    const bool isShort = shape.tokens <= kLongestMaterialised && qkv->data.is_cpu();
    return isShort ? materialised(tape, qkv, shape) : streamed(tape, qkv, shape);
}

}  // namespace engine
