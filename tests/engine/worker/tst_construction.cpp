// How an attempt starts, what it logs, and what its checkpoints contain.
#include <ATen/TensorOperators.h>

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/models/registry.h"
#include "tests/engine/worker/worker_run.h"

#include <QRegularExpression>
#include <QtTest>

#include <cmath>
#include <numbers>
#include <set>

using tests::WorkerRun;

using OptionTexts = QList<std::pair<QString, QString>>;

class ConstructionTest : public QObject {
    Q_OBJECT

    static contract::Experiment experimentWith(int ranks, const OptionTexts& options)
    {
        auto experiment = tests::smallExperiment(ranks);
        for (const auto& [key, value] : options) {
            if (experiment.setText(key.toStdString(), value.toStdString()))
                qFatal("%s", qPrintable(key));
        }
        return experiment;
    }
    static std::vector<int> allWell(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

    /// Returns a rank's log without the prefix of each line.
    static QStringList logOf(WorkerRun& run, int rank)
    {
        QStringList texts;
        const QRegularExpression line("^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d \\[(info|warning|error)\\] \\[rank (\\d)\\] "
                                      "\\[step \\d+\\] (.*)$");
        const QStringList lines = QString::fromUtf8(run.rank(rank).readAll()).split('\n', Qt::SkipEmptyParts);
        for (const QString& text : lines) {
            const auto match = line.match(text);
            texts << (match.hasMatch() && match.captured(2).toInt() == rank ? match.captured(3) : "not a line of this rank: " + text);
        }
        return texts;
    }

private Q_SLOTS:
    void theLogTellsOfEveryStepOfTheWay_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::addColumn<QStringList>("inOrder");  // regular expressions
        const QString memory = ": \\d+\\.\\d\\d GB allocated, \\d+\\.\\d\\d GB resident, \\d+\\.\\d\\d GB of files mapped";
        QTest::newRow("E-004: the order of construction")
            << OptionTexts {}
            << QStringList {"waits for the other ranks", "loads data", "builds the model", "memory before the model.*",
                   "\\d+ parameters, .*", "memory with the shards.*", "memory with the optimizer.*", "trains", "finishes",
                   "finished"};
        QTest::newRow("E-203 E-204 memory") << OptionTexts {} << QStringList {"memory before the model" + memory, "memory with the shards" + memory,
            "memory with the optimizer" + memory, "memory after training" + memory};
        // 16 tokens of 4 pixels, 11 labels; linears of D to 6 D, 3 D, D and, by way of 4 D, D in each block.
        constexpr int D = 32, block = 18 * D * D + 15 * D;
        constexpr int root = (4 * D + D) + 16 * D + (256 * D + D) + (D * D + D) + 11 * D + (2 * D * D + 2 * D) + (4 * D + 4);
        QTest::newRow("E-031 the whole model one unit") << OptionTexts {{"engine.wrap.keep_in_root", "*"}} << QStringList {".* in 1 units, .*"};
        QTest::newRow("E-031 blocks in twos") << OptionTexts {{"engine.wrap.min_params", "20000"}} << QStringList {".* in 3 units, .*"};
        QTest::newRow("E-206 the size of the model")
            << OptionTexts {}
            << QStringList {QStringLiteral("%1 parameters, %1 of them trained, in 4 units, 2 shards, 1 replicas, sequences over 1 ranks").arg(root + 3 * block)};
    }
    void theLogTellsOfEveryStepOfTheWay()
    {
        QFETCH(OptionTexts, options);
        QFETCH(QStringList, inOrder);
        WorkerRun run(experimentWith(2, options + OptionTexts {{"run.total_steps", "2"}}));
        QCOMPARE(run.run(), allWell(2));
        const QStringList log = logOf(run, 0);
        qsizetype from = 0;
        for (const QString& expected : inOrder) {
            from = log.indexOf(QRegularExpression(QRegularExpression::anchoredPattern(expected)), from) + 1;
            QVERIFY2(from > 0, qPrintable("not there, or not there yet: " + expected + "\n" + log.join('\n')));
        }
    }

