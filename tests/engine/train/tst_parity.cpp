// Sharded ranks compute what one plain process computes.
#include "tests/engine/train/reference_training.h"
#include "tests/engine/train/worker_run.h"

#include <QtTest>

#include <cmath>

using tests::WorkerRun;

using Options = QList<std::pair<QString, QString>>;

class ParityTest : public QObject {
    Q_OBJECT

    static constexpr std::int64_t kGlobalBatch = 24;
    tests::ReferenceResult m_reference;

    static void compareTensors(const std::map<std::string, at::Tensor>& expected,
        const std::map<std::string, at::Tensor>& actual, const std::string& prefix, double rtol)
    {
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
    void initTestCase() { m_reference = tests::trainPlainly(tests::smallExperiment(1), kGlobalBatch); }

    void twentyStepsEqualThoseOfOnePlainProcess_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        const auto row = [](const char* name, int ranks, const Options& options) {
            QTest::newRow(name) << ranks << options;
        };
        const std::pair<QString, QString> shared("engine.exchange", "shared"), gloo("engine.exchange", "gloo"),
            gathered("engine.reshard_after_forward", "false");
        row("E-047 1 rank", 1, {});
        row("E-047 2 ranks", 2, {shared});
        row("E-047 3 ranks", 3, {shared});
        row("E-047 4 ranks", 4, {shared});
        row("E-047 2 ranks, kept gathered", 2, {shared, gathered});
        row("E-047 3 ranks, kept gathered", 3, {gathered});
        row("E-047 2 ranks, Gloo", 2, {gloo});
        row("E-047 3 ranks, Gloo, kept gathered", 3, {gloo, gathered});
        const std::pair<QString, QString> kept("engine.reshard_group", "2");
        row("E-047 4 ranks, kept in pairs, Gloo", 4, {gloo, kept});
        row("E-047 4 ranks, kept in pairs, Gloo, 2 micro-batches", 4, {gloo, kept, {"batch.accumulation", "2"}});
        row("E-047 4 ranks, kept in pairs, shared memory", 4, {shared, kept});
        row("E-048 2 ranks, no prefetch", 2, {shared, {"engine.prefetch", "false"}});
        row("E-143 2 ranks, 3 micro-batches", 2, {shared, {"batch.accumulation", "3"}});
        row("E-143 2 ranks, 2 micro-batches, kept gathered", 2, {shared, gathered, {"batch.accumulation", "2"}});
        row("E-143 2 ranks, 2 micro-batches, Gloo", 2, {gloo, gathered, {"batch.accumulation", "2"}});
        const std::pair<QString, QString> lateReduce("engine.reduce_each_pass", "false");
        row("E-143 2 ranks, reduced after 3 micro-batches", 2, {shared, lateReduce, {"batch.accumulation", "3"}});
        row("E-143 2 ranks, reduced after 2 micro-batches, Gloo", 2, {gloo, lateReduce, {"batch.accumulation", "2"}});
        row("E-009 2 ranks, every block recomputed", 2, {shared, {"engine.recompute", "all"}});
        row("E-009 2 ranks, every second block recomputed", 2,
            {shared, gathered, {"batch.accumulation", "2"}, {"engine.recompute", "every 2"}});
        const std::pair<QString, QString> twos("engine.wrap.min_params", "20000"), firstInRoot("engine.wrap.keep_in_root", "blocks.0");
        row("E-031 2 ranks, the whole model one unit", 2, {shared, {"engine.wrap.keep_in_root", "*"}});
        row("E-031 3 ranks, blocks in twos", 3, {shared, twos});
        row("E-031 2 ranks, blocks in twos, recomputed, Gloo, 2 micro-batches", 2,
            {gloo, twos, {"engine.recompute", "all"}, {"batch.accumulation", "2"}});
        row("E-031 4 ranks, blocks in twos, kept in pairs, Gloo", 4, {gloo, kept, twos});
        row("E-035 2 ranks, a block in the root, Gloo, 2 micro-batches", 2, {gloo, firstInRoot, {"batch.accumulation", "2"}});
        row("E-035 3 ranks, the middle block in the root, the others recomputed", 3,
            {shared, {"engine.wrap.keep_in_root", "blocks.1"}, {"engine.recompute", "all"}});
        row("E-036 2 ranks, the last block in the root, kept gathered", 2, {shared, gathered, {"engine.wrap.keep_in_root", "blocks.2"}});
        row("E-144 2 ranks, 24 samples in passes of 4", 2, {shared, {"batch.global", "24"}});
        row("E-047 2 ranks, a block kept gathered by its name", 2, {gloo, {"engine.keep_gathered", "blocks.1"}});
        row("E-043 2 ranks, offload where there is no device", 2, {shared, {"engine.offload", "shards"}});
        row("E-020 2 replicas of 2 ranks", 4, {shared, {"engine.shard_size", "2"}});
        row("E-020 2 replicas of 2 ranks, Gloo, 2 micro-batches", 4,
            {gloo, {"engine.shard_size", "2"}, {"batch.accumulation", "2"}});
        row("E-020 3 replicas of 1 rank", 3, {shared, {"engine.shard_size", "1"}});
        row("E-021 2 replicas of 2 ranks, kept gathered, reduced late", 4,
            {shared, gathered, lateReduce, {"engine.shard_size", "2"}, {"batch.accumulation", "2"}});
        row("E-022 Ulysses of 2 ranks", 2, {shared, {"engine.ulysses", "2"}});
        row("E-022 Ulysses of 2 ranks, Gloo", 2, {gloo, {"engine.ulysses", "2"}});
        row("E-022 Ulysses of 4 ranks", 4, {shared, {"engine.ulysses", "4"}});
        row("E-022 Ulysses of 2 ranks, 2 samples at a time", 4, {shared, {"engine.ulysses", "2"}});
        row("E-022 ring of 2 ranks", 2, {shared, {"engine.ring", "2"}});
        row("E-022 ring of 2 ranks, Gloo", 2, {gloo, {"engine.ring", "2"}});
        row("E-022 ring of 4 ranks, blocks recomputed", 4, {shared, {"engine.ring", "4"}, {"engine.recompute", "all"}});
        row("E-022 ring of 2 times Ulysses of 2", 4, {shared, {"engine.ring", "2"}, {"engine.ulysses", "2"}});
        row("E-022 Ulysses of 2 ranks in 2 replicas", 4, {shared, {"engine.ulysses", "2"}, {"engine.shard_size", "2"}});
    }
    void twentyStepsEqualThoseOfOnePlainProcess()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        auto experiment = tests::smallExperiment(ranks);
        for (const auto& [key, value] : options)
            QVERIFY2(!experiment.setText(key.toStdString(), value.toStdString()), qPrintable(key));
        const std::int64_t dataRanks = ranks / experiment.integer("engine.ulysses") / experiment.integer("engine.ring");
        const std::int64_t passes = experiment.integer("batch.global") > 0 ? 3 : experiment.integer("batch.accumulation");
        experiment.set("batch.micro", kGlobalBatch / dataRanks / passes);
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));

        const auto losses = run.metric("loss");
        const auto norms = run.metric("grad_norm");
        QCOMPARE(losses.size(), m_reference.losses.size());
        for (std::size_t i = 0; i < m_reference.losses.size(); ++i) {
            const double loss = m_reference.losses[i], norm = m_reference.gradNorms[i];
            const auto step = static_cast<std::int64_t>(i + 1);
            QVERIFY2(std::abs(losses.at(step) - loss) <= 1e-5 * loss,
                qPrintable(QStringLiteral("step %1: %2 instead of %3").arg(step).arg(losses.at(step), 0, 'g', 9).arg(loss, 0, 'g', 9)));
            QVERIFY(std::abs(norms.at(step) - norm) <= 1e-4 * norm);
        }
        compareTensors(m_reference.weights, run.checkpoint(20), "model/", 2e-3);
    }

    void gradientsOfTheFirstStepEqualThePlainOnes_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<Options>("options");
        QTest::addColumn<double>("clipNorm");
        for (const int ranks : {1, 2, 3, 4})
            QTest::addRow("E-173 %d ranks", ranks) << ranks << Options {} << 0.0;
        QTest::newRow("E-173 2 replicas of 2 ranks") << 4 << Options {{"engine.shard_size", "2"}} << 0.0;
        QTest::newRow("E-173 3 replicas of 1 rank, Gloo") << 3 << Options {{"engine.shard_size", "1"}, {"engine.exchange", "gloo"}} << 0.0;
        // Decayed and undecayed parameters of all units have one norm: all gradients shrink by the same factor.
        QTest::newRow("E-176 1 rank, clipped") << 1 << Options {} << 0.05;
        QTest::newRow("E-176 3 ranks, clipped") << 3 << Options {} << 0.05;
        QTest::newRow("E-176 2 replicas of 2 ranks, clipped") << 4 << Options {{"engine.shard_size", "2"}} << 0.05;
        QTest::newRow("E-176 2 ranks, below the limit") << 2 << Options {} << 1000.0;
    }
    void gradientsOfTheFirstStepEqualThePlainOnes()
    {
        QFETCH(int, ranks);
        QFETCH(Options, options);
        QFETCH(double, clipNorm);
        auto experiment = tests::smallExperiment(ranks);
        for (const auto& [key, value] : options)
            QVERIFY2(!experiment.setText(key.toStdString(), value.toStdString()), qPrintable(key));
        experiment.set("run.total_steps", std::int64_t {1});
        experiment.set("optim.clip_norm", clipNorm);
        experiment.set("optim.beta1", 0.0);  // the first moment is then the gradient itself
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        const double norm = m_reference.gradNorms.front(), factor = clipNorm > 0 ? std::min(1.0, clipNorm / (norm + 1e-6)) : 1;
        QVERIFY(norm > 0.1);
        QVERIFY(std::abs(run.metric("grad_norm").at(1) - norm) <= 1e-5 * norm);  // before clipping
        auto expected = m_reference.firstGradients;
        for (auto& [name, gradient] : expected)
            gradient = gradient * factor;
        compareTensors(expected, run.checkpoint(1), "exp_avg/", 1e-4);
    }

    void bfloat16ComputesCloseToFloat32_data()
    {
        QTest::addColumn<Options>("options");
        QTest::addColumn<double>("rtol");
        QTest::newRow("E-044 sharded") << Options {} << 2e-2;
        QTest::newRow("E-044 gradients travel in bfloat16") << Options {{"engine.reduce_dtype", "bf16"}} << 2e-2;
        QTest::newRow("E-022 Ulysses") << Options {{"engine.ulysses", "2"}} << 1e-2;
        QTest::newRow("E-022 ring") << Options {{"engine.ring", "2"}} << 1e-2;
    }
    void bfloat16ComputesCloseToFloat32()
    {
        QFETCH(Options, options);
        QFETCH(double, rtol);
        auto experiment = tests::smallExperiment(2);
        experiment.set("engine.compute_dtype", std::string("bf16"));
        for (const auto& [key, value] : options)
            experiment.setText(key.toStdString(), value.toStdString());
        experiment.set("batch.micro",
            kGlobalBatch / 2 * experiment.integer("engine.ulysses") * experiment.integer("engine.ring"));
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const auto losses = run.metric("loss");
        for (std::size_t i = 0; i < m_reference.losses.size(); ++i) {
            const double loss = m_reference.losses[i];
            QVERIFY(std::abs(losses.at(static_cast<std::int64_t>(i + 1)) - loss) <= rtol * loss);
        }
    }
};

QTEST_GUILESS_MAIN(ParityTest)
#include "tst_parity.moc"
