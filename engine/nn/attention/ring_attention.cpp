// Dims: B samples, H heads, d elements of a head, m keys of divided streams on each rank.
#include "engine/nn/attention/ring_attention.h"

#include "engine/nn/attention/stream_heads.h"
#include "engine/nn/attention/streamed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/logaddexp.h>

#include <limits>
#include <utility>

namespace engine {
namespace {

/// Zeroes the samples all of whose keys are masked: kernels disagree on the softmax of an empty row (0 or NaN).
void removeMasked(StreamedAttention& part, const at::Tensor& bias)
{
    if (!bias.defined())
        return;
    const at::Tensor isMasked = bias.isneginf().all(1).view({-1, 1, 1});
    part.mixed.masked_fill_(isMasked.unsqueeze(3), 0);
    part.logSums.masked_fill_(isMasked, -std::numeric_limits<double>::infinity());
}

/// The attention output over the keys added so far, in float32, combined by online softmax.
class RunningAttention {
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
            return (logSums - finite(total)).narrow(2, 0, queries).exp().unsqueeze(3);
        };
        m_mixed.mul_(weight(m_logSums)).add_(part.mixed * weight(part.logSums));
        m_logSums = total;
    }
    const at::Tensor& mixed() const { return m_mixed; }
    at::Tensor logSums() const { return finite(m_logSums); }

private:
    /// Replaces -∞ (no unmasked key) by a finite value, so that exp(-∞ - value) is 0 and not NaN; kernels may multiply it by log₂ e first.
    static at::Tensor finite(const at::Tensor& logSums) { return logSums.clamp_min(std::numeric_limits<float>::lowest() / 2); }

    at::Tensor m_mixed, m_logSums;
};

/// Consecutive keys of one stream, on this rank and in the whole sequence.
struct KeyRange {
    std::int64_t first = 0, count = 0;  ///< among the keys on this rank
    std::int64_t firstOfAll = 0;        ///< of the stream, among the keys of the whole sequence
    bool isDivided = false;
};

std::vector<KeyRange> keyRanges(const StreamHeads& attention)
{
    std::vector<KeyRange> ranges;
    std::int64_t here = 0, all = 0;
    for (const AttentionStream& stream : attention.streams) {
        const std::int64_t count = StreamHeads::tokensOf(stream.key);
        if (count > 0)
            ranges.push_back({here, count, all, stream.isDivided});
        here += count;
        all += stream.isDivided ? attention.part.count * count : count;
    }
    return ranges;
}

/// One rank's forward and backward of an attention over the ring.
class RingPass {
public:
    RingPass(Tape& tape, const StreamHeads& attention, Group& ring)
        : m_tape(tape)
        , m_attention(attention)
        , m_ring(ring)
        , m_ranges(keyRanges(attention))
    {
        for (const KeyRange& range : m_ranges)
            m_dividedKeys += range.isDivided ? range.count : 0;
    }

    StreamedAttention forward(const Heads& heads) const
    {
        RunningAttention running;
        const auto attendTo = [&](const at::Tensor& key, const at::Tensor& value, const at::Tensor& bias) {
            StreamedAttention part = attendStreamed(
                heads.query, key, value, m_attention.scale(), LogSums::Computed, bias, ringKernel(key.device().type()));
            removeMasked(part, bias);
            running.add(part, m_attention.queries);
        };
        forUndivided([&](const KeyRange& range) {
            attendTo(keysOf(heads.key, range), keysOf(heads.value, range), undividedBias(range));
        });
        at::Tensor here = memory(m_attention.dtype), next = memory(m_attention.dtype);
        pack(heads, here);
        for (int step = 0; m_dividedKeys > 0 && step < m_ring.size(); ++step) {
            const bool isLast = step + 1 == m_ring.size();
            Pending shift = isLast ? Pending() : m_ring.startShift(next, here, "keys and values");
            attendTo(here[0], here[1], dividedBias(step));
            m_ring.wait(shift);
            std::swap(here, next);
        }
        return {running.mixed(), running.logSums(), {}, {}};
    }

