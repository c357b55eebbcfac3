// M5, M11: a resume goes on from the history of the last attempt, not from what an abandoned one has left.
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/attempt/history.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/runs/launch.h"
#include "launcher/supervisor/restarts.h"
#include "tests/launcher/run_evidence.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <fstream>

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kLatest = -1, kScratch = -1;

void keepCheckpoint(const contract::RunFolder& folder, std::int64_t step, int attempt)
{
    fs::create_directories(folder.checkpoint(step));
    std::ofstream(folder.checkpoint(step) / "rank-0.safetensors") << "12345678";
    contract::CheckpointManifest manifest;
    manifest.run = folder.id();
    manifest.attempt = attempt;
    manifest.step = step;
    manifest.model = "dit";
    manifest.fileBytes = {{"rank-0.safetensors", 8}};
    manifest.tensors = {{"model/w", "F32", {2}, {{"rank-0.safetensors", 0, 0, 2}}}};
    contract::writeManifest(folder.checkpoint(step), manifest);
}

/// An attempt that resumes from @p from, writes checkpoints, and afterwards some checkpoints are deleted.
struct Attempt {
    std::int64_t from = kLatest;
    std::vector<std::int64_t> writes = {};
    std::vector<std::int64_t> deleted = {};
};
using Attempts = std::vector<Attempt>;

contract::RunFolder runWith(const TestHome& test, const Attempts& attempts, bool isRecorded = true)
{
    const contract::RunFolder folder = launcher::createRun(test.home(), test.experiment()).folder;
    int number = 0;
    for (const Attempt& attempt : attempts) {
        if (++number > 1) {
            const auto from = attempt.from == kLatest ? std::nullopt : std::optional(attempt.from);
            launcher::prepareResume(folder, from, std::nullopt);
            contract::AttemptStart start = folder.readStart(number);
            start.parentAttempt = isRecorded ? start.parentAttempt : 0;
            folder.writeStart(start);
        }
        markStarted(folder, number);
        for (const std::int64_t step : attempt.writes)
            keepCheckpoint(folder, step, number);
        for (const std::int64_t step : attempt.deleted)
            fs::remove_all(folder.checkpoint(step));
    }
    return folder;
}

}  // namespace

class ResumeHistoryTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void M5_resumeGoesOnFromTheLastAttempt_data()
    {
        QTest::addColumn<Attempts>("attempts");
        QTest::addColumn<qint64>("step");
        QTest::addColumn<int>("writer");
        QTest::newRow("M5, M11: one attempt") << Attempts {{.writes = {1000, 2000, 3000}}} << qint64(3000) << 1;
        QTest::newRow("M5, M11: from where it began") << Attempts {{.writes = {1000, 2000, 3000}}, {.from = 1000}} << qint64(1000) << 1;
        QTest::newRow("M5, M11: its own") << Attempts {{.writes = {1000, 2000, 3000}}, {.from = 1000, .writes = {1200}}} << qint64(1200) << 2;
        QTest::newRow("M5, M11: twice without a checkpoint") << Attempts {{.writes = {1000, 2000, 3000}}, {.from = 1000}, {}} << qint64(1000) << 1;
        QTest::newRow("M5, M11: back to the first branch")
            << Attempts {{.writes = {1000, 2000, 3000}}, {.from = 1000, .writes = {1500}}, {.from = 3000}} << qint64(3000) << 1;
        QTest::newRow("M5, M11: the next older one") << Attempts {{.writes = {500, 1000, 2000}}, {.from = 1000, .deleted = {1000}}} << qint64(500) << 1;
        QTest::newRow("M5, M11: not what another attempt has put in the place of an ancestor's")
            << Attempts {{.writes = {1000, 2000, 3000}}, {.from = 1000, .writes = {2000}}, {.from = 3000, .deleted = {3000}}} << qint64(1000) << 1;
        QTest::newRow("M5, M11: its own in the place of the one from which it began")
            << Attempts {{.writes = {1000, 2000}}, {.from = 1000, .writes = {1000}}} << qint64(1000) << 2;
        QTest::newRow("M5, M11: none") << Attempts {{}, {}} << qint64(kScratch) << 0;
    }
    void M5_resumeGoesOnFromTheLastAttempt()
    {
        QFETCH(Attempts, attempts);
        QFETCH(qint64, step);
        for (const bool isRecorded : {true, false}) {  // an earlier version did not write down whose checkpoint it was
            if (!isRecorded && QByteArray(QTest::currentDataTag()).contains("in the place of an ancestor's"))
                continue;  // nothing tells any more
            const TestHome test;
            const contract::RunFolder folder = runWith(test, attempts, isRecorded);
            const int next = launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt;
            QCOMPARE(next, int(attempts.size()) + 1);
            const contract::AttemptStart start = folder.readStart(next);
            QCOMPARE(start.parentCheckpoint.empty() ? kScratch : start.parentStep, step);
            QTEST(start.parentAttempt, "writer");
            QVERIFY(start.notice.empty());
        }
    }

    /// Where a run with abandoned checkpoints alone began again, nobody would notice.
    void M5_abandonedCheckpointsAreNotPassedOverInSilence()
    {
        const TestHome test;
        const contract::RunFolder folder = runWith(test, {{.writes = {1000, 2000, 3000}}, {.from = 1000, .deleted = {1000}}});
        try {
            launcher::prepareResume(folder, std::nullopt, std::nullopt);
            QFAIL("resumed");
        } catch (const std::runtime_error& error) {
            QCOMPARE(QString(error.what()), QString::fromStdString("run " + folder.id() + " has no checkpoint from which its last attempt could go on, "
                "only those of abandoned attempts, at step 2000, 3000; choose one of them to resume from"));
        }
        QCOMPARE(folder.attempts().size(), std::size_t(2));
        QCOMPARE(launcher::prepareResume(folder, 3000, std::nullopt).attempt, 3);
    }

    /// A queued attempt that was prepared to begin from somewhere, and is replaced before it has begun.
    void M5_whatWasPreparedIsKept()
    {
        const TestHome test;
        const contract::RunFolder folder = runWith(test, {{.writes = {1000, 2000, 3000}}});
        QCOMPARE(launcher::prepareResume(folder, 1000, std::nullopt).attempt, 2);
        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt).attempt, 2);
        QCOMPARE(folder.readStart(2).parentStep, 1000);
    }

    void M5_restartsFollowTheFailedAttempt()
    {
        const TestHome test;
        const contract::RunFolder folder = runWith(test, {{.writes = {1000, 2000, 3000}}, {.from = 1000}});
        contract::Experiment experiment = test.experiment();
        experiment.set("launch.restarts", std::int64_t {1});
        launcher::Restarts restarts(folder, experiment);
        QVERIFY(restarts.wouldFollowHang(1500, 1000));
        QCOMPARE(restarts.judge(launcher::hangAt(1500), 1000, experiment).number, 1);
        QVERIFY(!restarts.wouldFollowHang(1600, 1000));  // the abandoned checkpoints are no progress
        QCOMPARE(restarts.judge(launcher::hangAt(1600), 1000, experiment).number, 0);
        const launcher::Restarts::Next next = restarts.prepare(experiment);
        QCOMPARE(next.start.attempt, 3);
        QCOMPARE(next.origin, std::string("step 1000"));
    }

    /// An attempt whose start cannot be read is taken to have gone on from the one before.
    void M5_anUnreadableStartCutsNothingOff()
    {
        const TestHome test;
        const contract::RunFolder folder = runWith(test, {{.writes = {1000}}, {.writes = {2000}}, {}});
        std::ofstream(folder.start(2)) << "torn";
        std::ofstream(folder.start(3)) << "torn";
        QCOMPARE(contract::latestCheckpoint(folder).step, std::optional<std::int64_t>(2000));
    }
};

QTEST_GUILESS_MAIN(ResumeHistoryTest)
#include "tst_resume_history.moc"
