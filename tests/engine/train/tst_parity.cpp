// Sharded ranks compute what one plain process computes.
#include "tests/engine/train/reference_training.h"
#include "tests/engine/train/worker_run.h"

#include <QtTest>

#include <cmath>

using tests::WorkerRun;

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
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<bool>("reshards");
        QTest::addColumn<bool>("prefetches");
        QTest::addColumn<QByteArray>("exchange");
        QTest::addColumn<int>("recomputeEvery");
        const auto row = [](const char* name, int ranks, int accumulation, bool reshards, bool prefetches,
                             const char* exchange, int recomputeEvery) {
            QTest::newRow(name) << ranks << accumulation << reshards << prefetches << QByteArray(exchange) << recomputeEvery;
        };
        row("E-047 1 rank", 1, 1, true, true, "auto", 0);
        row("E-047 2 ranks", 2, 1, true, true, "shared", 0);
        row("E-047 3 ranks", 3, 1, true, true, "shared", 0);
        row("E-047 4 ranks", 4, 1, true, true, "shared", 0);
        row("E-047 2 ranks, kept gathered", 2, 1, false, true, "shared", 0);
        row("E-047 3 ranks, kept gathered", 3, 1, false, true, "auto", 0);
        row("E-047 2 ranks, Gloo", 2, 1, true, true, "gloo", 0);
        row("E-047 3 ranks, Gloo, kept gathered", 3, 1, false, true, "gloo", 0);
        row("E-048 2 ranks, no prefetch", 2, 1, true, false, "shared", 0);
        row("E-143 2 ranks, 3 micro-batches", 2, 3, true, true, "shared", 0);
        row("E-143 2 ranks, 2 micro-batches, kept gathered", 2, 2, false, true, "shared", 0);
        row("E-143 2 ranks, 2 micro-batches, Gloo", 2, 2, false, true, "gloo", 0);
        row("E-009 2 ranks, every block recomputed", 2, 1, true, true, "shared", 1);
        row("E-009 2 ranks, every second block recomputed", 2, 2, false, true, "shared", 2);
    }
    void twentyStepsEqualThoseOfOnePlainProcess()
    {
        QFETCH(int, ranks);
        QFETCH(int, accumulation);
        QFETCH(bool, reshards);
        QFETCH(bool, prefetches);
        QFETCH(QByteArray, exchange);
        QFETCH(int, recomputeEvery);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("batch.accumulation", std::int64_t {accumulation});
        experiment.set("batch.micro", std::int64_t {kGlobalBatch / ranks / accumulation});
        experiment.set("engine.reshard_after_forward", reshards);
        experiment.set("engine.prefetch", prefetches);
        experiment.set("engine.exchange", exchange.toStdString());
        experiment.set("engine.recompute_every", std::int64_t {recomputeEvery});
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
        for (const int ranks : {1, 2, 3, 4})
            QTest::addRow("%d ranks", ranks) << ranks;
    }
    void gradientsOfTheFirstStepEqualThePlainOnes()
    {
        QFETCH(int, ranks);
        auto experiment = tests::smallExperiment(ranks);
        experiment.set("run.total_steps", std::int64_t {1});
        experiment.set("optim.clip_norm", 0.0);
        experiment.set("optim.beta1", 0.0);  // the first moment is then the gradient itself
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        compareTensors(m_reference.firstGradients, run.checkpoint(1), "exp_avg/", 1e-4);
    }

    void bfloat16ComputesCloseToFloat32()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("engine.compute_dtype", std::string("bf16"));
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const auto losses = run.metric("loss");
        for (std::size_t i = 0; i < m_reference.losses.size(); ++i) {
            const double loss = m_reference.losses[i];
            QVERIFY(std::abs(losses.at(static_cast<std::int64_t>(i + 1)) - loss) <= 2e-2 * loss);
        }
    }
};

QTEST_GUILESS_MAIN(ParityTest)
#include "tst_parity.moc"
