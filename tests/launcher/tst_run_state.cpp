// inspectRun() on evidence that the tests create: journals by contract::JournalWriter, locks by their classes.
#include "engine/contract/run/journal_writer.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/run_facts.h"
#include "tests/launcher/test_home.h"

#include <QElapsedTimer>
#include <QtTest>

#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <fstream>

using launcher::RunState;
namespace fs = std::filesystem;

namespace {

contract::JournalWriter writer(const contract::RunFolder& folder, int rank, int attempt = 1)
{
    return {folder.journal(rank),
        {.version = contract::kJournalVersion, .run = folder.id(), .attempt = attempt, .rank = rank,
            .host = {}, .startUnixMs = 0}};
}

void writeSteps(contract::JournalWriter& journal, std::int64_t first, std::int64_t last)
{
    for (std::int64_t step = first; step <= last; ++step) {
        journal.begin(contract::record::kStep, step).add("loss", 0.5);
        journal.commit();
    }
}

void writeEnd(contract::JournalWriter& journal, const char* outcome, const char* cause)
{
    journal.begin(contract::record::kEnd, 0)
        .add("outcome", std::string_view(outcome))
        .add("cause", std::string_view(cause));
    journal.commit();
}

void changeLock(const contract::RunFolder& folder, const char* key, const nlohmann::json& value)
{
    std::ifstream stream(folder.supervisorLock());
    auto json = nlohmann::json::parse(stream);
    json[key] = value;
    std::ofstream(folder.supervisorLock()) << json.dump();
}

}  // namespace

class RunStateTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_test.emplace();
        m_folder.emplace(launcher::createRun(m_test->home(), m_test->experiment()).folder);
        m_lock.emplace(*m_folder);
    }
    void cleanup()
    {
        m_lock.reset();
        m_folder.reset();
        m_test.reset();
    }

    void m01_aReusedProcessIdOrARebootFoolsNobody_data()
    {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("cause");
        QTest::newRow("the id is a living process") << "pid" << QString::number(::getpid())
                                                    << "ended unexpectedly";
        QTest::newRow("the machine was started again") << "boot_id" << "another" << "was restarted";
    }
    void m01_aReusedProcessIdOrARebootFoolsNobody()
    {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, cause);
        hold();
        auto journal = writer(*m_folder, 0);
        writeSteps(journal, 1, 12);
        QCOMPARE(stateOf(*m_folder), RunState::Running);
        m_lock->release();
        bool isNumber = false;
        const qlonglong number = value.toLongLong(&isNumber);
        changeLock(*m_folder, key.toUtf8().constData(),
            isNumber ? nlohmann::json(number) : nlohmann::json(value.toStdString()));
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Interrupted);
        QVERIFY2(QString::fromStdString(status.cause).contains(cause), status.cause.c_str());
        QVERIFY(QString::fromStdString(status.cause).contains(QLatin1String("at step 12")));
    }

    void m01_theSupervisorOfAnotherMachineIsCutOff()
    {
        hold();
        auto journal = writer(*m_folder, 0);
        writeSteps(journal, 1, 3);
        m_lock->release();
        changeLock(*m_folder, "host", "elsewhere");
        QCOMPARE(stateOf(*m_folder), RunState::CutOff);
        auto supervisor = writer(*m_folder, -1);
        writeEnd(supervisor, "finished", "");
        QCOMPARE(stateOf(*m_folder), RunState::Finished);
    }

    void m01_aRunIsStartingFromItsFirstMomentAndPreparedUntilSomebodyStartsIt()
    {
        {
            const auto created = launcher::createRun(m_test->home(), m_test->experiment());
            const auto status = launcher::inspectRun(created.folder);
            QCOMPARE(status.state, RunState::Starting);
            QCOMPARE(status.waitsFor, std::string("its supervisor starts"));
            // The same before there is an attempt.
            fs::remove_all(created.folder.attempt(1));
            QCOMPARE(stateOf(created.folder), RunState::Starting);
        }
        QCOMPARE(stateOf(*m_folder), RunState::Prepared);
        {
            const auto resumed = launcher::prepareResume(*m_folder, std::nullopt, std::nullopt);
            QCOMPARE(stateOf(*m_folder), RunState::Starting);
            QVERIFY_THROWS_EXCEPTION(
                std::runtime_error, launcher::prepareResume(*m_folder, std::nullopt, std::nullopt));
            // A supervisor that has already run and ended is not about to start.
            hold(1);
            m_lock->release();
            QCOMPARE(stateOf(*m_folder), RunState::Interrupted);
        }
        launcher::prepareResume(*m_folder, std::nullopt, std::nullopt);
        QCOMPARE(m_folder->attempts(), (std::vector<int> {1, 2}));
        QCOMPARE(stateOf(*m_folder), RunState::Prepared);
        // One that was never started is replaced.
        launcher::prepareResume(*m_folder, std::nullopt, std::nullopt);
        QCOMPARE(m_folder->attempts(), (std::vector<int> {1, 2}));
    }

    void startingSaysWhichRankItWaitsFor()
    {
        hold();
        QCOMPARE(launcher::inspectRun(*m_folder).waitsFor, std::string("rank 0 starts"));
        auto zero = writer(*m_folder, 0);
        QCOMPARE(launcher::inspectRun(*m_folder).waitsFor, std::string("rank 1 starts"));
        auto one = writer(*m_folder, 1);
        one.begin(contract::record::kEvent, 0)
            .add("kind", std::string_view("phase"))
            .add("message", std::string_view("loads data"));
        one.commit();
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Starting);
        QCOMPARE(status.waitsFor, std::string("rank 1 loads data"));
    }

    void theSupervisorsWordIsFinalAndRankZerosStandsIn()
    {
        hold();
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 2);
        writeEnd(zero, "stopped", "");
        m_lock->release();
        QCOMPARE(stateOf(*m_folder), RunState::Stopped);
        auto supervisor = writer(*m_folder, -1);
        writeEnd(supervisor, "failed", "Rank 1 was killed (signal 9) at step 2");
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Failed);
        QCOMPARE(status.cause, std::string("Rank 1 was killed (signal 9) at step 2"));
    }

    void anEarlierAttemptsEndSaysNothingAboutTheNext()
    {
        hold();
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 5);
        writeEnd(zero, "finished", "");
        auto supervisor = writer(*m_folder, -1);
        writeEnd(supervisor, "finished", "");
        m_lock->release();
        launcher::prepareResume(*m_folder, std::nullopt, std::nullopt);
        auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Prepared);
        hold(2);
        QCOMPARE(stateOf(*m_folder), RunState::Starting);
        auto second = writer(*m_folder, 0, 2);
        writeSteps(second, 1, 1);
        status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Running);
        QCOMPARE(status.step, 1);
    }

    void tornAndStrangeLinesAreNoRecords()
    {
        hold();
        {
            auto zero = writer(*m_folder, 0);
            writeSteps(zero, 1, 4);
        }
        std::ofstream(m_folder->journal(0), std::ios::app)
            << "{\"type\":\"step\",\"step\":[5]}\n\xff\xfe\n{\"type\":\"end\",\"outcome\":\"fini";
        m_lock->release();
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Interrupted);
        QCOMPARE(status.step, 4);
    }

    void aLongLineHidesNoState_data()
    {
        QTest::addColumn<QByteArray>("last");
        const QByteArray event = R"({"type":"event","step":4,"t_ms":9,"level":"warning","kind":"notice","message":"%"})";
        QTest::newRow("defect-21: a long record") << QByteArray(event).replace("%", QByteArray(100'000, 'x')) + "\n";
        QTest::newRow("defect-21: the longest record that is legal") << QByteArray(event).replace("%", QByteArray(1'000'000, 'x')) + "\n";
        QTest::newRow("defect-21: a record that is being written") << QByteArray(event).replace("%", QByteArray(200'000, 'x')).chopped(2);
        QTest::newRow("defect-21: many records that are no steps") << (QByteArray(event).replace("%", QByteArray(1000, 'x')) + "\n").repeated(300);
        QTest::newRow("defect-21: no record") << QByteArray(500'000, '\0') + "\n";
    }
    void aLongLineHidesNoState()
    {
        QFETCH(QByteArray, last);
        hold();
        {
            auto zero = writer(*m_folder, 0);
            writeSteps(zero, 1, 4);
        }
        std::ofstream(m_folder->journal(0), std::ios::app | std::ios::binary) << last.toStdString();
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Running);
        QCOMPARE(status.step, 4);
        QVERIFY(status.lastRecordUnixMs > 0);
    }

    void aRunWithoutItsStartRecordKeepsItsState_data()
    {
        QTest::addColumn<QString>("what");
        QTest::newRow("defect-32: a link to itself") << "loop";
        QTest::newRow("defect-31: a pipe") << "pipe";
        QTest::newRow("defect-32: no JSON") << "text";
    }
    void aRunWithoutItsStartRecordKeepsItsState()
    {
        QFETCH(QString, what);
        hold();
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 4);
        auto supervisor = writer(*m_folder, -1);
        writeEnd(supervisor, "finished", "");
        m_lock->release();
        const fs::path start = m_folder->start(1);
        fs::remove(start);
        if (what == "loop")
            fs::create_symlink("start.json", start);
        else if (what == "pipe")
            QCOMPARE(::mkfifo(start.c_str(), 0600), 0);
        else
            std::ofstream(start) << "{";
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Finished);
        QCOMPARE(status.attempt, 1);
        QCOMPARE(status.ranks, 2);
        QCOMPARE(status.step, 4);
        QVERIFY(status.lastRecordUnixMs > 0);
        QVERIFY2(QString::fromStdString(status.cause).startsWith(QString::fromStdString(start.string())), status.cause.c_str());
    }

    void aPipeIsNotWaitedFor_data()
    {
        QTest::addColumn<QString>("name");
        for (const char* name : {"supervisor.lock", "journal/rank-0.jsonl", "journal/supervisor.jsonl", "attempts/1/config.toml", "attempts/1/start.json"})
            QTest::newRow((std::string("defect-31: ") + name).c_str()) << name;
    }
    void aPipeIsNotWaitedFor()
    {
        QFETCH(QString, name);
        const fs::path file = m_folder->root() / name.toStdString();
        fs::remove(file);
        QCOMPARE(::mkfifo(file.c_str(), 0600), 0);
        QCOMPARE(launcher::inspectRun(*m_folder).state, RunState::Prepared);
    }

    void aTimeWithoutSenseIsBounded_data()
    {
        QTest::addColumn<QByteArray>("time");
        for (const char* time : {"1e300", "-1e300", "1e19"})
            QTest::newRow((std::string("defect-22: ") + time).c_str()) << QByteArray(time);
    }
    void aTimeWithoutSenseIsBounded()
    {
        QFETCH(QByteArray, time);
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 3);
        const auto before = launcher::inspectRun(*m_folder).lastRecordUnixMs;
        std::ofstream(m_folder->journal(0), std::ios::app) << R"({"type":"step","step":4,"t_ms":)" << time.constData() << R"(,"loss":1})" << '\n';
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.step, 4);
        QVERIFY2(status.lastRecordUnixMs >= before - 60'000 && status.lastRecordUnixMs <= before + 4'000'000'000'000,
            qPrintable(QString::number(status.lastRecordUnixMs)));
    }

    void aLongJournalIsJudgedByItsEndWithinFiveMilliseconds()
    {
        hold();
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 20'000);
        QVERIFY(fs::file_size(m_folder->journal(0)) > 1'000'000);
        double bestMs = 1e9;
        for (int i = 0; i < 10; ++i) {
            QElapsedTimer timer;
            timer.start();
            const auto status = launcher::inspectRun(*m_folder);
            bestMs = std::min(bestMs, static_cast<double>(timer.nsecsElapsed()) / 1e6);
            QCOMPARE(status.state, RunState::Running);
            QCOMPARE(status.step, 20'000);
        }
        qInfo("inspectRun of 20,000 steps: %.2f ms", bestMs);
#ifdef NDEBUG
        QVERIFY(bestMs <= 5);
#endif
    }

    void aWrongClockElsewhereDecidesNothing_data()
    {
        QTest::addColumn<int>("aheadMinutes");
        QTest::newRow("behind") << -10;
        QTest::newRow("ahead") << 10;
    }
    /// What counts is whether the journal grows under the eyes of who looks.
    void aWrongClockElsewhereDecidesNothing()
    {
        QFETCH(int, aheadMinutes);
        const auto setTime = [&] {
            fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() + std::chrono::minutes(aheadMinutes));
        };
        QCOMPARE(m_lock->take(), std::string());
        m_lock->describe(1, true);
        auto experiment = m_test->experiment();
        experiment.set("launch.stall_after", std::int64_t {5});
        std::ofstream(m_folder->config(1)) << experiment.toToml(contract::Experiment::Write::Everything);
        auto journal = writer(*m_folder, 0);
        writeSteps(journal, 1, 3);
        m_lock->release();
        changeLock(*m_folder, "host", "elsewhere");
        setTime();
        QCOMPARE(stateOf(*m_folder), RunState::Running);  // it may have written just now
        const std::int64_t before = launcher::nowUnixMs();
        writeSteps(journal, 4, 5);
        setTime();
        const launcher::RunStatus status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Running);
        QVERIFY2(status.lastRecordUnixMs >= before && status.lastRecordUnixMs <= launcher::nowUnixMs(), std::to_string(status.lastRecordUnixMs).c_str());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(*m_folder), RunState::CutOff, 15'000);
        writeSteps(journal, 6, 6);
        setTime();
        QCOMPARE(stateOf(*m_folder), RunState::Running);
    }

    void whatWasWrittenLongAgoElsewhereIsOver()
    {
        QCOMPARE(m_lock->take(), std::string());
        m_lock->describe(1, true);
        auto journal = writer(*m_folder, 0);
        writeSteps(journal, 1, 3);
        m_lock->release();
        changeLock(*m_folder, "host", "elsewhere");
        fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() - std::chrono::hours(1));
        QCOMPARE(stateOf(*m_folder), RunState::CutOff);
    }

    void theRankThatStartsSlowestIsNotTheOneWhoseClockIsBehind()
    {
        hold();
        for (const int rank : {0, 1}) {
            const std::int64_t begin = launcher::nowUnixMs() - (rank == 1 ? 600'000 : 0);
            const nlohmann::json header = {{"v", 1}, {"run", m_folder->id()}, {"attempt", 1}, {"rank", rank}, {"host", "host" + std::to_string(rank)}, {"t_unix_ms", begin}};
            const nlohmann::json phase = {{"type", "event"}, {"step", 0}, {"t_ms", 5}, {"level", "info"}, {"kind", "phase"}, {"message", "loads data"}};
            std::ofstream(m_folder->journal(rank)) << header.dump() << '\n' << phase.dump() << '\n';
        }
        fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() - std::chrono::seconds(3));
        const launcher::RunStatus status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Starting);
        QCOMPARE(QString::fromStdString(status.waitsFor), QStringLiteral("rank 0 loads data"));
    }

    void theLastRecordsTimeIsTheRecordsOwnOnceTheRunIsOver_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("the header is near the end") << 3;
        QTest::newRow("the header is far before what is read of the end") << 5000;
    }
    void theLastRecordsTimeIsTheRecordsOwnOnceTheRunIsOver()
    {
        QFETCH(int, steps);
        {
            auto former = writer(*m_folder, 0);
            writeSteps(former, 1, 2);
        }
        launcher::prepareResume(*m_folder, std::nullopt, std::nullopt);
        hold(2);
        const std::int64_t before = launcher::nowUnixMs();
        auto zero = writer(*m_folder, 0, 2);
        writeSteps(zero, 1, steps);
        const std::int64_t after = launcher::nowUnixMs();
        // As if the file had been copied a day later.
        fs::last_write_time(m_folder->journal(0), fs::file_time_type::clock::now() + std::chrono::hours(24));
        const std::int64_t active = launcher::inspectRun(*m_folder).lastRecordUnixMs;
        QVERIFY2(active >= after && active <= launcher::nowUnixMs(), std::to_string(active).c_str());  // a time to come is not believed
        m_lock->release();
        const std::int64_t last = launcher::inspectRun(*m_folder).lastRecordUnixMs;
        QVERIFY2(last >= before - 1 && last <= after, std::to_string(last).c_str());
    }

    void silenceIsAStallAndAClockSetBackIsNot()
    {
        hold();
        auto zero = writer(*m_folder, 0);
        writeSteps(zero, 1, 2);
        auto one = writer(*m_folder, 1);
        writeSteps(one, 1, 1);
        const auto now = fs::file_time_type::clock::now();
        for (const int rank : {0, 1})
            fs::last_write_time(m_folder->journal(rank), now - std::chrono::seconds(75));
        const auto status = launcher::inspectRun(*m_folder);
        QCOMPARE(status.state, RunState::Stalled);
        QVERIFY2(QString::fromStdString(status.cause).endsWith(QLatin1String("rank 1 was last seen at step 1")),
            status.cause.c_str());
        fs::last_write_time(m_folder->journal(0), now + std::chrono::hours(1));
        QCOMPARE(stateOf(*m_folder), RunState::Running);
    }

    void theHeaderOfALongJournalIsFound_defect_21()
    {
        hold();
        auto zero = writer(*m_folder, 0), one = writer(*m_folder, 1);
        writeSteps(zero, 1, 3);
        writeSteps(one, 1, 1);
        for (int i = 0; i < 1000; ++i) {
            one.begin(contract::record::kEvent, 1).add("level", std::string_view("info")).add("kind", std::string_view(contract::event::kNotice))
                .add("message", std::string_view("one of many records of this rank"));
            one.commit();
        }
        QVERIFY(fs::file_size(m_folder->journal(1)) > 70'000);
        const auto now = fs::file_time_type::clock::now();
        for (const int rank : {0, 1})
            fs::last_write_time(m_folder->journal(rank), now - std::chrono::seconds(75));
        const auto status = launcher::inspectRun(*m_folder);
        QVERIFY2(QString::fromStdString(status.cause).endsWith(QLatin1String("rank 1 was last seen at step 1")), status.cause.c_str());

        auto supervisor = writer(*m_folder, contract::kSupervisorRank);
        for (int rank = 0; rank < 1000; ++rank) {  // as many ranks end
            supervisor.begin(contract::record::kEvent, 3).add("level", std::string_view("info")).add("kind", std::string_view(contract::event::kRankExit))
                .add("rank", std::int64_t {rank}).add("exit_code", std::int64_t {0});
            supervisor.commit();
        }
        writeEnd(supervisor, "finished", "");
        QVERIFY(fs::file_size(m_folder->journal(contract::kSupervisorRank)) > 70'000);
        m_lock->release();
        QCOMPARE(stateOf(*m_folder), RunState::Finished);
    }

    void aFolderThatCannotBeReadIsInterruptedWithTheReason()
    {
        const auto nothing = launcher::inspectRun(contract::RunFolder(m_test->home().runs() / "none"));
        QCOMPARE(nothing.state, RunState::Missing);
        QVERIFY(!nothing.cause.empty());
        std::ofstream(m_folder->start(1)) << "{";
        const auto broken = launcher::inspectRun(*m_folder);
        QCOMPARE(broken.state, RunState::Prepared);
        QVERIFY2(QString::fromStdString(broken.cause).contains(QLatin1String("start.json")), broken.cause.c_str());
    }

private:
    void hold(int attempt = 1)
    {
        QCOMPARE(m_lock->take(), std::string());
        m_lock->describe(attempt);
    }

    std::optional<TestHome> m_test;
    std::optional<contract::RunFolder> m_folder;
    std::optional<contract::SupervisorLock> m_lock;
};

QTEST_GUILESS_MAIN(RunStateTest)
#include "tst_run_state.moc"
