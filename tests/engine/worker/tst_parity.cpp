// Sharded ranks compute what one plain process computes.
#include "tests/engine/worker/reference_training.h"
#include "tests/engine/worker/worker_run.h"
#include "tests/support/whole_test.h"

#include <QtTest>

#include <cmath>

using tests::Weights;
using tests::WorkerRun;

using OptionTexts = QList<std::pair<QString, QString>>;

class ParityTest : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kGlobalBatch = 24;
    /// What float32's rounding may cost: of a sum of many numbers, and of a gradient relative to the largest of its tensor.
    static constexpr double kSumRounding = 1e-5, kGradientRounding = 1e-4;

    const tests::DrawnCheckpoint m_drawn {tests::smallExperiment(1)};
    tests::ReferenceResult m_reference, m_referenceFromSeed, m_referenceWithoutAttention;

    /// Begins with the drawn weights. Each rank takes its part of the global batch in 3 passes where batch.global is given.
    contract::Experiment experimentWith(int ranks, const OptionTexts& options) const
    {
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("checkpoint.init_from", m_drawn.path());
        // AdamW's updates then depend on the size of a gradient, not on its sign alone, which rounding decides where the
        // gradient is 0 (that of the biases of attention's keys).
        experiment.set("optim.eps", 1e-3);
        for (const auto& [key, value] : options) {
            if (experiment.setText(key.toStdString(), value.toStdString()))
                qFatal("%s", qPrintable(key));
        }
        const std::int64_t dataRanks = ranks / experiment.integer("engine.ulysses") / experiment.integer("engine.ring");
        const std::int64_t passes = experiment.integer("batch.global") > 0 ? 3 : experiment.integer("batch.accumulation");
        experiment.set("batch.micro", kGlobalBatch / dataRanks / passes);
        return experiment;
    }
    static std::vector<int> allWell(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

    static void compareTensors(const Weights& expected, const Weights& actual, const std::string& prefix, double rtol)
    {
        QVERIFY(!expected.empty());
        for (const auto& [name, value] : expected) {
            QVERIFY2(actual.contains(prefix + name), name.c_str());
            const at::Tensor& other = actual.at(prefix + name);
            const double largest = value.abs().max().item<double>();
            const double error = other.sub(value).abs().max().item<double>();
            QVERIFY2(error <= rtol * largest + 1e-9,
                qPrintable(QStringLiteral("%1: off by %2 of %3")
                               .arg(QString::fromStdString(name)).arg(error).arg(largest)));
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        const auto experiment = experimentWith(1, {});
        m_reference = tests::trainPlainly(experiment, kGlobalBatch, {.weights = m_drawn.weights()});
        m_referenceFromSeed = tests::trainPlainly(experiment, kGlobalBatch);
        m_referenceWithoutAttention
            = tests::trainPlainly(experiment, kGlobalBatch, {.weights = m_drawn.weights(), .hasAttention = false});
    }

    void twentyStepsEqualThoseOfOnePlainProcess_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<OptionTexts>("options");
        const auto row = [](const char* name, int ranks, const OptionTexts& options) {
            QTest::newRow(name) << ranks << options;
        };
        const auto more = [&](const char* name, int ranks, const OptionTexts& options) {
            if (tests::isWhole())
                row(name, ranks, options);
        };
        const std::pair<QString, QString> shared("engine.exchange", "shared"), gloo("engine.exchange", "gloo"),
            gathered("engine.reshard_after_forward", "false");
        const std::pair<QString, QString> fromSeed("checkpoint.init_from", "");
        row("E-047 3 ranks, weights drawn from the seed", 3, {fromSeed});
        row("E-047 1 rank", 1, {});
        row("E-047 2 ranks", 2, {shared});
        more("E-047 3 ranks", 3, {shared});
        more("E-047 4 ranks", 4, {shared});
        more("E-047 2 ranks, kept gathered", 2, {shared, gathered});
        more("E-047 3 ranks, kept gathered", 3, {gathered});
        more("E-047 2 ranks, Gloo", 2, {gloo});
        row("E-047 3 ranks, Gloo, kept gathered", 3, {gloo, gathered});
        const std::pair<QString, QString> kept("engine.reshard_group", "2");
        more("E-047 4 ranks, kept in pairs, Gloo", 4, {gloo, kept});
        more("E-047 4 ranks, kept in pairs, Gloo, 2 micro-batches", 4, {gloo, kept, {"batch.accumulation", "2"}});
        row("E-047 4 ranks, kept in pairs, shared memory", 4, {shared, kept});
        row("E-048 2 ranks, no prefetch", 2, {shared, {"engine.prefetch", "false"}});
        more("E-143 2 ranks, 3 micro-batches", 2, {shared, {"batch.accumulation", "3"}});
        more("E-143 2 ranks, 2 micro-batches, kept gathered", 2, {shared, gathered, {"batch.accumulation", "2"}});
        row("E-143 2 ranks, 2 micro-batches, Gloo", 2, {gloo, gathered, {"batch.accumulation", "2"}});
        const std::pair<QString, QString> lateReduce("engine.reduce_each_pass", "false");
        row("E-143 2 ranks, reduced after 3 micro-batches", 2, {shared, lateReduce, {"batch.accumulation", "3"}});
        more("E-143 2 ranks, reduced after 2 micro-batches, Gloo", 2, {gloo, lateReduce, {"batch.accumulation", "2"}});
        row("E-009 2 ranks, layers recomputed, 2 micro-batches", 2, {shared, {"batch.accumulation", "2"}, {"engine.recompute_layers", "true"}});
        more("E-009 2 ranks, every block recomputed", 2, {shared, {"engine.recompute", "all"}});
        row("E-009 2 ranks, every second block recomputed", 2,
            {shared, gathered, {"batch.accumulation", "2"}, {"engine.recompute", "every 2"}});
        const std::pair<QString, QString> twos("engine.wrap.min_params", "20000"), firstInRoot("engine.wrap.keep_in_root", "blocks.0");
        row("E-031 2 ranks, the whole model one unit", 2, {shared, {"engine.wrap.keep_in_root", "*"}});
        more("E-031 3 ranks, blocks in twos", 3, {shared, twos});
        more("E-031 2 ranks, blocks in twos, recomputed, Gloo, 2 micro-batches", 2,
            {gloo, twos, {"engine.recompute", "all"}, {"batch.accumulation", "2"}});
        row("E-031 4 ranks, blocks in twos, kept in pairs, Gloo", 4, {gloo, kept, twos});
        more("E-035 2 ranks, a block in the root, Gloo, 2 micro-batches", 2, {gloo, firstInRoot, {"batch.accumulation", "2"}});
        row("E-035 3 ranks, the middle block in the root, the others recomputed", 3,
            {shared, {"engine.wrap.keep_in_root", "blocks.1"}, {"engine.recompute", "all"}});
        row("E-036 2 ranks, the last block in the root, kept gathered", 2, {shared, gathered, {"engine.wrap.keep_in_root", "blocks.2"}});
        row("E-144 2 ranks, 24 samples in passes of 4", 2, {shared, {"batch.global", "24"}});
        row("E-047 2 ranks, a block kept gathered by its name", 2, {gloo, {"engine.keep_gathered", "blocks.1"}});
        row("E-043 2 ranks, offload where there is no device", 2, {shared, {"engine.offload", "shards"}});
        row("E-020 2 replicas of 2 ranks", 4, {shared, {"engine.shard_size", "2"}});
        more("E-020 2 replicas of 2 ranks, Gloo, 2 micro-batches", 4,
            {gloo, {"engine.shard_size", "2"}, {"batch.accumulation", "2"}});
        more("E-020 3 replicas of 1 rank", 3, {shared, {"engine.shard_size", "1"}});
        row("E-021 2 replicas of 2 ranks, kept gathered, reduced late", 4,
            {shared, gathered, lateReduce, {"engine.shard_size", "2"}, {"batch.accumulation", "2"}});
        more("E-022 Ulysses of 2 ranks", 2, {shared, {"engine.ulysses", "2"}});
        more("E-022 Ulysses of 2 ranks, Gloo", 2, {gloo, {"engine.ulysses", "2"}});
        more("E-022 Ulysses of 4 ranks", 4, {shared, {"engine.ulysses", "4"}});
        row("E-022 Ulysses of 2 ranks, 2 samples at a time", 4, {shared, {"engine.ulysses", "2"}});
        more("E-022 ring of 2 ranks", 2, {shared, {"engine.ring", "2"}});
        row("E-022 ring of 2 ranks, Gloo", 2, {gloo, {"engine.ring", "2"}});
        more("E-022 ring of 4 ranks, blocks recomputed", 4, {shared, {"engine.ring", "4"}, {"engine.recompute", "all"}});
        row("E-022 ring of 2 times Ulysses of 2", 4, {shared, {"engine.ring", "2"}, {"engine.ulysses", "2"}});
        more("E-022 Ulysses of 2 ranks in 2 replicas", 4, {shared, {"engine.ulysses", "2"}, {"engine.shard_size", "2"}});
    }
    void twentyStepsEqualThoseOfOnePlainProcess()
    {
        QFETCH(int, ranks);
        QFETCH(OptionTexts, options);
        const auto experiment = experimentWith(ranks, options);
        const auto& reference = experiment.text("checkpoint.init_from").empty() ? m_referenceFromSeed : m_reference;
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(ranks));

        const auto losses = run.series("loss"), norms = run.series("grad_norm");
        QCOMPARE(losses.size(), reference.losses.size());
        QCOMPARE(norms.size(), reference.losses.size());
        for (std::size_t i = 0; i < reference.losses.size(); ++i) {
            const double loss = reference.losses[i], norm = reference.gradNorms[i];
            QVERIFY2(std::abs(losses[i] - loss) <= kSumRounding * loss,
                qPrintable(QStringLiteral("step %1: %2 instead of %3").arg(i + 1).arg(losses[i], 0, 'g', 9).arg(loss, 0, 'g', 9)));
            QVERIFY(std::abs(norms[i] - norm) <= kSumRounding * norm);
        }
        compareTensors(reference.weights, run.checkpoint(20), "model/", 2e-5);
    }

    void gradientsOfTheFirstStepEqualThePlainOnes_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<OptionTexts>("options");
        QTest::addColumn<double>("clipNorm");
        const auto row = [](const char* name, int ranks, const OptionTexts& options, double clipNorm) {
            QTest::newRow(name) << ranks << options << clipNorm;
        };
        const std::pair<QString, QString> pairs("engine.shard_size", "2");
        // Decayed and undecayed parameters of all units have one norm: all gradients shrink by the same factor.
        row("E-173 E-176 1 rank, clipped", 1, {}, 0.05);
        row("E-173 E-176 3 ranks, clipped", 3, {}, 0.05);
        row("E-173 E-176 2 replicas of 2 ranks, clipped", 4, {pairs}, 0.05);
        row("E-176 2 ranks, below the limit", 2, {}, 1000);
        row("E-173 3 replicas of 1 rank, Gloo", 3, {{"engine.shard_size", "1"}, {"engine.exchange", "gloo"}}, 0);
        row("E-173 2 ranks, 3 micro-batches", 2, {{"batch.accumulation", "3"}}, 0);
        row("E-173 Ulysses of 2 ranks", 2, {{"engine.ulysses", "2"}}, 0);
        row("E-173 ring of 2 ranks", 2, {{"engine.ring", "2"}}, 0);
    }
    void gradientsOfTheFirstStepEqualThePlainOnes()
    {
        QFETCH(int, ranks);
        QFETCH(OptionTexts, options);
        QFETCH(double, clipNorm);
        auto experiment = experimentWith(ranks, options);
        experiment.set("run.total_steps", std::int64_t {1});
        experiment.set("optim.clip_norm", clipNorm);
        experiment.set("optim.eps", 1e-2);   // and rounding hardly moves what has a small gradient
        experiment.set("optim.lr", 0.1);     // so that the rounding of the weights does not hide their update
        experiment.set("optim.beta1", 0.0);  // the first moment is then the gradient itself
        const auto reference = tests::trainPlainly(experiment, kGlobalBatch, {.weights = m_drawn.weights()});
        for (const auto& [name, gradient] : reference.firstGradients)
            QVERIFY2(gradient.abs().max().item<double>() > 1e-4, name.c_str());
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(ranks));

        const double loss = reference.losses.front(), norm = reference.gradNorms.front();
        QVERIFY(std::abs(run.metric("loss").at(1) - loss) <= kSumRounding * loss);
        QVERIFY(std::abs(run.metric("grad_norm").at(1) - norm) <= kSumRounding * norm);  // before clipping
        const double factor = clipNorm > 0 ? std::min(1.0, clipNorm / (norm + 1e-6)) : 1;
        QCOMPARE(factor < 1, clipNorm > 0 && clipNorm < 1);
        const auto saved = run.checkpoint(1);
        Weights expected = reference.firstGradients;
        for (auto& [name, gradient] : expected)
            gradient = gradient * factor;
        compareTensors(expected, saved, "exp_avg/", kGradientRounding);
        Weights expectedUpdates, updates;
        for (const auto& [name, start] : m_drawn.weights()) {
            expectedUpdates[name] = reference.weights.at(name) - start;
            updates[name] = saved.at("model/" + name) - start;
        }
        compareTensors(expectedUpdates, updates, "", 1e-3);
    }

    void bfloat16ComputesCloseToFloat32_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::newRow("E-044 sharded") << OptionTexts {};
        // The sums of two micro-batches are float32 until they travel.
        QTest::newRow("E-044 gradients travel in bfloat16")
            << OptionTexts {{"engine.reduce_dtype", "bf16"}, {"engine.exchange", "gloo"}, {"engine.reduce_each_pass", "false"},
                   {"batch.accumulation", "2"}};
        QTest::newRow("E-022 Ulysses") << OptionTexts {{"engine.ulysses", "2"}};
        QTest::newRow("E-022 ring") << OptionTexts {{"engine.ring", "2"}};
    }
    void bfloat16ComputesCloseToFloat32()
    {
        QFETCH(OptionTexts, options);
        // Rounding to bfloat16 changes a number by up to 2⁻⁸ of it. A loss is the mean over many such numbers; a norm also
        // has the rounding of the backward and of the weights.
        constexpr double kLossLimit = 1.0 / 256, kNormLimit = 4 * kLossLimit;
        WorkerRun run(experimentWith(2, options + OptionTexts {{"engine.compute_dtype", "bf16"}}));
        QCOMPARE(run.run(), allWell(2));
        const auto differences = [this](const std::vector<double>& losses, const std::vector<double>& norms) {
            return std::pair(tests::relativeDifference(m_reference.losses, losses),
                tests::relativeDifference(m_reference.gradNorms, norms));
        };
        const auto [loss, norm] = differences(run.series("loss"), run.series("grad_norm"));
        QVERIFY2(loss <= kLossLimit && norm <= kNormLimit,
            qPrintable(QStringLiteral("losses differ by %1, norms by %2").arg(loss).arg(norm)));
        // Missing attention would not pass.
        const auto& without = m_referenceWithoutAttention;
        const auto [lossWithout, normWithout] = differences(without.losses, without.gradNorms);
        QVERIFY(lossWithout > 4 * kLossLimit && normWithout > 4 * kNormLimit);
    }
};

QTEST_GUILESS_MAIN(ParityTest)
#include "tst_parity.moc"
