// Dims: B samples, n tokens of this rank, N of the sequence, H heads, d elements of a head, U Ulysses ranks.
#include "engine/nn/attention/sequence_parallel.h"

#include "engine/nn/attention/ring_attention.h"

#include <map>

namespace engine {
namespace {

enum class Direction { ToHeads, ToTokens };

/// Converts between [B, n, parts, H, d] (all heads of some tokens) and [B, U·n, parts, H/U, d] (some heads of more tokens).
void exchange(Tape& tape, Group& ulysses, Direction direction, const at::Tensor& allHeads, const at::Tensor& someHeads)
{
    const std::int64_t ranks = ulysses.size(), batch = allHeads.size(0), tokens = allHeads.size(1),
                       parts = allHeads.size(2), heads = allHeads.size(3) / ranks, size = allHeads.size(4);
    // In both directions, slot p holds the tokens and heads that this rank exchanges with rank p.
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

/// @param x [B, n, parts · H · d] → [B, U·n, parts · H/U · d], or the reverse. @param heads of @p x
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

/// The reverse of ownHeads(): all heads on every rank. [B, n, H/U · d] → [B, n, H · d]
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

/// @param x [B, n, D] → [B, ranks · n, D], tokens in rank order
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
    AttentionStream stream = AttentionStream::of(qkv);
    stream.isDivided = true;
    return attend(tape, {stream}, {.heads = heads, .headSize = qkv->data.size(2) / 3 / heads}, groups).front();
}

std::vector<Var> attend(Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form,
    const SequenceGroups& groups)
{
    AttentionForm here = form;
    here.kernel = groups.kernel;
    const auto within = [&](const std::vector<AttentionStream>& own) {
        return groups.ringSize() > 1 ? attendOverRing(tape, own, here, *groups.ring) : attend(tape, own, here);
    };
    if (groups.ulyssesSize() == 1)
        return within(streams);
    Group& ulysses = *groups.ulysses;
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
    std::vector<Var> outputs = within(own);
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
