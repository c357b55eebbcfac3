// Runs whose ranks or supervisor are killed, fail, stall or find the disk full. Supervisors and processes are real; only
// the computation of the ranks is fake.
#include "launcher/runs/launch.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QtTest>

#include <signal.h>
#include <sys/mount.h>

#include <fstream>

using launcher::RunState;

namespace {

/// M1: inspectRun() must report the right state within this time.

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

/// Appends records of about 100 bytes each to a rank's journal.
void addNotices(const std::filesystem::path& journal, int count)
{
    std::string text;
    for (int i = 0; i < count; ++i)
        text += R"({"type":"event","step":1,"t_ms":1,"level":"info","kind":"notice","message":"one of many records of this rank"})" "\n";
    std::ofstream(journal, std::ios::app) << text << std::flush;
}

/// Extends a file to the end of its page, so that the next write needs a new disk block.
void fillLastPage(const std::filesystem::path& file)
{
    constexpr std::uintmax_t kPage = 4096;
    const auto missing = kPage - std::filesystem::file_size(file) % kPage;
    std::ofstream(file, std::ios::app) << std::string(missing - 1, 'x') << '\n';
}

}  // namespace

class SupervisorTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aRunGoesFromStartingToFinished()
    {
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {8});
        const auto folder = launcher::createRun(test.home(), experiment).folder;
        QCOMPARE(stateOf(folder), RunState::Prepared);
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

    void aRunIsActiveUntilWhatItsEndBringsIsDone()
    {
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("run.total_steps", std::int64_t {2});
        const auto folder = launcher::createRun(test.home(), experiment).folder;
        const auto file = folder.root() / "at-the-end";
        std::ofstream(file).close();
        launcher::startSupervisor(folder);
        QTRY_VERIFY(std::filesystem::file_size(file) > 0);
        QVERIFY(launcher::isActive(stateOf(folder)));
        std::filesystem::remove(file);
        QTRY_COMPARE(stateOf(folder), RunState::Finished);
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
        QVERIFY2(causeOf(folder).startsWith(QStringLiteral("Rank %1 was killed (signal 9) after step ").arg(rank)),
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
        QVERIFY2(causeOf(folder).startsWith(QLatin1String("Rank 1 was killed (signal 9) after step ")),
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
        QVERIFY2(causeOf(folder).contains(QLatin1String("ended unexpectedly")), qPrintable(causeOf(folder)));
    }

    void aFailingRankIsTheCauseAndNotThoseThatLostIt_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("cause");
        QTest::newRow("failure") << QByteArray("exit") << 1
                                 << "Rank 1 failed (exit code 1) after step 3: the fake was told to fail";
        QTest::newRow("out of memory") << QByteArray("exit") << 4
                                       << "Rank 1 ran out of memory after step 3: the fake was told to fail";
        QTest::newRow("crash") << QByteArray("crash") << int {SIGSEGV}
                               << "Rank 1 crashed (signal 11, invalid memory access) after step 3; its log is "
                                  "logs/rank-1.log";
        QTest::newRow("killed with a torn journal") << QByteArray("torn") << 0
                               << "Rank 1 was killed (signal 9) after step 3; its log is logs/rank-1.log";
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

    void aHungRankStallsTheRunAndRecordsRecoverIt_data()
    {
        QTest::addColumn<int>("more");
        QTest::newRow("defect-21: in a journal of more than 64 kB") << 1000;
    }
    void aHungRankStallsTheRunAndRecordsRecoverIt()
    {
        QFETCH(int, more);
        TestHome test;
        auto experiment = test.experiment();
        experiment.set("launch.stall_after", std::int64_t {5});
        const auto folder = launcher::createRun(test.home(), experiment).folder;
        launcher::startSupervisor(folder);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        addNotices(folder.journal(0), more);
        ::kill(TestHome::rank(folder, 1), SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stalled, 12'000);
        QVERIFY2(causeOf(folder).startsWith(QLatin1String("No rank has written a record for ")),
            qPrintable(causeOf(folder)));
        QTRY_COMPARE(recordsWith(folder.journal(-1), "kind", "stalled"), 1);
        QCOMPARE(stateOf(folder), RunState::Stalled);
        ::kill(TestHome::rank(folder, 1), SIGCONT);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QTRY_COMPARE(recordsWith(folder.journal(-1), "kind", "recovered"), 1);
    }

    void whatRankZeroSaysOfItsEndCounts_data()
    {
        QTest::addColumn<int>("more");
        QTest::newRow("a short journal") << 0;
        QTest::newRow("defect-21: a journal of more than 64 kB") << 1000;
    }
    /// As when a batch system stops the ranks: the supervisor was not asked to.
    void whatRankZeroSaysOfItsEndCounts()
    {
        QFETCH(int, more);
        TestHome test;
        const auto folder = test.startedRun();
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        addNotices(folder.journal(0), more);
        ::kill(TestHome::rank(folder, 1), SIGTERM);
        QTRY_COMPARE(stateOf(folder), RunState::Stopped);
    }

    void aDiskThatFillsUpLeavesALastWord()
    {
        TestHome test;
        SmallDisk disk(test.path() / "small");
        if (!disk.isMounted())
            QSKIP("mounting a small disk needs root");
        launcher::DataHome home = test.home();
        home.data = disk.path();
        const auto folder = launcher::createRun(home, test.experiment()).folder;
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
