// Attention over a sequence that lies on several ranks is that of one rank, whichever kernel its length takes.
#include <ATen/ATen.h>

#include "engine/model/attention.h"
#include "engine/model/sequence_parallel.h"
#include "tests/engine/comm/forked_ranks.h"

#include <QtTest>

#include <cstdio>

using engine::Exchange;
using engine::Tape;

namespace {

constexpr std::int64_t kBatch = 2, kHeads = 4, kSize = 8;

struct Result {
    at::Tensor out, gradient;
};

/// Attention and the gradient of its input, by a tape of its own.
Result attend(const at::Tensor& qkv, const at::Tensor& gradient, const engine::SequenceGroups& groups)
{
    engine::LoneGroup lone;
    engine::BufferPool pool(lone, c10::Device(c10::DeviceType::CPU));
    engine::UnitSequence units({{"root", {{"unused", {16}, 0, false}}}}, lone, pool, {}, {}, 0);
    Tape tape(units, Tape::Mode::Train);
    const engine::Var input = tape.input(qkv.contiguous());
    input->needsGrad = true;
    const engine::Var out = engine::attention(tape, input, kHeads, groups);
    const at::Tensor mixed = out->data.clone();
    tape.backward(out, gradient.contiguous().clone());
    return {mixed, tape.gradOf(input).clone()};
}

bool areClose(const char* what, const at::Tensor& got, const at::Tensor& wanted)
{
    const double error = ((got - wanted).abs().max() / wanted.abs().max()).item<double>();
    if (error >= 1e-5)
        std::fprintf(stderr, "%s: off by %g\n", what, error);
    return error < 1e-5;
}

}  // namespace

class SequenceAttentionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsThatOfOneRank_data()
    {
        QTest::addColumn<int>("ring");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<int>("tokens");
        for (const int tokens : {32, int(engine::kLongestMaterialised) * 2 + 16}) {
            QTest::addRow("E-023 Ulysses of 2, %d tokens", tokens) << 1 << 2 << tokens;
            QTest::addRow("E-023 Ulysses of 4, %d tokens", tokens) << 1 << 4 << tokens;
            QTest::addRow("E-023 ring of 2, %d tokens", tokens) << 2 << 1 << tokens;
            QTest::addRow("E-023 ring of 2 times Ulysses of 2, %d tokens", tokens) << 2 << 2 << tokens;
        }
    }
    void equalsThatOfOneRank()
    {
        QFETCH(int, ring);
        QFETCH(int, ulysses);
        QFETCH(int, tokens);
        const int world = ring * ulysses;
        const auto body = [&](engine::Mesh& mesh) {
            at::manual_seed(1);
            const at::Tensor qkv = at::randn({kBatch, tokens, 3 * kHeads * kSize}),
                             gradient = at::randn({kBatch, tokens, kHeads * kSize});
            const Result whole = attend(qkv, gradient, {});
            const engine::SequenceGroups groups {&mesh.ring(), &mesh.ulysses()};
            const std::int64_t here = tokens / world;
            const auto own = [&](const at::Tensor& x) { return x.narrow(1, groups.rank() * here, here); };
            const Result part = attend(own(qkv), own(gradient), groups);
            return areClose("attention", part.out, own(whole.out)) & areClose("its gradient", part.gradient, own(whole.gradient));
        };
        QCOMPARE(tests::runRanks({.world = world, .shard = world, .ring = ring, .ulysses = ulysses}, Exchange::Automatic, body),
            std::vector<int>(static_cast<std::size_t>(world), 0));
    }
};

QTEST_APPLESS_MAIN(SequenceAttentionTest)
#include "tst_sequence_attention.moc"
