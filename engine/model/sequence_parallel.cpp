// Dims: B samples, n tokens of this rank, N of the sequence, H heads, d elements of a head, U Ulysses ranks.
#include "engine/model/sequence_parallel.h"

#include "engine/comm/errors.h"
#include "engine/model/streamed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/logaddexp.h>

#include <cmath>
#include <map>

namespace engine {
namespace {

enum class Direction { ToHeads, ToTokens };

/// Between [B, n, parts, H, d] (all heads of some tokens) and [B, U·n, parts, H/U, d] (some heads of more tokens).
void exchange(Tape& tape, Group& ulysses, Direction direction, const at::Tensor& allHeads, const at::Tensor& someHeads)
{
    const std::int64_t ranks = ulysses.size(), batch = allHeads.size(0), tokens = allHeads.size(1),
                       parts = allHeads.size(2), heads = allHeads.size(3) / ranks, size = allHeads.size(4);
    // Slot p holds, to and fro, the tokens and heads that this rank and rank p have in common.
    const at::Tensor byHead = allHeads.view({batch, tokens, parts, ranks, heads, size}).permute({3, 0, 1, 2, 4, 5});
    const at::Tensor byToken = someHeads.view({batch, ranks, tokens, parts, heads, size}).transpose(0, 1);
    const Arena::Mark mark = tape.arena().mark();
    const at::Tensor sent = tape.allocate(byHead.sizes(), allHeads.scalar_type());
    const at::Tensor received = tape.allocate(byHead.sizes(), allHeads.scalar_type());
    sent.copy_(direction == Direction::ToHeads ? byHead : byToken);
    Pending pending = ulysses.startAllToAll(received, sent, "attention heads");
    ulysses.wait(pending);
    (direction == Direction::ToHeads ? byToken : byHead).copy_(received);
    tape.arena().release(mark);
}

/// @param x [B, n, parts · H · d] → [B, U·n, parts · H/U · d], or the way back. @param heads of @p x
Var exchanged(Tape& tape, Group& ulysses, Direction direction, Var x, std::int64_t parts, std::int64_t heads)
{
    const bool toHeads = direction == Direction::ToHeads;
    const std::int64_t ranks = ulysses.size(), batch = x->data.size(0), tokens = x->data.size(1);
    const std::int64_t size = x->data.size(2) / parts / heads;
    const std::int64_t outTokens = toHeads ? tokens * ranks : tokens / ranks;
    const std::int64_t outHeads = toHeads ? heads / ranks : heads * ranks;
    const std::vector<std::int64_t> inShape = {batch, tokens, parts, heads, size};
    const std::vector<std::int64_t> outShape = {batch, outTokens, parts, outHeads, size};
    const auto run = [=, &tape, &ulysses](Direction way, const at::Tensor& in, const at::Tensor& out) {
        exchange(tape, ulysses, way, toHeads ? in : out, toHeads ? out : in);
    };
    const Var out = tape.make({batch, outTokens, parts * outHeads * size}, x->data.scalar_type());
    run(direction, x->data.view(inShape), out->data.view(outShape));
    tape.record(out, [=, &tape] {
        const Direction back = toHeads ? Direction::ToTokens : Direction::ToHeads;
        run(back, tape.contribute(x).grad.view(inShape), tape.gradOf(out).view(outShape));
    });
    return out;
}

/// Of tokens that every rank has, this rank's share of the heads. [B, n, parts · H · d] → [B, n, parts · H/U · d]
Var ownHeads(Tape& tape, Group& ulysses, Var x, std::int64_t parts)
{
    const std::int64_t ranks = ulysses.size(), batch = x->data.size(0), tokens = x->data.size(1);
    const std::int64_t width = x->data.size(2) / parts / ranks;
    const auto own = [=, &ulysses](const at::Tensor& all) {
        return all.view({batch, tokens, parts, ranks, width}).select(3, ulysses.rank());
    };
    const Var out = tape.make({batch, tokens, parts * width}, x->data.scalar_type());
    const std::vector<std::int64_t> outShape = {batch, tokens, parts, width};
    out->data.view(outShape).copy_(own(x->data));
    tape.record(out, [=, &tape] { own(tape.contributeToZeroed(x)).add_(tape.gradOf(out).view(outShape)); });
    return out;
}

/// And all heads again on every rank. [B, n, H/U · d] → [B, n, H · d]
Var allHeads(Tape& tape, Group& ulysses, Var x)
{
    const std::int64_t ranks = ulysses.size(), batch = x->data.size(0), tokens = x->data.size(1), width = x->data.size(2);
    const std::vector<std::int64_t> joined = {batch, tokens, ranks, width}, apart = {ranks, batch, tokens, width};
    const at::ScalarType dtype = x->data.scalar_type();
    const Var out = tape.make({batch, tokens, ranks * width}, dtype);
    {
        const Arena::Mark mark = tape.arena().mark();
        const at::Tensor all = tape.allocate(apart, dtype);
        all.select(0, ulysses.rank()).copy_(x->data);
        Pending pending = ulysses.startAllGather(all.view({-1}), "attention heads");
        ulysses.wait(pending);
        out->data.view(joined).copy_(all.permute({1, 2, 0, 3}));
        tape.arena().release(mark);
    }
    tape.record(out, [=, &tape, &ulysses] {
        const at::Tensor dx = tape.contributeToZeroed(x);
        const Arena::Mark mark = tape.arena().mark();
        const at::Tensor sent = tape.allocate(apart, dtype), received = tape.allocate(apart, dtype);
        sent.copy_(tape.gradOf(out).view(joined).permute({2, 0, 1, 3}));
        Pending pending = ulysses.startAllToAll(received, sent, "gradients of attention heads");
        ulysses.wait(pending);
        for (std::int64_t rank = 0; rank < ranks; ++rank)
            dx.add_(received.select(0, rank));
        tape.arena().release(mark);
    });
    return out;
}

/// The result over keys seen so far, in float32.
class Mixture {
public:
    void add(const StreamedAttention& part, std::int64_t queries)
    {
        if (!m_mixed.defined()) {
            m_mixed = part.mixed.to(at::kFloat);
            m_logSums = part.logSums;
            return;
        }
        const at::Tensor total = at::logaddexp(m_logSums, part.logSums);
        const auto weight = [&](const at::Tensor& logSums) {
            return (logSums - total).narrow(2, 0, queries).exp().unsqueeze(3);
        };
        m_mixed.mul_(weight(m_logSums)).add_(part.mixed * weight(part.logSums));
        m_logSums = total;
    }
    const at::Tensor& mixed() const { return m_mixed; }
    const at::Tensor& logSums() const { return m_logSums; }

private:
    at::Tensor m_mixed, m_logSums;
};

/// [B, H, n, d] of keys or values in [2, B, n, H, d].
at::Tensor headsOfPart(const at::Tensor& keysValues, std::int64_t part)
{
    return keysValues.select(0, part).transpose(1, 2);
}

/// Keys and values travel once round the ring; each rank's queries meet all of them.
Var ringAttention(Tape& tape, Var qkv, std::int64_t heads, Group& ring)
{
    const std::int64_t batch = qkv->data.size(0), tokens = qkv->data.size(1), size = qkv->data.size(2) / 3 / heads;
    const double scale = 1 / std::sqrt(static_cast<double>(size));
    const std::vector<std::int64_t> joined = {batch, tokens, 3, heads, size};
    const std::vector<std::int64_t> two = {2, batch, tokens, heads, size};
    const at::ScalarType dtype = qkv->data.scalar_type();
    const at::Tensor parts = qkv->data.view(joined).permute({2, 0, 1, 3, 4});  // [3, B, n, H, d]
    const at::Tensor q = headsOfPart(parts, 0);

    const Var out = tape.make({batch, tokens, heads * size}, dtype);
    StreamedAttention whole;
    {
        const Arena::Mark mark = tape.arena().mark();
        at::Tensor here = tape.allocate(two, dtype), next = tape.allocate(two, dtype);
        here.copy_(parts.narrow(0, 1, 2));
        Mixture mixture;
        for (int step = 0; step < ring.size(); ++step) {
            const bool isLast = step + 1 == ring.size();
            Pending shift = isLast ? Pending() : ring.startShift(next, here, "keys and values");
            mixture.add(
                attendStreamed(q, headsOfPart(here, 0), headsOfPart(here, 1), scale, tape.isRecording()), tokens);
            ring.wait(shift);
            std::swap(here, next);
        }
        out->data.view({batch, tokens, heads, size}).transpose(1, 2).copy_(mixture.mixed());
        whole.logSums = mixture.logSums();
        tape.arena().release(mark);
    }

    tape.record(out, [=, &tape, &ring]() mutable {
        const at::Tensor gradient = tape.gradOf(out).view({batch, tokens, heads, size}).transpose(1, 2);
        const at::Tensor dParts = tape.contribute(qkv).grad.view(joined).permute({2, 0, 1, 3, 4});
        whole.mixed = out->data.view({batch, tokens, heads, size}).transpose(1, 2);
        const Arena::Mark mark = tape.arena().mark();
        at::Tensor here = tape.allocate(two, dtype), next = tape.allocate(two, dtype);
        // The gradients of keys and values travel with them, and come home with the last shift.
        at::Tensor dHere = tape.allocate(two, at::kFloat), dNext = tape.allocate(two, at::kFloat);
        const at::Tensor dq = tape.allocate({batch, heads, tokens, size}, at::kFloat);
        here.copy_(parts.narrow(0, 1, 2));
        dHere.zero_();
        dq.zero_();
        for (int step = 0; step < ring.size(); ++step) {
            const bool isLast = step + 1 == ring.size();
            Pending shift = isLast ? Pending() : ring.startShift(next, here, "keys and values");
            const AttentionGradients d
                = streamedBackward(gradient, q, headsOfPart(here, 0), headsOfPart(here, 1), whole, scale);
            dq.add_(d.q);
            headsOfPart(dHere, 0).add_(d.k);
            headsOfPart(dHere, 1).add_(d.v);
            ring.wait(shift);
            std::swap(here, next);
            shift = ring.startShift(dNext, dHere, "gradients of keys and values");
            ring.wait(shift);
            std::swap(dHere, dNext);
        }
        headsOfPart(dParts, 0).copy_(dq);
        dParts.narrow(0, 1, 2).copy_(dHere);
        tape.arena().release(mark);
    });
    return out;
}

/// @param x [B, n, D] → [B, ranks · n, D], tokens in the order of ranks
at::Tensor gathered(Tape& tape, Group& group, const at::Tensor& x)
{
    const std::int64_t ranks = group.size();
    const at::Tensor all = tape.allocate({ranks, x.size(0), x.size(1), x.size(2)}, x.scalar_type());
    all.select(0, group.rank()).copy_(x);
    Pending pending = group.startAllGather(all.view({-1}), "tokens");
    group.wait(pending);
    return all.transpose(0, 1).reshape({x.size(0), ranks * x.size(1), x.size(2)});
}

}  // namespace

Var attention(Tape& tape, Var qkv, std::int64_t heads, const SequenceGroups& groups)
{
    const auto within = [&](Var x, std::int64_t here) {
        return groups.ringSize() > 1 ? ringAttention(tape, x, here, *groups.ring) : selfAttention(tape, x, here);
    };
    const std::int64_t ranks = groups.ulyssesSize();
    if (ranks == 1)
        return within(qkv, heads);
    const Var mine = exchanged(tape, *groups.ulysses, Direction::ToHeads, qkv, 3, heads);
    return exchanged(tape, *groups.ulysses, Direction::ToTokens, within(mine, heads / ranks), 1, heads / ranks);
}

std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form,
    const SequenceGroups& groups)
{
    if (groups.size() == 1)
        return attend(tape, streams, form);
    if (groups.ringSize() > 1)
        throw EngineError(EngineError::Kind::WrongUsage,
            "attention among pictures and text cannot be divided over a ring: set engine.ring to 1, and engine.ulysses instead");
    Group& ulysses = *groups.ulysses;
    AttentionForm here = form;
    here.heads = form.heads / ulysses.size();
    std::map<Var, Var> moved;
    std::vector<AttentionStream> own = streams;
    for (AttentionStream& stream : own) {
        for (ProjectedPart* part : {&stream.query, &stream.key, &stream.value}) {
            if (!part->value)
                continue;
            Var& there = moved[part->value];
            const std::int64_t parts = part->value->data.size(2) / (form.heads * form.headSize);
            if (!there)
                there = stream.isDivided ? exchanged(tape, ulysses, Direction::ToHeads, part->value, parts, form.heads)
                                         : ownHeads(tape, ulysses, part->value, parts);
            part->value = there;
        }
    }
    std::vector<Var> outputs = attend(tape, own, here);
    std::size_t index = 0;
    for (const AttentionStream& stream : own) {
        if (!stream.query.value)
            continue;
        Var& out = outputs[index++];
        out = stream.isDivided ? exchanged(tape, ulysses, Direction::ToTokens, out, 1, here.heads) : allHeads(tape, ulysses, out);
    }
    return outputs;
}

Var gatherTokens(Tape& tape, Var x, const SequenceGroups& groups)
{
    if (groups.size() == 1)
        return x;
    const std::int64_t count = x->data.size(1), first = count * groups.rank();
    const Var out = tape.make({x->data.size(0), count * groups.size(), x->data.size(2)}, x->data.scalar_type());
    const Arena::Mark mark = tape.arena().mark();
    at::Tensor all = x->data;
    for (Group* group : {groups.ulysses, groups.ring}) {
        if (group && group->size() > 1)
            all = gathered(tape, *group, all);
    }
    out->data.copy_(all);
    tape.arena().release(mark);
    tape.record(out, [=, &tape] {
        const auto [dx, isFirst] = tape.contribute(x);
        const at::Tensor mine = tape.gradOf(out).narrow(1, first, count);
        if (isFirst)
            dx.copy_(mine);
        else
            dx.add_(mine);
    });
    return out;
}

}  // namespace engine
