// N2: where attempts overlap, their values are compared.
#include "storage/ingest.h"
#include "storage/reports/resume_proof.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <cmath>
#include <limits>

using storage::ResumeProof;
using storage::Store;

namespace {

std::vector<ResumeProof> proofsOf(const RunHome& home)
{
    Store store(home.database());
    storage::catchUpAll(store, home.runs());
    return storage::resumeProofs(store, store.attempts("a"), store.series("a"));
}

double lossOf(std::int64_t step) { return 1.0 / static_cast<double>(step); }

std::string steps(std::int64_t first, std::int64_t last, double offset = 0, std::int64_t offsetFrom = 0)
{
    std::string lines;
    for (std::int64_t step = first; step <= last; ++step)
        lines += stepLine(step, static_cast<double>(step),
            {{"loss", lossOf(step) + (step >= offsetFrom ? offset : 0)}, {"grad_norm", 2}, {"time/step_ms", static_cast<double>(first + step)},
                {"images_per_s", static_cast<double>(first)}, {"timing_per_image_ms/gen", static_cast<double>(first)}});
    return lines;
}

}  // namespace

class ResumeProofTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N2_equalValuesProveTheResume()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 30);
        append(run.journal(0), headerLine(1, 0) + steps(1, 45) + headerLine(2, 0) + steps(31, 60));
        const auto proofs = proofsOf(home);
        QCOMPARE(proofs.size(), std::size_t(1));
        QCOMPARE(proofs[0], (ResumeProof {.former = 1, .later = 2, .firstStep = 31, .lastStep = 45, .steps = 15, .metrics = 2, .first = {}}));
    }

    void N2_theFirstStepThatDiffers()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 30);
        append(run.journal(0), headerLine(1, 0) + steps(1, 45) + headerLine(2, 0) + steps(31, 60, 1e-9, 37));
        const auto proofs = proofsOf(home);
        QCOMPARE(proofs.size(), std::size_t(1));
        QCOMPARE(proofs[0].first, std::optional(ResumeProof::Difference {37, "loss", lossOf(37), lossOf(37) + 1e-9}));
        QCOMPARE(proofs[0].steps, 15);
    }

    void N2_everyBitCounts()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 1);
        const double nan = std::numeric_limits<double>::quiet_NaN();
        append(run.journal(0), headerLine(1, 0) + stepLine(2, 1, {{"loss", nan}}) + stepLine(3, 1, {{"loss", 0.0}})
                + headerLine(2, 0) + stepLine(2, 1, {{"loss", nan}}) + stepLine(3, 1, {{"loss", -0.0}}));
        const auto proofs = proofsOf(home);
        QCOMPARE(proofs.size(), std::size_t(1));
        QVERIFY(proofs[0].first && proofs[0].first->step == 3);
    }

    void N2_ofManyStepsTheFirstHundredThousandAreCompared()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 5);
        std::string lines;
        for (const int attempt : {1, 2}) {
            lines += headerLine(attempt, 0);
            for (int step = attempt == 1 ? 1 : 6; step <= 100'010; ++step)
                lines += stepLine(step, step, {{"loss", step > 100'005 ? attempt : 1}});
        }
        append(run.journal(0), lines);
        const auto proofs = proofsOf(home);
        QCOMPARE(proofs.size(), std::size_t(1));
        QCOMPARE(proofs[0], (ResumeProof {.former = 1, .later = 2, .firstStep = 6, .lastStep = 100'005, .steps = 100'000, .isCut = true, .metrics = 1, .first = {}}));
    }

    void N2_attemptsWithoutCommonStepsProveNothing()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 45);
        beginAttempt(run, 3, 1, 60);
        append(run.journal(0), headerLine(1, 0) + steps(1, 45) + headerLine(2, 0) + steps(46, 60) + headerLine(3, 0) + steps(61, 70));
        QCOMPARE(proofsOf(home), std::vector<ResumeProof> {});
    }

    void N2_aThirdAttemptIsComparedWithTheLastThatWentAsFar()
    {
        const RunHome home;
        const auto run = home.createRun("a");
        beginAttempt(run, 2, 1, 30);
        beginAttempt(run, 3, 1, 30);
        append(run.journal(0), headerLine(1, 0) + steps(1, 45) + headerLine(2, 0) + steps(31, 33, 5) + headerLine(3, 0) + steps(31, 50));
        const auto proofs = proofsOf(home);
        QCOMPARE(proofs.size(), std::size_t(2));
        QCOMPARE(proofs[1].former, 2);
        QCOMPARE(proofs[1].lastStep, 33);
    }
};

QTEST_APPLESS_MAIN(ResumeProofTest)
#include "tst_resume_proof.moc"
