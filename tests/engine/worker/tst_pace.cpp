// M7: each attempt says in its journal how steps count in samples and epochs.
#include "tests/engine/worker/policy_run.h"

#include "engine/data/digits.h"

#include <QtTest>

using tests::WorkerRun;

namespace {

/// Of the last attempt: the step of its only pace record.
std::int64_t stepOf(const WorkerRun& run, int rank = 0)
{
    const auto paces = run.metric(contract::pace::kSamplesPerStep, rank);
    return paces.size() == 1 ? paces.begin()->first : -1;
}

double paceOf(const WorkerRun& run, const char* field) { return run.metric(field).at(stepOf(run)); }

}  // namespace

class PaceTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void m07_aResumeGoesOnFromTheSamplesSeen_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("micro");
        QTest::newRow("m07 the same batch") << 2 << 12;
        QTest::newRow("m07 half the batch on 3 ranks") << 3 << 4;
    }
    void m07_aResumeGoesOnFromTheSamplesSeen()
    {
        QFETCH(int, ranks);
        QFETCH(int, micro);
        auto experiment = tests::smallExperiment(2);
        experiment.set("run.total_steps", std::int64_t {5});
        WorkerRun run(experiment);
        QCOMPARE(run.run(), (std::vector {0, 0}));
        const auto images = static_cast<double>(
            engine::loadDigits(experiment.text("data.path"), experiment.real("data.validation_fraction"), 0).training.labels.size(0));
        QVERIFY(images > 1000);
        QCOMPARE(stepOf(run), std::int64_t(0));
        QCOMPARE(stepOf(run, 1), std::int64_t(-1));  // rank 0 says it for all
        QCOMPARE(paceOf(run, contract::pace::kSamples), 0.0);
        QCOMPARE(paceOf(run, contract::pace::kSamplesPerStep), 24.0);
        QCOMPARE(paceOf(run, contract::pace::kStepsPerEpoch), images / 24);

        auto next = tests::smallExperiment(ranks);
        next.set("run.total_steps", std::int64_t {7});
        next.set("batch.micro", std::int64_t {micro});
        run.prepareAttempt(next, 5);
        QCOMPARE(run.run(), std::vector<int>(static_cast<std::size_t>(ranks), 0));
        QCOMPARE(stepOf(run), std::int64_t(5));
        QCOMPARE(paceOf(run, contract::pace::kSamples), 120.0);
        QCOMPARE(paceOf(run, contract::pace::kSamplesPerStep), double(ranks * micro));
        QCOMPARE(paceOf(run, contract::pace::kStepsPerEpoch), images / (ranks * micro));
    }

    /// 4 of the 10 digits a round, of two updates: each digit comes once in 5 updates, which train on 8 samples each.
    void m07_anEpochOfRoundsSeesEachPromptOnce()
    {
        const tests::PolicyBase base;
        WorkerRun run(base.experiment(2));
        QCOMPARE(run.run(), (std::vector {0, 0}));
        QCOMPARE(stepOf(run), std::int64_t(0));
        QCOMPARE(paceOf(run, contract::pace::kSamplesPerStep), 8.0);
        QCOMPARE(paceOf(run, contract::pace::kStepsPerEpoch), 5.0);
    }
};

QTEST_GUILESS_MAIN(PaceTest)
#include "tst_pace.moc"