    void aRunSpeaksOnceAndEveryRankForItself_data()
    {
        QTest::addColumn<QString>("said");
        QTest::addColumn<bool>("isOfAllRanks");
        QTest::newRow("E-208 the size of the model") << "of them trained" << false;
        QTest::newRow("E-208 memory") << "memory with the shards" << true;
    }
    void aRunSpeaksOnceAndEveryRankForItself()
    {
        QFETCH(QString, said);
        QFETCH(bool, isOfAllRanks);
        WorkerRun run(experimentWith(2, {{"run.total_steps", "2"}}));
        QCOMPARE(run.run(), allWell(2));
        for (const int rank : {0, 1}) {
            const QStringList log = logOf(run, rank);
            QVERIFY2(log.filter("not a line").isEmpty(), qPrintable(log.join('\n')));
            QCOMPARE(log.filter(said).size(), rank == 0 || isOfAllRanks ? 1 : 0);
        }
    }

    void memoryIsToldOfAFailureToo_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::addColumn<int>("exitCode");
        QTest::newRow("no data") << OptionTexts {{"data.path", "/proc/self/status"}} << 1;
        QTest::newRow("E-039 no memory for the model") << OptionTexts {{"model.width", "8192"}} << 4;
    }
    void memoryIsToldOfAFailureToo()
    {
        QFETCH(OptionTexts, options);
        QFETCH(int, exitCode);
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        if (exitCode == 4)
            QSKIP("a sanitizer's own memory does not fit into a limited address space");
#endif
        WorkerRun run(experimentWith(1, options));
        run.limitMemory(exitCode == 4 ? std::uint64_t {3} << 30 : 0);
        run.start();
        auto& rank = run.rank(0);
        QVERIFY(rank.waitForFinished(60000));
        QCOMPARE(rank.exitCode(), exitCode);
        const QStringList log = logOf(run, 0);
        QVERIFY2(log.filter("memory at the failure: ").size() == 1, qPrintable(log.join('\n')));
        QCOMPARE(log.contains("builds the model"), exitCode == 4);
        QVERIFY(log.filter("memory with the shards").isEmpty());
    }

    void withoutTheOtherRanksNothingIsBuilt_E001()
    {
        WorkerRun run(experimentWith(2, {{"launch.timeout", "5"}}));
        run.start();
        run.rank(1).kill();
        QVERIFY(run.rank(0).waitForFinished(60000));
        QCOMPARE(run.rank(0).exitCode(), 3);
        const QStringList log = logOf(run, 0);
        QVERIFY2(log.contains("waits for the other ranks") && log.filter("the 2 ranks could not connect").size() == 1
                && log.filter("memory before the model").isEmpty(), qPrintable(log.join('\n')));
    }

    void whatCannotBeIsRefusedBeforeWeightsAreDrawn_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::addColumn<QString>("said");
        QTest::newRow("E-001 E-004 E-214 parameters")
            << OptionTexts {{"model.trainable", "blocks.*, lm_head"}} << "model.trainable: no parameter is called \"lm_head\"";
        QTest::newRow("E-001 E-031 E-214 blocks")
            << OptionTexts {{"engine.wrap.keep_in_root", "blocks.0, lm_head"}} << "engine.wrap.keep_in_root: no block is called \"lm_head\"; the model has blocks.0 … blocks.2";
        QTest::newRow("E-001 E-214 ranks") << OptionTexts {{"engine.shard_size", "2"}} << "engine.shard_size = 2 does not divide the 3 ranks";
        QTest::newRow("E-144 E-214 samples")
            << OptionTexts {{"batch.global", "100"}}
            << "batch.global = 100 is not a multiple of batch.micro = 8 times the 3 data-parallel ranks";
    }
    void whatCannotBeIsRefusedBeforeWeightsAreDrawn()
    {
        QFETCH(OptionTexts, options);
        QFETCH(QString, said);
        WorkerRun run(experimentWith(3, options));
        run.start();
        for (const int rank : {0, 1, 2}) {
            QVERIFY(run.rank(rank).waitForFinished(60000));
            QCOMPARE(run.rank(rank).exitCode(), 2);
            const QString all = QString::fromUtf8(run.rank(rank).readAll());
            QVERIFY2(all.contains(said) && !all.contains("with the shards"), qPrintable(all));
        }
    }

    void anAttemptWithoutACheckpointBeginsAnew_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("1 rank") << 1;
        QTest::newRow("2 ranks") << 2;
    }
    void anAttemptWithoutACheckpointBeginsAnew()
    {
        QFETCH(int, ranks);
        const auto experiment = experimentWith(ranks, {{"run.total_steps", "5"}, {"run.deterministic", "true"}});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(ranks));
        const auto first = run.metric("loss");
        run.prepareAttempt(experiment);
        QCOMPARE(run.run(), allWell(ranks));
        QCOMPARE(run.metric("loss"), first);
        QCOMPARE(first.size(), 5U);
    }

    void ranksThatShareSamplesCountOnce_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::newRow("E-017 E-029 Ulysses") << OptionTexts {{"engine.ulysses", "2"}};
        QTest::newRow("E-017 E-029 ring") << OptionTexts {{"engine.ring", "2"}};
    }
    /// Two pairs of ranks: each pair computes one loss, and the run's loss is their mean.
    void ranksThatShareSamplesCountOnce()
    {
        QFETCH(OptionTexts, options);
        WorkerRun run(experimentWith(4, options + OptionTexts {{"run.total_steps", "3"}, {"batch.micro", "12"}}));
        QCOMPARE(run.run(), allWell(4));
        const auto whole = run.metric("loss");
        QCOMPARE(whole.size(), 3U);
        const auto of = [&](int rank, std::int64_t step) { return run.metric("rank/loss", rank).at(step); };
        for (const auto& [step, loss] : whole) {
            QVERIFY(std::abs(of(0, step) - of(1, step)) < 1e-6 && std::abs(of(2, step) - of(3, step)) < 1e-6);
            QVERIFY(std::abs(of(0, step) - of(2, step)) > 1e-4);
            QVERIFY(std::abs((of(0, step) + of(2, step)) / 2 - loss) < 1e-6);
        }
        for (const int rank : {1, 2, 3})
            QVERIFY(run.metric("loss", rank).empty() && run.metric("grad_norm", rank).empty());
    }

    void attentionThatCannotBeFallsBack_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<bool>("isPossible");
        for (const char* kernel : {"auto", "math", "by_head", "flash"})
            QTest::newRow(kernel) << kernel << true;
        for (const char* kernel : {"efficient", "cudnn"})
            QTest::newRow(kernel) << kernel << false;
    }
    void attentionThatCannotBeFallsBack()
    {
        QFETCH(QString, kernel);
        QFETCH(bool, isPossible);
        WorkerRun run(experimentWith(1, {{"run.total_steps", "1"}, {"engine.attention", kernel}, {"run.device", "cpu"}}));
        QCOMPARE(run.run(), allWell(1));
        const std::string said = "engine.attention = " + kernel.toStdString() + " falls back to auto: it runs on GPUs only";
        QCOMPARE(run.hasText("event", "message", said), !isPossible);
    }

    void attentionOverARingIsItsOwn_data()
    {
        QTest::addColumn<QString>("kernel");
        QTest::addColumn<bool>("isSaid");
        for (const auto& [kernel, isSaid] : std::initializer_list<std::pair<const char*, bool>> {{"auto", false}, {"flash", false}, {"math", true}, {"by_head", true}})
            QTest::addRow("E-008 %s", kernel) << kernel << isSaid;
    }
    void attentionOverARingIsItsOwn()
    {
        QFETCH(QString, kernel);
        QFETCH(bool, isSaid);
        const OptionTexts ring = {{"run.total_steps", "1"}, {"run.device", "cpu"}, {"run.deterministic", "true"}, {"engine.ring", "2"}};
        WorkerRun run(experimentWith(2, ring + OptionTexts {{"engine.attention", kernel}})), automatic(experimentWith(2, ring));
        QCOMPARE(run.run(), allWell(2));
        const QString said = "engine.attention = " + kernel + " falls back to auto: ring attention runs on the flash kernel only";
        QCOMPARE(run.hasText("event", "message", said.toStdString()), isSaid);
        const QStringList log = logOf(run, 0);
        QVERIFY2(log.indexOf(said) < log.indexOf(QRegularExpression("memory with the shards.*")), qPrintable(log.join('\n')));  // -1 if not said
        QCOMPARE(automatic.run(), allWell(2));
        QCOMPARE(run.metric("loss"), automatic.metric("loss"));
    }

    void theRateFollowsTheSchedule_data()
    {
        QTest::addColumn<OptionTexts>("options");
        QTest::newRow("E-178 AdamW") << OptionTexts {};
        QTest::newRow("E-178 Muon") << OptionTexts {{"optim.kind", "muon"}};
    }
    void theRateFollowsTheSchedule()
    {
        QFETCH(OptionTexts, options);
        WorkerRun run(experimentWith(1, options + OptionTexts {{"schedule.type", "cosine"}, {"schedule.warmup_steps", "4"}, {"optim.lr", "0.01"}}));
        QCOMPARE(run.run(), allWell(1));
        const auto rates = run.metric("lr");
        QCOMPARE(rates.size(), 20U);
        for (const auto& [step, rate] : rates) {
            const double applied = static_cast<double>(step - 1);  // before this one
            const double factor = applied < 4 ? applied / 4 : (1 + std::cos(std::numbers::pi * (applied - 4) / 16)) / 2;
            QVERIFY(std::abs(rate - 0.01 * factor) < 1e-12);
        }
    }

    void checkpointsHoldPartsOfTheModelsOwnTensors_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("E-040 E-049 1 rank: one file, whole") << 1;
        QTest::newRow("E-040 E-049 3 ranks: a part of each") << 3;
    }
    void checkpointsHoldPartsOfTheModelsOwnTensors()
    {
        QFETCH(int, ranks);
        const auto experiment = experimentWith(ranks, {{"run.total_steps", "1"}});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), allWell(ranks));
        std::map<std::string, std::int64_t> expected;  // elements by name
        std::int64_t total = 0;
        for (const engine::UnitSpec& unit : engine::buildModel(experiment, {})->units()) {
            for (const engine::ParameterSpec& parameter : unit.parameters) {
                for (const char* kind : {"model/", "ema/", "exp_avg/", "exp_avg_sq/"})
                    total += expected[kind + parameter.name] = parameter.elements();
            }
        }
        std::map<std::string, std::int64_t> elementsOfFile;
        for (const auto& tensor : contract::readManifest(run.folder().checkpoint(1)).tensors) {
            QVERIFY2(expected.contains(tensor.name), tensor.name.c_str());
            std::uint64_t next = 0;  // pieces follow each other, and none lies in two files
            for (const auto& piece : tensor.pieces) {
                QCOMPARE(piece.begin, next);
                next += piece.count;
                elementsOfFile[piece.file] += static_cast<std::int64_t>(piece.count);
            }
            QCOMPARE(static_cast<std::int64_t>(next), expected[tensor.name]);
            expected.erase(tensor.name);
        }
        QVERIFY2(expected.empty(), expected.empty() ? "" : expected.begin()->first.c_str());
        QCOMPARE(static_cast<int>(elementsOfFile.size()), ranks);
        for (const auto& [file, elements] : elementsOfFile)
            QVERIFY2(elements * ranks < total * 11 / 10, file.c_str());
    }

    void oneFormatWhateverTheDtype_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::newRow("E-215 bf16, then fp32") << "bf16" << "fp32";
        QTest::newRow("E-215 fp32, then bf16") << "fp32" << "bf16";
    }
    void oneFormatWhateverTheDtype()
    {
        QFETCH(QString, from);
        QFETCH(QString, to);
        const auto experiment = [](const QString& dtype, const char* steps) {
            return experimentWith(2, {{"engine.compute_dtype", dtype}, {"run.total_steps", steps}});
        };
        WorkerRun run(experiment(from, "3"));
        QCOMPARE(run.run(), allWell(2));
        run.prepareAttempt(experiment(to, "6"), 3);
        QCOMPARE(run.run(), allWell(2));
        QCOMPARE(run.metric("loss").begin()->first, std::int64_t {4});
        WorkerRun whole(experiment(to, "6"));
        QCOMPARE(whole.run(), allWell(2));
        const auto names = [](const WorkerRun& one) {
            std::set<std::string> all;
            for (const auto& [name, tensor] : one.checkpoint(6))
                all.insert(name);
            return all;
        };
        QCOMPARE(names(run), names(whole));
        QVERIFY(std::abs(run.metric("loss").at(6) - whole.metric("loss").at(6)) < 2e-2 * whole.metric("loss").at(6));
    }
};

QTEST_GUILESS_MAIN(ConstructionTest)
#include "tst_construction.moc"
