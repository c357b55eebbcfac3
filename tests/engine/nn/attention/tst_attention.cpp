// Attention of any length and over any streams, and its gradients, agree with the textbook formula.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include "engine/nn/attention/attention.h"
#include "engine/nn/attention/cached_attention.h"
#include "engine/nn/attention/measured_attention.h"
#include "engine/nn/layers.h"
#include "tests/engine/nn/layer_check.h"
#include "tests/engine/test_device.h"

#include <QtTest>

using engine::AttentionForm;
using engine::AttentionKernel;
using engine::AttentionShape;
using engine::AttentionStream;
using engine::Tape;
using engine::Unit;
using engine::Var;
using tests::LayerCase;
using tests::Tensors;

namespace {

constexpr std::int64_t kBatch = 2, kHeads = 3, kSize = 16, kWidth = kHeads * kSize;

/// [B, n, H · d] → [B, H, n, d]
at::Tensor headsOf(const at::Tensor& x) { return x.view({kBatch, x.size(1), kHeads, kSize}).transpose(1, 2); }

at::Tensor rmsNormed(const at::Tensor& heads, const at::Tensor& weight)
{
    return heads * (heads.square().mean(-1, true) + 1e-6).rsqrt() * weight;
}

/// Rotates pairs as diffusers does: (x0 cos - x1 sin, x1 cos + x0 sin).
at::Tensor rotated(const at::Tensor& heads, const at::Tensor& angles)
{
    const at::Tensor pairs = heads.unflatten(-1, {kSize / 2, 2}), even = pairs.select(-1, 0), odd = pairs.select(-1, 1);
    return at::stack({even * angles.cos() - odd * angles.sin(), odd * angles.cos() + even * angles.sin()}, -1).flatten(-2);
}

at::Tensor mixed(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, const at::Tensor& mask = {})
{
    at::Tensor scores = at::matmul(q, k.transpose(2, 3)) / std::sqrt(static_cast<double>(kSize));
    if (mask.defined())
        scores = scores.masked_fill(mask.logical_not().view({kBatch, 1, 1, -1}), -INFINITY);
    return at::matmul(at::softmax(scores, -1), v).transpose(1, 2).reshape({kBatch, q.size(2), kWidth});
}

/// The first sample's second token and the last sample's first three are padding.
at::Tensor paddingOf(std::int64_t keys)
{
    at::Tensor mask = at::ones({kBatch, keys}, at::TensorOptions(tests::device()).dtype(at::kBool));
    mask[0][1] = false;
    mask[kBatch - 1].narrow(0, 0, 3).fill_(false);
    return mask;
}

at::Tensor anglesOf(std::int64_t tokens)
{
    return tests::onDevice(at::arange(tokens, at::kDouble).unsqueeze(1) * at::arange(1, kSize / 2 + 1, at::kDouble) * 0.3);
}

LayerCase oneStream(std::int64_t tokens, AttentionKernel kernel = AttentionKernel::Automatic)
{
    return {{}, {{kBatch, tokens, 3 * kWidth}},
        // silu() in between, since only the attention may read its input.
        [=](Tape& tape, Unit&, const std::vector<Var>& in) -> std::vector<Var> {
            const AttentionForm form {.heads = kHeads, .headSize = kSize, .kernel = kernel};
            return engine::attend(tape, {AttentionStream::of(engine::silu(tape, in[0]))}, form);
        },
        [](const Tensors&, const Tensors& in) -> Tensors {
            const auto parts = at::silu(in[0]).chunk(3, 2);
            return {mixed(headsOf(parts[0]), headsOf(parts[1]), headsOf(parts[2]))};
        }};
}

struct Joint {
    std::int64_t first = 6, second = 4;
    bool hasNorms = false, rotates = false, hasPadding = false;
    bool hasSecondQueries = true;
    bool ignoresFirstOutput = false;  ///< the loss does not depend on it
    AttentionKernel kernel = AttentionKernel::Automatic;
};

LayerCase twoStreams(const Joint& joint)
{
    const std::int64_t tokens = joint.first + joint.second;
    const auto vector = [](const char* name) { return engine::ParameterSpec {name, {kSize}, 0.5, true}; };
    LayerCase result;
    result.parameters = {vector("norm_q"), vector("norm_k"), vector("norm_added_q"), vector("norm_added_k")};
    const std::int64_t parts = joint.hasSecondQueries ? 3 : 2;
    result.inputs = {{kBatch, joint.first, 3 * kWidth}, {kBatch, joint.second, parts * kWidth}};
    result.layers = [=](Tape& tape, Unit& unit, const std::vector<Var>& in) {
        const auto weight = [&](std::size_t i) { return joint.hasNorms ? &unit.parameter(i) : nullptr; };
        const Var own = engine::silu(tape, in[0]), other = engine::silu(tape, in[1]);
        AttentionForm form {.heads = kHeads, .headSize = kSize, .kernel = joint.kernel};
        if (joint.rotates)
            form.rotary = engine::rotaryTable(anglesOf(tokens).cos(), anglesOf(tokens).sin());
        if (joint.hasPadding)
            form.keyBias = engine::keyBias(paddingOf(tokens));
        AttentionStream second = AttentionStream::of(other, weight(2), weight(3));
        if (!joint.hasSecondQueries)
            second = {{}, {other, 0}, {other, 1}, nullptr, weight(3), false};
        auto outputs = engine::attend(tape, {AttentionStream::of(own, weight(0), weight(1)), second}, form);
        if (joint.ignoresFirstOutput)
            outputs.erase(outputs.begin());
        return outputs;
    };
    result.textbook = [=](const Tensors& weights, const Tensors& in) -> Tensors {
        Tensors q, k, v;
        for (std::size_t i = 0; i < 2; ++i) {
            const auto given = at::silu(in[i]).chunk(i == 0 ? 3 : parts, 2);
            const std::size_t offset = given.size() == 3 ? 1 : 0;
            const auto prepared = [&](const at::Tensor& part, std::size_t weight) {
                const at::Tensor heads = joint.hasNorms ? rmsNormed(headsOf(part), weights[weight]) : headsOf(part);
                const at::Tensor angles = anglesOf(tokens).narrow(0, i == 0 ? 0 : joint.first, part.size(1));
                return joint.rotates ? rotated(heads, angles) : heads;
            };
            if (offset == 1)
                q.push_back(prepared(given[0], 2 * i));
            k.push_back(prepared(given[offset], 2 * i + 1));
            v.push_back(headsOf(given[offset + 1]));
        }
        const at::Tensor all = mixed(at::cat(q, 2), at::cat(k, 2), at::cat(v, 2), joint.hasPadding ? paddingOf(tokens) : at::Tensor());
        Tensors out;
        if (!joint.ignoresFirstOutput)
            out.push_back(all.narrow(1, 0, joint.first));
        if (joint.hasSecondQueries)
            out.push_back(all.narrow(1, joint.first, joint.second));
        return out;
    };
    return result;
}

/// Cross-attention: queries of one input, keys and values of two others.
LayerCase across(std::int64_t queries, std::int64_t keys)
{
    return {{}, {{kBatch, queries, kWidth}, {kBatch, keys, kWidth}, {kBatch, keys, kWidth}},
        [](Tape& tape, Unit&, const std::vector<Var>& in) -> std::vector<Var> {
            const AttentionStream queryStream {{engine::silu(tape, in[0]), 0}, {}, {}, nullptr, nullptr, false};
            const AttentionStream keyStream {
                {}, {engine::silu(tape, in[1]), 0}, {engine::silu(tape, in[2]), 0}, nullptr, nullptr, false};
            return engine::attend(tape, {queryStream, keyStream}, {.heads = kHeads, .headSize = kSize});
        },
        [](const Tensors&, const Tensors& in) -> Tensors {
            return {mixed(headsOf(at::silu(in[0])), headsOf(at::silu(in[1])), headsOf(at::silu(in[2])))};
        }};
}

tests::LayerCases allCases()
{
    constexpr std::int64_t kLong = engine::kLongestMaterialised;
    tests::LayerCases all = {
        {QStringLiteral("E-008 1 token"), oneStream(1)},
        {QStringLiteral("E-008 16 tokens"), oneStream(16)},
        {QStringLiteral("E-008 65 tokens"), oneStream(65)},
        {QStringLiteral("E-008 longest with weights"), oneStream(kLong)},
        {QStringLiteral("E-008 shortest streamed"), oneStream(kLong + 1)},
        {QStringLiteral("M-011 two streams"), twoStreams({})},
        {QStringLiteral("M-011 two streams, normed"), twoStreams({.hasNorms = true})},
        {QStringLiteral("M-012 two streams, turned"), twoStreams({.rotates = true})},
        {QStringLiteral("M-012 two streams, normed and turned, padding"),
            twoStreams({.hasNorms = true, .rotates = true, .hasPadding = true})},
        {QStringLiteral("two streams, the second only looked at, normed"),
            twoStreams({.hasNorms = true, .hasSecondQueries = false})},
        {QStringLiteral("M-011 two long streams, normed and turned, padding"),
            twoStreams({.first = kLong, .second = 9, .hasNorms = true, .rotates = true, .hasPadding = true})},
        {QStringLiteral("two long streams, the second only looked at"),
            twoStreams({.first = 9, .second = kLong, .hasSecondQueries = false})},
        {QStringLiteral("two streams, only the second's result is looked at"), twoStreams({.ignoresFirstOutput = true})},
        {QStringLiteral("from one stream to another"), across(7, 5)},
        {QStringLiteral("from one stream to a long other"), across(7, kLong + 3)},
    };
    std::vector<AttentionKernel> kernels = {AttentionKernel::Math, AttentionKernel::ByHead, AttentionKernel::Flash};
    if (tests::accelerator())
        kernels = {AttentionKernel::Math, AttentionKernel::Flash, AttentionKernel::Efficient, AttentionKernel::Cudnn};
    for (const AttentionKernel kernel : kernels) {
        const QString name = QStringLiteral(" by ") + QString::fromLatin1(engine::nameOf(kernel));
        all.emplace(QStringLiteral("65 tokens") + name, oneStream(65, kernel));
        all.emplace(QStringLiteral("a long stream") + name, oneStream(kLong + 1, kernel));
        all.emplace(QStringLiteral("two streams, normed and turned, padding") + name,
            twoStreams({.hasNorms = true, .rotates = true, .hasPadding = true, .kernel = kernel}));
    }
    return all;
}

const tests::LayerCases& cases()
{
    static const tests::LayerCases all = allCases();
    return all;
}

}  // namespace

class AttentionTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void equalsTheTextbook_data() { tests::addLayerRows(cases()); }
    void equalsTheTextbook() { tests::checkLayerRow(cases()); }

    void whatCannotBeDoneFallsBack_data()
    {
        using enum AttentionKernel;
        QTest::addColumn<AttentionKernel>("asked");
        QTest::addColumn<AttentionShape>("shape");
        QTest::addColumn<AttentionKernel>("chosen");
        const AttentionShape onCpu {.dtype = at::kBFloat16, .headSize = 64, .keys = 2000};
        const auto onGpu = [](at::ScalarType dtype, std::int64_t headSize, bool hasBias) {
            return AttentionShape {c10::DeviceType::CUDA, dtype, headSize, 2000, hasBias};
        };
        QTest::newRow("CPU, math") << Math << onCpu << Math;
        QTest::newRow("CPU, flash") << Flash << onCpu << Flash;
        QTest::newRow("CPU, efficient") << Efficient << onCpu << ByHead;
        QTest::newRow("CPU, cudnn") << Cudnn << onCpu << ByHead;
        QTest::newRow("CPU, auto") << Automatic << onCpu << ByHead;
        QTest::newRow("GPU, math") << Math << onGpu(at::kBFloat16, 64, true) << Math;
        QTest::newRow("GPU, by head") << ByHead << onGpu(at::kBFloat16, 64, false) << Efficient;
        QTest::newRow("GPU, flash") << Flash << onGpu(at::kBFloat16, 64, false) << Flash;
        QTest::newRow("GPU, flash, float32") << Flash << onGpu(at::kFloat, 64, false) << Efficient;
        QTest::newRow("GPU, flash with a mask") << Flash << onGpu(at::kHalf, 64, true) << Efficient;
        QTest::newRow("GPU, flash, odd heads") << Flash << onGpu(at::kHalf, 60, false) << Efficient;
        QTest::newRow("GPU, cudnn") << Cudnn << onGpu(at::kHalf, 128, false) << Cudnn;
        QTest::newRow("GPU, cudnn, wide heads") << Cudnn << onGpu(at::kHalf, 136, false) << Efficient;
    }
    void whatCannotBeDoneFallsBack()
    {
        QFETCH(AttentionKernel, asked);
        QFETCH(AttentionShape, shape);
        QFETCH(AttentionKernel, chosen);
        QCOMPARE(engine::chosenKernel(asked, shape), chosen);
        const bool isAsIs = asked == chosen || asked == AttentionKernel::Automatic;
        QCOMPARE(engine::obstacleTo(asked, shape).empty(), isAsIs);
    }

    void kernelsAreMeasuredOnce()
    {
        engine::takeMeasuredAttention();
        const engine::AttentionSizes sizes {at::kFloat, 2, 3, 40, 50, 16, true};
        const AttentionKernel chosen = engine::fastestKernel(sizes, tests::device());
        const auto sentences = engine::takeMeasuredAttention();
        QCOMPARE(sentences.size(), std::size_t(1));
        const QString said = QString::fromStdString(sentences.front());
        QVERIFY2(said.startsWith("attention of 2 x 3 heads of 16 elements, 40 x 50 tokens, with backward, "), qPrintable(said));
        QVERIFY2(said.endsWith(QStringLiteral(" ms: uses ") + QString::fromLatin1(engine::nameOf(chosen))), qPrintable(said));
        QVERIFY(engine::obstacleTo(chosen, {tests::device().type(), at::kFloat, 16, 50, false}).empty());
        QCOMPARE(engine::fastestKernel(sizes, tests::device()), chosen);
        QVERIFY(engine::takeMeasuredAttention().empty());
        // Which one is faster may change from run to run.
        at::globalContext().setDeterministicAlgorithms(true, true);
        QCOMPARE(engine::fastestKernel(sizes, tests::device()), AttentionKernel::Efficient);
        at::globalContext().setDeterministicAlgorithms(false, false);
    }

    void headByHeadInShares_data()
    {
        QTest::addColumn<int>("threads");
        QTest::addColumn<int>("weightsAtOnce");
        QTest::addColumn<bool>("hasBias");
        for (const int threads : {1, 4}) {
            QTest::addRow("E-008 all queries at once, threads: %d", threads) << threads << 10000 << false;
            QTest::addRow("E-008 8 queries at once, threads: %d", threads) << threads << 250 << true;
            QTest::addRow("E-008 a query at a time, threads: %d", threads) << threads << 1 << true;
        }
    }
    void headByHeadInShares()
    {
        QFETCH(int, threads);
        QFETCH(int, weightsAtOnce);
        QFETCH(bool, hasBias);
        if (tests::accelerator())
            QSKIP("This is about processors.");
        const std::int64_t queries = 21, keys = 30, matrices = kBatch * kHeads;
        at::manual_seed(3);
        const auto random = [&](std::int64_t rows) { return at::randn({matrices, rows, kSize}); };
        const engine::HeadMatrices heads {random(queries), random(keys), random(keys)};
        const at::Tensor gradient = random(queries), bias = hasBias ? engine::keyBias(paddingOf(keys)) : at::Tensor();
        Tensors leaves;
        for (const at::Tensor& x : {heads.query, heads.key, heads.value})
            leaves.push_back(x.to(at::kDouble).requires_grad_(true));
        at::Tensor scores = at::matmul(leaves[0], leaves[1].transpose(1, 2));
        if (hasBias)
            scores = scores + bias.to(at::kDouble).repeat_interleave(kHeads, 0).unsqueeze(1);
        const at::Tensor expected = at::matmul(at::softmax(scores, -1), leaves[2]);
        expected.backward(gradient.to(at::kDouble));

        engine::Arena arena {c10::Device(c10::DeviceType::CPU)};
        const at::Tensor out = at::empty_like(heads.query);
        const engine::HeadMatrices d {at::empty_like(heads.query), at::empty_like(heads.key), at::empty_like(heads.value)};
        at::set_num_threads(threads);
        {
            const c10::InferenceMode noAutograd;
            engine::attendByHead(heads, bias, out, arena, weightsAtOnce);
            engine::attendByHeadBackward(gradient, heads, bias, d, arena, weightsAtOnce);
        }
        at::set_num_threads(1);
        const auto isClose = [](const at::Tensor& got, const at::Tensor& truth) {
            return at::allclose(got.to(at::kDouble), truth, 1e-4, 1e-5);
        };
        QVERIFY(isClose(out, expected.detach()));
        QVERIFY(isClose(d.query, leaves[0].grad()));
        QVERIFY(isClose(d.key, leaves[1].grad()));
        QVERIFY(isClose(d.value, leaves[2].grad()));
    }
};

QTEST_GUILESS_MAIN(AttentionTest)
#include "tst_attention.moc"
