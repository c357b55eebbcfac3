// The EMA of the weights: its formula, its entry in checkpoints, and where it is used.
#include <ATen/TensorOperators.h>
#include <ATen/ops/equal.h>

#include "tests/engine/worker/worker_run.h"

#include <QDir>
#include <QFile>
#include <QtTest>

#include <algorithm>
#include <map>
#include <vector>

using tests::WorkerRun;

class AverageTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void eachStepMovesItTowardsTheWeights_data()
    {
        QTest::addColumn<QByteArray>("kind");
        QTest::addColumn<QByteArray>("dtype");
        QTest::newRow("issue 5: adamw") << QByteArray("adamw") << QByteArray("fp32");
        QTest::newRow("issue 5: adamw8bit") << QByteArray("adamw8bit") << QByteArray("fp32");
        QTest::newRow("issue 5: muon") << QByteArray("muon") << QByteArray("bf16");
        QTest::newRow("issue 5: skipped steps leave it") << QByteArray("adamw") << QByteArray("fp16");
    }
    void eachStepMovesItTowardsTheWeights()
    {
        QFETCH(QByteArray, kind);
        QFETCH(QByteArray, dtype);
        auto experiment = tests::smallExperiment(2);
        experiment.set("optim.kind", kind.toStdString());
        experiment.set("engine.compute_dtype", dtype.toStdString());
        experiment.set("scaler.initial", 4e9);  // fp16: the first steps overflow and are skipped
        experiment.set("scaler.max", 4e9);
        experiment.set("run.total_steps", std::int64_t {7});
        experiment.set("checkpoint.every", std::int64_t {1});
        experiment.set("checkpoint.keep", std::int64_t {9});
        experiment.set("ema.decay", 0.3);  // reached after four steps
        WorkerRun run(experiment);
        QCOMPARE(run.run(), std::vector<int>(2, 0));
        const auto skipped = run.metric("skipped_steps");
        QCOMPARE(skipped.at(7) > 0, dtype == "fp16");
        auto before = run.checkpoint(1);
        for (std::int64_t step = 2; step <= 7; ++step) {
            const auto now = run.checkpoint(step);
            const bool isSkipped = skipped.at(step) > skipped.at(step - 1);
            const double applied = static_cast<double>(step) - skipped.at(step);
            const double decay = std::min(0.3, (1 + applied) / (10 + applied));
            for (const auto& [name, average] : now) {
                if (!name.starts_with("ema/"))
                    continue;
                const at::Tensor& weight = now.at("model/" + name.substr(4));
                const at::Tensor expected = isSkipped ? before.at(name) : before.at(name) * decay + weight * (1 - decay);
                QVERIFY2((average - expected).abs().max().item<double>() <= 1e-7, name.c_str());
            }
            before = now;
        }
    }

    void samplesAndValidationUseItWhenAsked()
    {
        auto experiment = tests::smallExperiment(2);
        experiment.set("validation.every", std::int64_t {20});
        WorkerRun averaged(experiment);
        QCOMPARE(averaged.run(), std::vector<int>(2, 0));
        QCOMPARE(averaged.lastText("sample", "weights"), std::string("ema"));
        experiment.set("ema.use", false);
        WorkerRun plain(experiment);
        QCOMPARE(plain.run(), std::vector<int>(2, 0));
        QCOMPARE(plain.lastText("sample", "weights"), std::string("model"));
        experiment.set("ema.decay", 0.0);
        WorkerRun without(experiment);
        QCOMPARE(without.run(), std::vector<int>(2, 0));
        QCOMPARE(without.lastText("sample", "weights"), std::string("model"));

        const auto loss = [](const WorkerRun& run) { return run.metric("validation/loss").at(20); };
        QCOMPARE(loss(plain), loss(without));
        QVERIFY(loss(averaged) != loss(plain));
        const auto hasAverage = [](const WorkerRun& run) { return run.checkpoint(20).contains("ema/final.weight"); };
        QVERIFY(hasAverage(averaged) && hasAverage(plain) && !hasAverage(without));
    }

    void evaluationByBlockGivesTheSame_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QString>("exchange");
        QTest::newRow("defect-5: 2 ranks, shared memory") << 2 << "shared";
        QTest::newRow("defect-5: 2 ranks, Gloo") << 2 << "gloo";
        QTest::newRow("defect-5: 1 rank") << 1 << "auto";
    }
    /// And training goes on as it does without.
    void evaluationByBlockGivesTheSame()
    {
        QFETCH(int, ranks);
        QFETCH(QString, exchange);
        std::vector<std::map<std::int64_t, double>> losses, validations;
        std::vector<QByteArray> samples;
        for (const char* gather : {"model", "block", "auto"}) {
            auto experiment = tests::smallExperiment(ranks);
            experiment.set("engine.exchange", exchange.toStdString());
            experiment.set("engine.evaluation_gather", std::string(gather));
            experiment.set("run.total_steps", std::int64_t {6});
            experiment.set("validation.every", std::int64_t {2});
            experiment.set("sample.every", std::int64_t {6});
            WorkerRun run(experiment);
            QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
            losses.push_back(run.metric("loss"));
            validations.push_back(run.metric("validation/loss"));
            QCOMPARE(validations.back().size(), 3U);
            const QDir folder(QString::fromStdString((run.folder().root() / "samples").string()));
            const QStringList names = folder.entryList({"*.png"}, QDir::Files, QDir::Name);
            QVERIFY(!names.isEmpty());
            QFile file(folder.filePath(names.last()));
            QVERIFY(file.open(QIODevice::ReadOnly));
            samples.push_back(file.readAll());
        }
        for (std::size_t i = 1; i < losses.size(); ++i) {
            QCOMPARE(losses[i], losses[0]);
            QCOMPARE(validations[i], validations[0]);
            QCOMPARE(samples[i], samples[0]);
        }
    }
};

QTEST_GUILESS_MAIN(AverageTest)
#include "tst_average.moc"
