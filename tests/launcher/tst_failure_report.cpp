// N5: which rank went first in an attempt that failed, how, its last lines and memory, and what the others did.
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_writer.h"
#include "launcher/runs/launch.h"
#include "launcher/state/failure_report.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QDateTime>
#include <QTest>

#include <csignal>
#include <fstream>

using launcher::RunState;

namespace {

constexpr std::int64_t kStart = 1795255200000;

QString words(const std::string& text) { return QString::fromStdString(text); }

/// A run's files, written as the supervisor and its ranks would.
class WrittenRun {
public:
    explicit WrittenRun(const launcher::DataHome& home)
        : m_folder(home.runs() / "digits-20261121-100000-aaaa")
    {
        std::filesystem::create_directories(m_folder.journals());
        std::filesystem::create_directories(m_folder.logs());
    }

    const contract::RunFolder& folder() const { return m_folder; }

    void startAttempt(int attempt, int ranks, std::int64_t startUnixMs)
    {
        m_attempt = attempt;
        m_startUnixMs = startUnixMs;
        std::filesystem::create_directories(m_folder.attempt(attempt));
        contract::writeFileAtomically(m_folder.config(attempt), contract::Experiment().toToml(contract::Experiment::Write::Everything));
        contract::AttemptStart start;
        start.attempt = attempt;
        start.startUnixMs = startUnixMs;
        start.ranks = ranks;
        m_folder.writeStart(start);
    }

    contract::JournalWriter journal(int rank) const
    {
        return {m_folder.journal(rank), {.version = 1, .run = m_folder.id(), .attempt = m_attempt, .rank = rank, .host = {}, .startUnixMs = m_startUnixMs + laterMs}};
    }

    void writeSteps(int rank, std::int64_t steps, const std::string& then = {}) const
    {
        contract::JournalWriter writer = journal(rank);
        for (std::int64_t step = 1; step <= steps; ++step)
            writer.begin(contract::record::kStep, step).add(contract::metric::kResident, 1e9 + static_cast<double>(step)).commit();
        if (!then.empty())
            writer.begin(contract::record::kActivity, steps).add("message", then).commit();
    }

    struct Exit {
        int rank;
        const char* how;  ///< signal or exit_code
        int code;
        const char* level;
        const char* message;
    };
    void writeEnd(const std::vector<Exit>& exits, const char* outcome, const char* cause) const
    {
        contract::JournalWriter writer = journal(contract::kSupervisorRank);
        for (const Exit& exit : exits) {
            writer.begin(contract::record::kEvent, 0).add("level", exit.level).add("kind", contract::event::kRankExit);
            writer.add("rank", std::int64_t {exit.rank}).add(exit.how, std::int64_t {exit.code}).add("message", exit.message).commit();
        }
        writer.begin(contract::record::kEnd, 0).add("outcome", outcome).add("cause", cause).commit();
    }

    std::int64_t laterMs = 0;  ///< how much later the journals that follow are written

private:
    contract::RunFolder m_folder;
    int m_attempt = 0;
    std::int64_t m_startUnixMs = 0;
};

}  // namespace

class FailureReportTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void N5_theRankThatCrashed()
    {
        TestHome home;
        TestHome::setFake("crash", 1, SIGSEGV);
        const contract::RunFolder folder = home.startedRun();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Failed, 20000);
        const auto report = launcher::readFailure(folder);
        QVERIFY(report);
        QCOMPARE(report->first, 1);
        QCOMPARE(report->attempt, 1);
        QVERIFY(words(report->firstRank().end).startsWith("Rank 1 crashed (signal 11, invalid memory access) after step 3"));
        QCOMPARE(report->firstRank().step, 3);
        QCOMPARE(words(report->cause), causeOf(folder));
        QCOMPARE(report->ranks.size(), std::size_t(2));
        QVERIFY(words(report->ranks[0].end).contains("Rank 0 lost its peers") || report->ranks[0].endedBySupervisor);
        QVERIFY(words(launcher::failureText(*report)).contains("First: rank 1"));
    }

    void N5_aRunThatDoesNotFailHasNoReport()
    {
        TestHome home;
        const contract::RunFolder folder = home.startedRun();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Running, 20000);
        QVERIFY(!launcher::readFailure(folder));
        QVERIFY(!launcher::readFailure(folder, 1));
        QVERIFY(!launcher::readFailure(folder, 2));
    }

    void N5_whichRankAStalledRunWaitsFor()
    {
        TestHome home;
        auto experiment = home.experiment();
        experiment.set("launch.stall_after", std::int64_t {5});
        const contract::RunFolder folder = launcher::createRun(home.home(), experiment).folder;
        launcher::startSupervisor(folder);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Running, 20000);
        const pid_t silent = TestHome::rank(folder, 1);
        ::kill(silent, SIGSTOP);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(folder), RunState::Stalled, 20000);
        const auto report = launcher::readFailure(folder);
        QVERIFY(report && report->isStalled);
        QCOMPARE(report->first, 1);
        QCOMPARE(words(report->firstRank().end), QString("its process has been stopped; `kill -CONT %1` lets it go on").arg(silent));
        QCOMPARE(words(report->ranks[0].end), QString("its process sleeps: it waits"));
        QVERIFY(words(report->cause).startsWith("No rank has written a record for "));
        const QString text = words(launcher::failureText(*report));
        QVERIFY2(text.contains("Furthest behind: rank 1\n  its process has been stopped"), qPrintable(text));
        ::kill(silent, SIGCONT);
        QTRY_COMPARE(stateOf(folder), RunState::Running);
        QVERIFY(!launcher::readFailure(folder));
    }

    void N5_memoryAndLinesOfTheRankThatWentFirst()
    {
        const TestHome home;
        WrittenRun run(home.home());
        run.startAttempt(1, 3, kStart);
        for (int rank = 0; rank < 3; ++rank)
            run.writeSteps(rank, rank == 2 ? 40 : 41, rank == 0 ? "draws samples" : "");
        run.writeEnd({{0, "exit_code", 3, "error", "Rank 0 lost its peers after step 41: all-gather of blocks.3 failed: closed"},
                         {2, "signal", 9, "error", "Rank 2 was killed (signal 9, out of memory) after step 40"}, {1, "signal", 9, "info", "Rank 1 was killed (signal 9)"}},
            "failed", "Rank 2 was killed (signal 9, out of memory) after step 40");
        std::ofstream log(run.folder().log(2));
        for (int line = 1; line <= 50; ++line)
            log << "2026-11-21 10:15:11.000 [info] [rank 2] line " << line << "\n";
        log.close();
        run.journal(contract::kHostRank).begin(contract::record::kHost, 5).add(contract::metric::kHostMemory, 63e9).commit();

        const auto report = launcher::readFailure(run.folder());
        QVERIFY(report);
        QCOMPARE(report->first, 2);
        QCOMPARE(report->firstRank().step, 40);
        QCOMPARE(report->firstRank().memory.at(contract::metric::kResident), 1e9 + 40);
        QCOMPARE(report->machineMemory, std::optional(63e9));
        QCOMPARE(report->lastLines.size(), std::size_t(20));
        QVERIFY(words(report->lastLines.front()).endsWith("line 31") && words(report->lastLines.back()).endsWith("line 50"));
        QCOMPARE(words(report->ranks[0].activity), QString("draws samples"));
        const QString text = words(launcher::failureText(*report));
        QVERIFY2(text.contains("all-gather of blocks.3 failed"), qPrintable(text));
        QVERIFY2(text.contains("Rank 1: step 41") && text.contains("still ran; ended with the others"), qPrintable(text));
        QVERIFY2(text.contains("1.00 GB resident") && text.contains("63.00 GB"), qPrintable(text));
    }

    void N5_whereARankGaveUpWaitingTheSilentOneWentFirst()
    {
        const TestHome home;
        WrittenRun run(home.home());
        run.startAttempt(1, 2, kStart);
        run.writeSteps(1, 12);
        run.laterMs = 60'000;
        run.writeSteps(0, 12);
        run.writeEnd({{0, "exit_code", 6, "error", "Rank 0 waited too long for another rank after step 12: all-reduce of gradients"},
                         {1, "signal", 9, "info", "Rank 1 was killed (signal 9) after step 12"}},
            "failed", "Rank 0 waited too long");
        const auto report = launcher::readFailure(run.folder());
        QVERIFY(report);
        QCOMPARE(report->first, 1);
    }

    void N5_anAttemptThatWasResumed_data()
    {
        QTest::addColumn<QString>("zone");
        QTest::newRow("N5 without a zone") << QString();
        QTest::newRow("N5 another zone") << "+09:30";
    }
    void N5_anAttemptThatWasResumed()
    {
        QFETCH(QString, zone);
        const TestHome home;
        WrittenRun run(home.home());
        run.startAttempt(1, 1, kStart);
        run.writeSteps(0, 7);
        run.writeEnd({{0, "exit_code", 1, "error", "Rank 0 failed (exit code 1) after step 7: no space"}}, "failed", "Rank 0 failed");
        const auto at = [&](std::int64_t unixMs) {
            const QDateTime here = QDateTime::fromMSecsSinceEpoch(unixMs), there = zone.isEmpty() ? here : here.toOffsetFromUtc(9 * 3600 + 1800);
            return (there.toString("yyyy-MM-dd HH:mm:ss.zzz") + zone).toStdString();
        };
        std::ofstream log(run.folder().log(0));
        log << at(kStart + 1000) << " [info] [rank 0] before\nterminate called\n" << at(kStart + 3'600'000) << " [info] [rank 0] after\n";
        log.close();
        run.startAttempt(2, 1, kStart + 3'600'000);
        run.writeSteps(0, 9);
        run.writeEnd({{0, "exit_code", 0, "info", "Rank 0 exited"}}, "finished", "");

        const auto report = launcher::readFailure(run.folder());
        QVERIFY(report);
        QCOMPARE(report->attempt, 1);
        QCOMPARE(report->firstRank().step, 7);
        QCOMPARE(report->lastLines.size(), std::size_t(2));
        QCOMPARE(words(report->lastLines.front()), QDateTime::fromMSecsSinceEpoch(kStart + 1000).toString("yyyy-MM-dd HH:mm:ss.zzz") + " [info] [rank 0] before");
        QCOMPARE(words(report->lastLines.back()), QString("terminate called"));
        QVERIFY(launcher::readFailure(run.folder(), 1) && !launcher::readFailure(run.folder(), 2));
        run.startAttempt(3, 1, kStart + 7'200'000);
        run.writeSteps(0, 11);
        run.writeEnd({{0, "exit_code", 1, "error", "Rank 0 failed (exit code 1) after step 11"}}, "failed", "Rank 0 failed");
        QVERIFY(!launcher::readFailure(run.folder(), 2));
        QCOMPARE(launcher::readFailure(run.folder())->attempt, 3);
    }

    void N5_aRankThatThereIsNot()
    {
        const TestHome home;
        WrittenRun run(home.home());
        run.startAttempt(1, 2, kStart);
        run.writeSteps(0, 2);
        run.writeEnd({{1'000'000, "signal", 9, "error", "Rank 1000000 was killed"}}, "failed", "Rank 1000000 was killed");
        const auto report = launcher::readFailure(run.folder());
        QVERIFY(report && report->first < 2);
        QVERIFY(!launcher::failureText(*report).empty());
    }

    void N5_damagedFilesLeaveOutWhatCannotBeRead_data()
    {
        QTest::addColumn<QByteArray>("supervisor");
        QTest::newRow("empty") << QByteArray();
        QTest::newRow("not a journal") << QByteArray("\x00\xff{{{\n\n}\n", 9);
    }
    void N5_damagedFilesLeaveOutWhatCannotBeRead()
    {
        QFETCH(QByteArray, supervisor);
        const TestHome home;
        WrittenRun run(home.home());
        run.startAttempt(1, 2, kStart);
        run.writeSteps(0, 2);
        std::ofstream(run.folder().journal(contract::kSupervisorRank)) << supervisor.toStdString();
        std::ofstream(run.folder().log(0)) << "20\n2026 \n";
        const auto report = launcher::readFailure(run.folder());
        QVERIFY(report);
        QCOMPARE(report->ranks.size(), std::size_t(2));
        QVERIFY(report->first == 0 || report->first == 1);
        QVERIFY(!launcher::failureText(*report).empty());
    }
};

QTEST_GUILESS_MAIN(FailureReportTest)
#include "tst_failure_report.moc"
