// Real supervisors and real processes; only what a rank computes is fake.
#include "engine/contract/journal_parser.h"
#include "launcher/control_client.h"
#include "launcher/launch.h"
#include "tests/launcher/test_home.h"

#include <QElapsedTimer>
#include <QtTest>

#include <signal.h>
#include <sys/mount.h>

#include <fstream>

using launcher::ControlCommand;
using launcher::RunState;

namespace QTest {
template <>
char* toString(const RunState& state)
{
    return qstrdup(std::string(launcher::stateName(state)).c_str());
}
}  // namespace QTest

namespace {

/// M1: the right state within this time of looking.
constexpr int kSeenWithinMs = 3000;

QString causeOf(const contract::RunFolder& folder)
{
    return QString::fromStdString(launcher::inspectRun(folder).cause);
}

/// A disk of one megabyte.
class SmallDisk {
public:
    explicit SmallDisk(std::filesystem::path path)
        : m_path(std::move(path))
    {
        std::filesystem::create_directories(m_path);
        m_isMounted = ::mount("small", m_path.c_str(), "tmpfs", 0, "size=1m") == 0;
    }
    ~SmallDisk()
    {
        if (m_isMounted)
            ::umount2(m_path.c_str(), MNT_DETACH);
    }
    SmallDisk(const SmallDisk&) = delete;
    SmallDisk& operator=(const SmallDisk&) = delete;

    bool isMounted() const { return m_isMounted; }
    const std::filesystem::path& path() const { return m_path; }

    void fill() const
    {
        const std::string block(4096, 'x');
        std::ofstream file(m_path / "filler");
        while (file << block << std::flush) { }
    }

private:
    std::filesystem::path m_path;
    bool m_isMounted = false;
};

/// Makes a file end with its page, so that whatever comes next needs room on the disk.
void fillLastPage(const std::filesystem::path& file)
{
    constexpr std::uintmax_t kPage = 4096;
    const auto missing = kPage - std::filesystem::file_size(file) % kPage;
    std::ofstream(file, std::ios::app) << std::string(missing - 1, 'x') << '\n';
}

/// Records of a journal in which a field has that text.
int recordsWith(const std::filesystem::path& journal, const char* field, const char* text)
{
    std::ifstream stream(journal);
    contract::JournalParser parser;
    int count = 0;
    for (std::string line; std::getline(stream, line);)
        count += parser.parse(line).text(field) == text ? 1 : 0;
    return count;
}

int errorsIn(const std::filesystem::path& journal) { return recordsWith(journal, "level", "error"); }

}  // namespace

class SupervisorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunGoesFromStartingToFinished()
    {
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {8});
        const auto folder = launcher::createRun(test.home(), experiment);
        QCOMPARE(stateOf(folder), RunState::Interrupted);
        launcher::startSupervisor(folder);
        QVERIFY(launcher::isActive(stateOf(folder)));
        QTRY_COMPARE(stateOf(folder), RunState::Finished);
        const auto status = launcher::inspectRun(folder);
        QCOMPARE(status.step, 8);
        QCOMPARE(status.totalSteps, 8);
        QCOMPARE(status.ranks, 2);
        QVERIFY(status.cause.empty());
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        QCOMPARE(errorsIn(folder.journal(-1)), 0);
    }

    void m01_aKilledRankIsTheCause_data()
    {
        QTest::addColumn<int>("rank");
        QTest::newRow("rank 0") << 0;
        QTest::newRow("rank 1") << 1;
    }
    void m01_aKilledRankIsTheCause()
    {
        QFETCH(int, rank);
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::rank(folder, rank), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Failed, kSeenWithinMs);
        QVERIFY2(causeOf(folder).startsWith(QStringLiteral("Rank %1 was killed (signal 9) at step ").arg(rank)),
            qPrintable(causeOf(folder)));
        QTRY_VERIFY(TestHome::ranks(folder).empty());
    }

    void m01_aRankThatHangsWhenItsPeerDiesIsEnded()
    {
        TestHome test;
        TestHome::setFake("hang", 0);
        const auto folder = test.startedRun();
        QTRY_COMPARE(launcher::inspectRun(folder).step, 3);
        ::kill(TestHome::rank(folder, 1), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Failed, kSeenWithinMs);
        QVERIFY2(causeOf(folder).startsWith(QLatin1String("Rank 1 was killed (signal 9) at step ")),
            qPrintable(causeOf(folder)));
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void m01_aKilledSupervisorTakesItsRanksWithIt()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QCOMPARE(TestHome::ranks(folder).size(), std::size_t {2});
        ::kill(TestHome::supervisors(folder).front(), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Interrupted, kSeenWithinMs);
        QTRY_VERIFY(TestHome::ranks(folder).empty());
        QVERIFY2(causeOf(folder).contains(QLatin1String("ended without a word")), qPrintable(causeOf(folder)));
    }

    void aFailingRankIsTheCauseAndNotThoseThatLostIt_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("cause");
        QTest::newRow("failure") << QByteArray("exit") << 1
                                 << "Rank 1 failed (exit code 1) at step 3: the fake was told to fail";
        QTest::newRow("out of memory") << QByteArray("exit") << 4
                                       << "Rank 1 ran out of memory at step 3: the fake was told to fail";
        QTest::newRow("crash") << QByteArray("crash") << int {SIGSEGV}
                               << "Rank 1 crashed (signal 11, invalid memory access) at step 3; its log is "
                                  "logs/rank-1.log";
        QTest::newRow("killed with a torn journal") << QByteArray("torn") << 0
                               << "Rank 1 was killed (signal 9) at step 3; its log is logs/rank-1.log";
    }
    void aFailingRankIsTheCauseAndNotThoseThatLostIt()
    {
        QFETCH(QByteArray, what);
        QFETCH(int, code);
        QFETCH(QString, cause);
        TestHome test;
        TestHome::setFake(what.constData(), 1, code);
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QCOMPARE(causeOf(folder), cause);
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void m05_stopLeavesACheckpointAndNoProcess()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QElapsedTimer timer;
        timer.start();
        const auto reply = launcher::sendCommand(test.home(), folder, ControlCommand::Stop);
        QVERIFY2(timer.elapsed() <= 200, "M5: acknowledged within 200 ms");
        QVERIFY2(reply.isAccepted, reply.error.c_str());
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t {1});
        QCOMPARE(folder.checkpointSteps().front(), launcher::inspectRun(folder).step);
        QVERIFY(TestHome::ranks(folder).empty());
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        QVERIFY(!launcher::sendCommand(test.home(), folder, ControlCommand::Ping).isAccepted);
    }

    void m05_stopOfAHungRunSaysWhatItWaitsForAndKillEndsIt()
    {
        TestHome test;
        TestHome::setFake("hang", 1);
        const auto folder = test.startedRun();
        QTRY_COMPARE(launcher::inspectRun(folder).step, 3);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopping);
        QCOMPARE(launcher::inspectRun(folder).waitsFor, std::string("rank 0 finishes step 4"));
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Kill).isAccepted);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stopped, kSeenWithinMs);
        QCOMPARE(causeOf(folder), QStringLiteral("killed by the user"));
        QVERIFY(TestHome::ranks(folder).empty());
        QCOMPARE(errorsIn(folder.journal(-1)), 0);
    }

    void m05_stopNowLeavesWithoutACheckpoint()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::StopNow).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(causeOf(folder), QStringLiteral("stopped now"));
        QVERIFY(folder.checkpointSteps().empty());
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void m05_checkpointNowGoesOn()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Checkpoint).isAccepted);
        QTRY_VERIFY(!folder.checkpointSteps().empty());
        const auto before = folder.checkpointSteps().size();
        ::kill(TestHome::supervisors(folder).front(), SIGUSR1);
        QTRY_VERIFY(folder.checkpointSteps().size() > before);
        QCOMPARE(stateOf(folder), RunState::Running);
    }

    void sigtermToTheSupervisorStopsWithACheckpoint()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::supervisors(folder).front(), SIGTERM);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t {1});
    }

    void m06_theSupervisorHasItsOwnSession()
    {
        TestHome test;
        const auto folder = test.startedRun();
        const pid_t supervisor = TestHome::supervisors(folder).front();
        QVERIFY(::getsid(supervisor) != ::getsid(0));
        QVERIFY(::getpgid(TestHome::rank(folder, 1)) != ::getpgid(0));
        std::ifstream status("/proc/" + std::to_string(supervisor) + "/stat");
        std::string id, name, state, parent;
        status >> id >> name >> state >> parent;
        QVERIFY2(parent != std::to_string(::getpid()), "it would become our zombie");
    }

    void aHungRankStallsTheRunAndRecordsRecoverIt()
    {
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("launch.stall_after", std::int64_t {5});
        const auto folder = launcher::createRun(test.home(), experiment);
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        ::kill(TestHome::rank(folder, 1), SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stalled, 12'000);
        QVERIFY2(causeOf(folder).startsWith(QLatin1String("No rank has written a record for ")),
            qPrintable(causeOf(folder)));
        QTRY_COMPARE(recordsWith(folder.journal(-1), "kind", "stalled"), 1);
        // The event itself is no sign of life, neither for the supervisor nor for who looks.
        QVERIFY(!QTest::qWaitFor([&] { return recordsWith(folder.journal(-1), "kind", "recovered") > 0; }, 500));
        QCOMPARE(stateOf(folder), RunState::Stalled);
        ::kill(TestHome::rank(folder, 1), SIGCONT);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QTRY_COMPARE(recordsWith(folder.journal(-1), "kind", "recovered"), 1);
    }

    void aRankThatIgnoresSignalsIsKilledAfterStopNow()
    {
        TestHome test;
        TestHome::setFake("deaf", 0);
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::StopNow).isAccepted);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stopped, 14'000);
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void m05_aFloodOfOutputDelaysNoAnswer()
    {
        TestHome test;
        TestHome::setFake("flood", 0);
        const auto folder = test.startedRun();
        QTRY_VERIFY(launcher::inspectRun(folder).step >= 3);
        for (int i = 0; i < 20; ++i) {
            QElapsedTimer timer;
            timer.start();
            QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Ping).isAccepted);
            QVERIFY(timer.elapsed() <= 200);
        }
    }

    void aSecondSupervisorOfTheSameRunIsRefused()
    {
        TestHome test;
        const auto folder = test.startedRun();
        try {
            launcher::startSupervisor(folder);
            QFAIL("started twice");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("already looked after by process")),
                error.what());
        }
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        // The refused one has told its reason and may still be on its way out.
        QTRY_COMPARE(TestHome::supervisors(folder).size(), std::size_t {1});
        QVERIFY_THROWS_EXCEPTION(
            std::runtime_error, launcher::prepareResume(folder, std::nullopt, std::nullopt));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::moveToTrash(test.home(), folder));
    }

    void aMissingWorkerIsNamedAndTheRunHasFailed()
    {
        TestHome test;
        qputenv("ATELIER_WORKER", "/nowhere/atelier-worker");
        const auto folder = launcher::createRun(test.home(), test.experiment());
        try {
            launcher::startSupervisor(folder);
            QFAIL("started without a worker");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("/nowhere/atelier-worker is missing")),
                error.what());
        }
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QVERIFY(causeOf(folder).contains(QLatin1String("/nowhere/atelier-worker is missing")));
    }

    void aSupervisorThatEndsAtOnceIsReportedWithItsLastLine()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment());
        const auto script = test.path() / "broken";
        std::ofstream(script) << "#!/bin/sh\necho 'error: libQt6Core.so.6 is missing' >&2\nexit 1\n";
        std::filesystem::permissions(script, std::filesystem::perms::owner_all);
        qputenv("ATELIER_PROGRAM", script.c_str());
        try {
            launcher::startSupervisor(folder);
            QFAIL("started");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).endsWith(
                         QLatin1String("ended at once: error: libQt6Core.so.6 is missing")),
                error.what());
        }
    }

    void aResumedRunGoesOnFromItsCheckpointAndIgnoresOldCommands()
    {
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(launcher::sendCommand(test.home(), folder, ControlCommand::Stop).isAccepted);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
        const auto step = folder.checkpointSteps().back();

        QCOMPARE(launcher::prepareResume(folder, std::nullopt, std::nullopt), 2);
        QCOMPARE(folder.readStart(2).parentStep, step);
        QCOMPARE(folder.readStart(2).parentCheckpoint, "checkpoints/step-" + std::to_string(step));
        QVERIFY(folder.readStart(2).controlOffset > 0);
        QCOMPARE(stateOf(folder), RunState::Interrupted);
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QCOMPARE(launcher::inspectRun(folder).attempt, 2);
        QTRY_VERIFY(launcher::inspectRun(folder).step > step + 3);
    }

    void aFullDiskAtTheStartIsSaid()
    {
        TestHome test;
        const auto folder = launcher::createRun(test.home(), test.experiment());
        std::filesystem::create_symlink("/dev/full", folder.journal(-1));
        try {
            launcher::startSupervisor(folder);
            QFAIL("started on a full disk");
        } catch (const std::runtime_error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(QLatin1String("No space left on device; free some")),
                error.what());
        }
        QVERIFY(TestHome::ranks(folder).empty());
    }

    void aDiskThatFillsUpLeavesALastWord()
    {
        TestHome test;
        SmallDisk disk(test.path() / "small");
        if (!disk.isMounted())
            QSKIP("mounting a small disk needs root");
        launcher::DataHome home = test.home();
        home.data = disk.path();
        const auto folder = launcher::createRun(home, test.experiment());
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        fillLastPage(folder.journal(-1));
        disk.fill();
        QTRY_COMPARE(stateOf(folder), RunState::Failed);
        QVERIFY2(causeOf(folder).startsWith(QLatin1String("Rank ")), qPrintable(causeOf(folder)));
        QVERIFY(TestHome::ranks(folder).empty());
        QTRY_VERIFY(TestHome::supervisors(folder).empty());
    }
};

QTEST_GUILESS_MAIN(SupervisorTest)
#include "tst_supervisor.moc"
