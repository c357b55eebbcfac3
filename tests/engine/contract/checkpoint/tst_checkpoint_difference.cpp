// N11: how the weights of two checkpoints differ.
#include "engine/contract/checkpoint/checkpoint_difference.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <limits>
#include <random>

using contract::CheckpointWeights;
using contract::ExportedWeights;
using contract::TensorDifference;
using Kind = contract::TensorDifference::Kind;

namespace {

contract::SafetensorsTensor entry(const std::string& name, std::vector<std::int64_t> shape) { return {name, "F32", std::move(shape)}; }

const TensorDifference& named(const std::vector<TensorDifference>& all, const std::string& name)
{
    return *std::ranges::find(all, name, &TensorDifference::name);
}

}  // namespace

class CheckpointDifferenceTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_root;

    std::filesystem::path write(const std::string& name, const tests::Tensors& tensors)
    {
        const std::filesystem::path folder = m_root.filePath(QString::fromStdString(name)).toStdString();
        std::filesystem::remove_all(folder);
        tests::writeCheckpoint(folder, tensors, {});
        return folder;
    }
    std::vector<TensorDifference> compare(const tests::Tensors& a, const tests::Tensors& b)
    {
        const CheckpointWeights first(write("step-1", a), ExportedWeights::Model), second(write("step-2", b), ExportedWeights::Model);
        return compareWeights(first, second);
    }

private Q_SLOTS:
    void N11_eachTensorIsCompared()
    {
        const auto all = compare({{entry("a", {2, 2}), {1, 2, 2, 4}}, {entry("gone", {1}), {1}}, {entry("same", {1}), {3}}, {entry("reshaped", {2}), {1, 2}}},
            {{entry("new", {1}), {1}}, {entry("reshaped", {2, 1}), {1, 2}}, {entry("same", {1}), {3}}, {entry("a", {2, 2}), {1, 2, 5, 0}}});
        QCOMPARE(all.size(), std::size_t(5));
        const TensorDifference& a = all[0];
        QCOMPARE(a.name, std::string("a"));
        QCOMPARE(a.difference.values, std::uint64_t(4));
        QCOMPARE(a.difference.changed, std::uint64_t(2));
        QCOMPARE(a.difference.largest, 4.0);
        QCOMPARE(a.difference.rms(), 2.5);         // √((9 + 16) / 4)
        QCOMPARE(a.difference.relative(), 1.0);    // √25 / √25
        QVERIFY(named(all, "gone").kind == Kind::OnlyInFirst);
        QVERIFY(named(all, "new").kind == Kind::OnlyInSecond);
        QVERIFY(named(all, "reshaped").kind == Kind::OtherShape);
        QVERIFY(named(all, "same").kind == Kind::Compared);
        QCOMPARE(named(all, "same").difference.changed, std::uint64_t(0));
        QCOMPARE(named(all, "same").difference.relative(), 0.0);
    }

    void N11_whatIsNotFiniteIsCountedAndLeftOut()
    {
        constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinite = std::numeric_limits<float>::infinity();
        const auto all = compare({{entry("a", {5}), {1, kNan, kNan, kInfinite, kInfinite}}}, {{entry("a", {5}), {2, kNan, 1, kInfinite, -kInfinite}}});
        const contract::ValueDifference& sums = all[0].difference;
        QCOMPARE(sums.notFinite, std::uint64_t(4));
        QCOMPARE(sums.changed, std::uint64_t(3));
        QCOMPARE(sums.largest, 1.0);
        QCOMPARE(sums.rms(), 1.0);
    }

    void N11_fromZeroIsInfinitelyMuch()
    {
        const auto all = compare({{entry("lora_B", {2}), {0, 0}}}, {{entry("lora_B", {2}), {0, 1}}});
        QVERIFY(std::isinf(all[0].difference.relative()));
    }

    /// Of more values than are read at once, against sums over all.
    void N11_largeTensorsAreComparedWhole()
    {
        std::mt19937 random(7);
        std::normal_distribution<float> normal;
        std::vector<float> a(2'500'000), b(a.size());
        double squared = 0, largest = 0, norm = 0;
        for (std::size_t i = 0; i < a.size(); ++i) {
            a[i] = normal(random);
            b[i] = normal(random);
            const double difference = double(b[i]) - double(a[i]);
            squared += difference * difference;
            norm += double(a[i]) * double(a[i]);
            largest = std::max(largest, std::abs(difference));
        }
        const auto all = compare({{entry("a", {2'500'000}), a}}, {{entry("a", {2'500'000}), b}});
        QCOMPARE(all[0].difference.values, std::uint64_t(a.size()));
        QCOMPARE(all[0].difference.largest, largest);
        QVERIFY(std::abs(all[0].difference.relative() - std::sqrt(squared / norm)) < 1e-12);
    }

    void N11_layersAreNamedByTheirNumbers_data()
    {
        QTest::addColumn<QString>("tensor");
        QTest::addColumn<QString>("layer");
        QTest::newRow("N11 block") << "blocks.3.attn.qkv.weight" << "blocks.3";
        QTest::newRow("N11 adapter") << "transformer_blocks.12.attn.to_q.lora_A.default.weight" << "transformer_blocks.12";
        QTest::newRow("N11 no number") << "patch_embed.proj.weight" << "patch_embed.proj";
        QTest::newRow("N11 no layer") << "scale" << "scale";
        QTest::newRow("N11 a digit within a word") << "conv2.bias" << "conv2";
        QTest::newRow("N11 number at the end") << "towers.0" << "towers.0";
    }
    void N11_layersAreNamedByTheirNumbers()
    {
        QFETCH(QString, tensor);
        QFETCH(QString, layer);
        QCOMPARE(QString::fromStdString(contract::layerOf(tensor.toStdString())), layer);
    }

    void N11_layersSumTheirTensors()
    {
        const auto all = compare(
            {{entry("blocks.0.a", {2}), {3, 0}}, {entry("out.w", {1}), {1}}, {entry("blocks.0.b", {1}), {4}}, {entry("blocks.1.a", {1}), {1}}},
            {{entry("blocks.0.a", {2}), {3, 3}}, {entry("out.w", {1}), {1}}, {entry("blocks.0.b", {1}), {0}}});
        const auto layers = contract::byLayer(all);
        QCOMPARE(layers.size(), std::size_t(2));
        QCOMPARE(layers[0].name, std::string("blocks.0"));
        QCOMPARE(layers[0].tensors, 2);
        QCOMPARE(layers[0].difference.values, std::uint64_t(3));
        QCOMPARE(layers[0].difference.changed, std::uint64_t(2));
        QCOMPARE(layers[0].difference.largest, 4.0);
        QCOMPARE(layers[0].difference.relative(), 1.0);
        QCOMPARE(layers[1].name, std::string("out"));
    }

    void N11_aComparisonCanBeCancelled()
    {
        const tests::Tensors tensors {{entry("a", {300}), std::vector<float>(300, 1)}};
        const auto one = write("step-1", tensors), two = write("step-2", tensors);
        const CheckpointWeights first(one, ExportedWeights::Model);
        const CheckpointWeights second(two, ExportedWeights::Model);
        QVERIFY_THROWS_EXCEPTION(contract::ComparisonCancelled, compareWeights(first, second, [](double) { return false; }));
        std::vector<double> shares;
        compareWeights(first, second, [&](double share) { return shares.push_back(share), true; });
        QCOMPARE(shares, std::vector<double> {1});
    }
};

QTEST_GUILESS_MAIN(CheckpointDifferenceTest)
#include "tst_checkpoint_difference.moc"
