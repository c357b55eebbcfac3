// Dims: B samples, H heads, d elements of a head, m keys of divided streams on each rank.
#include "engine/model/ring_attention.h"

#include "engine/model/stream_heads.h"
#include "engine/model/streamed_attention.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/logaddexp.h>

#include <limits>
#include <utility>

namespace engine {
namespace {

/// A part without keys, for samples all of whose keys @p bias takes out: kernels say several things of a softmax of nothing.
void removeMasked(StreamedAttention& part, const at::Tensor& bias)
{
    if (!bias.defined())
        return;
    const at::Tensor isMasked = bias.isneginf().all(1).view({-1, 1, 1});
    part.mixed.masked_fill_(isMasked.unsqueeze(3), 0);
    part.logSums.masked_fill_(isMasked, -std::numeric_limits<double>::infinity());
}

/// The result over keys seen so far, in float32; zero before the first.
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
            return (logSums - ofSomeKey(total)).narrow(2, 0, queries).exp().unsqueeze(3);
        };
        m_mixed.mul_(weight(m_logSums)).add_(part.mixed * weight(part.logSums));
        m_logSums = total;
    }
    const at::Tensor& mixed() const { return m_mixed; }
    at::Tensor logSums() const { return ofSomeKey(m_logSums); }

private:
    /// Finite, so that exp(-∞ - it) is 0 where there was no key.
    static at::Tensor ofSomeKey(const at::Tensor& logSums) { return logSums.clamp_min(std::numeric_limits<float>::lowest()); }

    at::Tensor m_mixed, m_logSums;
};

/// Keys that lie together, here and in the whole sequence.
struct KeyRange {
    std::int64_t first = 0, count = 0;  ///< among the keys that are here
    std::int64_t firstOfAll = 0;        ///< of the first rank's, among all keys
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

/// What one rank does for an attention over the ring.
class RingPass {
public:
    RingPass(Tape& tape, const StreamHeads& attention, Group& ring)
        : m_tape(tape)
        , m_attention(attention)
        , m_ring(ring)
        , m_ranges(keyRanges(attention))
    {
        for (const KeyRange& range : m_ranges)
            m_travelling += range.isDivided ? range.count : 0;
    }

    StreamedAttention forward(const Heads& heads) const
    {
        Mixture mixture;
        const auto meet = [&](const at::Tensor& key, const at::Tensor& value, const at::Tensor& bias) {
            StreamedAttention part = attendStreamed(
                heads.query, key, value, m_attention.scale(), m_tape.isRecording(), bias, ringKernel(key.device().type()));
            removeMasked(part, bias);
            mixture.add(part, m_attention.queries);
        };
        forStaying([&](const KeyRange& range) { meet(keysOf(heads.key, range), keysOf(heads.value, range), biasOfStaying(range)); });
        at::Tensor here = memory(m_attention.dtype), next = memory(m_attention.dtype);
        pack(heads, here);
        for (int step = 0; m_travelling > 0 && step < m_ring.size(); ++step) {
            const bool isLast = step + 1 == m_ring.size();
            Pending shift = isLast ? Pending() : m_ring.startShift(next, here, "keys and values");
            meet(here[0], here[1], biasOfTravelling(step));
            m_ring.wait(shift);
            std::swap(here, next);
        }
        return {mixture.mixed(), mixture.logSums(), {}, {}};
    }

    /// @param whole with the result for all keys @param d is written
    void backward(const at::Tensor& gradient, const Heads& heads, const StreamedAttention& whole, const Heads& d) const
    {
        const at::Tensor dq = m_tape.allocate(heads.query.sizes(), at::kFloat);
        dq.zero_();
        const auto meet = [&](const at::Tensor& key, const at::Tensor& value, const at::Tensor& bias) {
            AttentionGradients part
                = streamedBackward(gradient, heads.query, key, value, whole, m_attention.scale(), bias, ringKernel(key.device().type()));
            dq.add_(part.q);
            return part;
        };
        forStaying([&](const KeyRange& range) {
            const AttentionGradients part = meet(keysOf(heads.key, range), keysOf(heads.value, range), biasOfStaying(range));
            keysOf(d.key, range).copy_(part.k);
            keysOf(d.value, range).copy_(part.v);
        });
        at::Tensor here = memory(m_attention.dtype), next = memory(m_attention.dtype);
        // The gradients of keys and values travel with them, and come home with the last shift.
        at::Tensor dHere = memory(at::kFloat), dNext = memory(at::kFloat);
        pack(heads, here);
        dHere.zero_();
        for (int step = 0; m_travelling > 0 && step < m_ring.size(); ++step) {
            const bool isLast = step + 1 == m_ring.size();
            Pending shift = isLast ? Pending() : m_ring.startShift(next, here, "keys and values");
            const AttentionGradients part = meet(here[0], here[1], biasOfTravelling(step));
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
    void forStaying(Body body) const
    {
        for (const KeyRange& range : m_ranges) {
            if (!range.isDivided)
                body(range);
        }
    }

    /// Calls body(range, its first key among those that travel).
    template <typename Body>
    void forTravelling(Body body) const
    {
        std::int64_t first = 0;
        for (const KeyRange& range : m_ranges) {
            if (range.isDivided)
                body(range, std::exchange(first, first + range.count));
        }
    }

    /// Keys, then values. [2, B, H, m, d]
    at::Tensor memory(at::ScalarType dtype) const
    {
        const AttentionForm& form = m_attention.form;
        return m_tape.allocate({2, m_attention.batch, form.heads, m_travelling, form.headSize}, dtype);
    }

    void pack(const Heads& heads, const at::Tensor& both) const
    {
        forTravelling([&](const KeyRange& range, std::int64_t first) {
            both[0].narrow(2, first, range.count).copy_(keysOf(heads.key, range));
            both[1].narrow(2, first, range.count).copy_(keysOf(heads.value, range));
        });
    }
    void unpack(const at::Tensor& both, const Heads& heads) const
    {
        forTravelling([&](const KeyRange& range, std::int64_t first) {
            keysOf(heads.key, range).copy_(both[0].narrow(2, first, range.count));
            keysOf(heads.value, range).copy_(both[1].narrow(2, first, range.count));
        });
    }

    at::Tensor biasOfStaying(const KeyRange& range) const
    {
        const at::Tensor& bias = m_attention.form.keyBias;
        return bias.defined() ? bias.narrow(1, range.firstOfAll, range.count).contiguous() : bias;
    }
    at::Tensor biasOfTravelling(int step) const
    {
        if (!m_attention.form.keyBias.defined())
            return {};
        const std::int64_t rank = (m_ring.rank() - step + m_ring.size()) % m_ring.size();  // whose keys are here now
        std::vector<at::Tensor> parts;
        forTravelling([&](const KeyRange& range, std::int64_t) {
            parts.push_back(m_attention.form.keyBias.narrow(1, range.firstOfAll + rank * range.count, range.count));
        });
        return at::cat(parts, 1);
    }

    Tape& m_tape;
    const StreamHeads& m_attention;
    Group& m_ring;
    std::vector<KeyRange> m_ranges;
    std::int64_t m_travelling = 0;
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
    const at::Tensor mixed = tape.allocate(attention.apart(attention.queries), attention.dtype);
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
