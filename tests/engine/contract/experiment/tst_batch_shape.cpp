// The number of passes per step, and the batch sizes that are rejected.
#include "engine/contract/experiment/batch_shape.h"

#include <QtTest>

class BatchShapeTest : public QObject {
    Q_OBJECT

    static contract::Experiment experiment(std::int64_t global, std::int64_t micro, std::int64_t accumulation)
    {
        contract::Experiment result;
        result.set("batch.global", global);
        result.set("batch.micro", micro);
        result.set("batch.accumulation", accumulation);
        return result;
    }

private Q_SLOTS:
    void passesOfAStep_data()
    {
        QTest::addColumn<int>("global");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("dataRanks");
        QTest::addColumn<int>("passes");
        QTest::newRow("E-144 batch.accumulation as given") << 0 << 3 << 4 << 3;
        QTest::newRow("E-144 96 samples on one rank") << 96 << 1 << 1 << 12;
        QTest::newRow("E-144 96 samples on 4 ranks") << 96 << 1 << 4 << 3;
        QTest::newRow("E-144 96 samples on 12 ranks") << 96 << 1 << 12 << 1;
    }
    void passesOfAStep()
    {
        QFETCH(int, global);
        QFETCH(int, accumulation);
        QFETCH(int, dataRanks);
        std::optional<contract::Problem> problem;
        QTEST(static_cast<int>(contract::accumulationSteps(experiment(global, 8, accumulation), dataRanks, problem)), "passes");
        QVERIFY(!problem);
    }

    void whatDoesNotFitIsRefused_data()
    {
        QTest::addColumn<int>("global");
        QTest::addColumn<int>("accumulation");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("ulysses");
        QTest::addColumn<QString>("message");
        QTest::newRow("E-144 all three numbers are named")
            << 100 << 1 << 4 << 1
            << "batch.global = 100 is not a multiple of batch.micro = 8 times the 4 data-parallel ranks: choose a multiple";
        QTest::newRow("E-144 fewer than one pass")
            << 16 << 1 << 4 << 1
            << "batch.global = 16 is not a multiple of batch.micro = 8 times the 4 data-parallel ranks: choose a multiple";
        QTest::newRow("E-144 ranks that share a sample count once")
            << 24 << 1 << 4 << 2
            << "batch.global = 24 is not a multiple of batch.micro = 8 times the 2 data-parallel ranks: choose a multiple";
        QTest::newRow("E-144 both options are set")
            << 96 << 2 << 4 << 1
            << "batch.global = 96 determines the number of passes per step: remove batch.accumulation = 2";
    }
    void whatDoesNotFitIsRefused()
    {
        QFETCH(int, global);
        QFETCH(int, accumulation);
        QFETCH(int, ranks);
        QFETCH(int, ulysses);
        QFETCH(QString, message);
        auto bad = experiment(global, 8, accumulation);
        bad.set("launch.ranks", std::int64_t {ranks});
        bad.set("engine.ulysses", std::int64_t {ulysses});
        QStringList all;
        for (const contract::Problem& problem : bad.validate())
            all << QString::fromStdString(problem.message);
        QVERIFY2(all.contains(message), qPrintable(all.join('\n')));
    }
};

QTEST_APPLESS_MAIN(BatchShapeTest)
#include "tst_batch_shape.moc"