    /// @param whole the result of forward over all keys @param d overwritten
    void backward(const at::Tensor& gradient, const Heads& heads, const StreamedAttention& whole, const Heads& d) const
    {
        const at::Tensor dq = m_tape.allocate(heads.query.sizes(), at::kFloat);
        dq.zero_();
        const auto attendTo = [&](const at::Tensor& key, const at::Tensor& value, const at::Tensor& bias) {
            AttentionGradients part
                = streamedBackward(gradient, heads.query, key, value, whole, m_attention.scale(), bias, ringKernel(key.device().type()));
            dq.add_(part.q);
            return part;
        };
        forUndivided([&](const KeyRange& range) {
            const AttentionGradients part
                = attendTo(keysOf(heads.key, range), keysOf(heads.value, range), undividedBias(range));
            keysOf(d.key, range).copy_(part.k);
            keysOf(d.value, range).copy_(part.v);
        });
        at::Tensor here = memory(m_attention.dtype), next = memory(m_attention.dtype);
        // The gradients of keys and values are sent along with them; the last shift returns them to their own rank.
        at::Tensor dHere = memory(at::kFloat), dNext = memory(at::kFloat);
        pack(heads, here);
        dHere.zero_();
        for (int step = 0; m_dividedKeys > 0 && step < m_ring.size(); ++step) {
            const bool isLast = step + 1 == m_ring.size();
            Pending shift = isLast ? Pending() : m_ring.startShift(next, here, "keys and values");
            const AttentionGradients part = attendTo(here[0], here[1], dividedBias(step));
            dHere[0].add_(part.k);
            dHere[1].add_(part.v);
            m_ring.wait(shift);
            std::swap(here, next);
            shift = m_ring.startShift(dNext, dHere, "gradients of keys and values");
            m_ring.wait(shift);
            std::swap(dHere, dNext);
        }
        d.query.copy_(dq);
        unpack(dHere, d);
    }

private:
    static at::Tensor keysOf(const at::Tensor& heads, const KeyRange& range) { return heads.narrow(2, range.first, range.count); }

    template <typename Body>
    void forUndivided(Body body) const
    {
        for (const KeyRange& range : m_ranges) {
            if (!range.isDivided)
                body(range);
        }
    }

    /// Calls body(range, its first key among the divided ones).
    template <typename Body>
    void forDivided(Body body) const
    {
        std::int64_t first = 0;
        for (const KeyRange& range : m_ranges) {
            if (range.isDivided)
                body(range, std::exchange(first, first + range.count));
        }
    }

    /// Memory for the divided keys, then values: [2, B, H, m, d].
    at::Tensor memory(at::ScalarType dtype) const
    {
        const AttentionForm& form = m_attention.form;
        return m_tape.allocate({2, m_attention.batch, form.heads, m_dividedKeys, form.headSize}, dtype);
    }

    void pack(const Heads& heads, const at::Tensor& both) const
    {
        forDivided([&](const KeyRange& range, std::int64_t first) {
            both[0].narrow(2, first, range.count).copy_(keysOf(heads.key, range));
            both[1].narrow(2, first, range.count).copy_(keysOf(heads.value, range));
        });
    }
    void unpack(const at::Tensor& both, const Heads& heads) const
    {
        forDivided([&](const KeyRange& range, std::int64_t first) {
            keysOf(heads.key, range).copy_(both[0].narrow(2, first, range.count));
            keysOf(heads.value, range).copy_(both[1].narrow(2, first, range.count));
        });
    }

    at::Tensor undividedBias(const KeyRange& range) const
    {
        const at::Tensor& bias = m_attention.form.keyBias;
        return bias.defined() ? bias.narrow(1, range.firstOfAll, range.count).contiguous() : bias;
    }
    at::Tensor dividedBias(int step) const
    {
        if (!m_attention.form.keyBias.defined())
            return {};
        const std::int64_t rank = (m_ring.rank() - step + m_ring.size()) % m_ring.size();  // owner of the current keys
        std::vector<at::Tensor> parts;
        forDivided([&](const KeyRange& range, std::int64_t) {
            parts.push_back(m_attention.form.keyBias.narrow(1, range.firstOfAll + rank * range.count, range.count));
        });
        return at::cat(parts, 1);
    }

    Tape& m_tape;
    const StreamHeads& m_attention;
    Group& m_ring;
    std::vector<KeyRange> m_ranges;
    std::int64_t m_dividedKeys = 0;
};

}  // namespace

std::vector<Var> attendOverRing(
    Tape& tape, const std::vector<AttentionStream>& streams, const AttentionForm& form, Group& ring)
{
    const StreamHeads attention(streams, form, {ring.rank(), ring.size()});
    const std::vector<Var> outputs = attention.makeOutputs(tape);
    const Heads heads = attention.split(tape, false);
    const Arena::Mark mark = tape.arena().mark();
    StreamedAttention whole = RingPass(tape, attention, ring).forward(heads);
    const at::Tensor mixed = tape.allocate(attention.headsShape(attention.queries), attention.dtype);
    attention.join(tape, mixed.copy_(whole.mixed), outputs);
    tape.arena().release(mark);

    tape.record(Tape::Outputs(outputs.begin(), outputs.end()), [=, &tape, &ring, logSums = whole.logSums] {
        attention.reserveGradients(tape);
        const Arena::Mark start = tape.arena().mark();
        const StreamedAttention result {attention.outputHeads(tape, outputs), logSums, {}, {}};
        const Heads d = Heads::like(tape, heads);
        RingPass(tape, attention, ring).backward(attention.gradientHeads(tape, outputs), heads, result, d);
        attention.splitBackward(tape, d);
        tape.arena().release(start);
    });
    return outputs;
}

}  // namespace engine
