// inspectRun() and time: clocks that are wrong, silence, and when a run's last record was written.
#include "launcher/base/file_end.h"
#include "launcher/runs/launch.h"
#include "tests/launcher/run_evidence.h"
#include "tests/launcher/run_facts.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <chrono>
#include <fstream>

using launcher::RunState;
namespace fs = std::filesystem;

class RunClocksTest : public QObject, RunEvidence {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

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
};

QTEST_GUILESS_MAIN(RunClocksTest)
#include "tst_run_clocks.moc"
