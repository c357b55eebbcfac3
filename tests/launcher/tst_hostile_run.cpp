// inspectRun() on damaged and hostile evidence: it hides no state, and nothing is waited for.
#include "engine/contract/run/journal.h"
#include "tests/launcher/run_evidence.h"
#include "tests/launcher/run_facts.h"

#include <QtTest>

#include <sys/stat.h>

#include <chrono>
#include <fstream>

using launcher::RunState;
namespace fs = std::filesystem;

class HostileRunTest : public QObject, RunEvidence {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

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
};

QTEST_GUILESS_MAIN(HostileRunTest)
#include "tst_hostile_run.moc"
