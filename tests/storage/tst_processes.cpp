// Several processes use one database at once, and one of them is killed.
#include "storage/ingest.h"
#include "tests/paths.h"
#include "tests/storage/description.h"
#include "tests/storage/run_home.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QProcess>
#include <QtTest>

#include <random>
#include <thread>

using storage::Ingest;
using storage::Store;

namespace fs = std::filesystem;

namespace {

QStringList argumentsOf(const char* what, const RunHome& home)
{
    return {what, QString::fromStdString(home.database().string()), QString::fromStdString(home.runs().string())};
}

/// Points of all series of the run, as another connection sees them.
std::int64_t pointsIn(const Store& store)
{
    std::int64_t points = 0;
    for (const storage::SeriesRow& row : store.series("r"))
        points += row.points;
    return points;
}

void verifyEqualsFreshIngest(const RunHome& home)
{
    Store fresh(home.root() / "fresh.db");
    storage::catchUpAll(fresh, home.runs());
    const Store store(home.database());
    QVERIFY(describe(store) == describe(fresh));
    SQLite::Database database(home.database());
    QCOMPARE(database.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    QCOMPARE(database.execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
}

}  // namespace

class ProcessesTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m06KilledWhileIngestingNothingIsLostOrDoubled()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        constexpr int kSteps = 60'000;
        constexpr int kMetrics = 10;
        append(folder.journal(0), randomJournal(0, kSteps, kMetrics));
        append(folder.journal(1), randomJournal(1, kSteps, kMetrics));
        const Store watcher(home.database());
        std::mt19937 random(2);
        constexpr std::int64_t kAll = 2LL * kSteps * kMetrics;
        int kills = 0;
        for (std::int64_t seen = 0; seen < kAll; seen = pointsIn(watcher)) {
            const std::int64_t target = seen + 1 + random() % (kAll / 8);
            QProcess agent;
            agent.start(STORAGE_AGENT, argumentsOf("catch-up", home));
            QVERIFY(agent.waitForStarted());
            while (agent.state() != QProcess::NotRunning && pointsIn(watcher) < target)
                agent.waitForFinished(0);
            kills += agent.state() != QProcess::NotRunning ? 1 : 0;
            agent.kill();
            QVERIFY(agent.state() == QProcess::NotRunning || agent.waitForFinished());
        }
        QVERIFY2(kills >= 4, qPrintable(QString::number(kills)));
        verifyEqualsFreshIngest(home);
    }

    void m06SeveralProcessesAndThreadsIngestTheSameOnce()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        const std::string text = randomJournal(0, 20'000, 4);
        QProcess agents[2];
        for (QProcess& agent : agents) {  // both also try to create the database
            agent.start(STORAGE_AGENT, argumentsOf("follow", home));
            QVERIFY(agent.waitForStarted());
        }
        std::thread other([&] {
            Store store(home.database());
            for (int i = 0; i < 200; ++i)
                storage::catchUpAll(store, home.runs());
        });
        for (std::size_t at = 0; at < text.size(); at += 10'007) {
            append(folder.journal(0), text.substr(at, 10'007));
            append(folder.journal(1), text.substr(at, 10'007));
        }
        other.join();
        for (QProcess& agent : agents) {
            agent.closeWriteChannel();
            QVERIFY(agent.waitForFinished());
            QVERIFY2(agent.exitCode() == 0, agent.readAllStandardError());
        }
        Store store(home.database());
        Ingest(store).catchUp(folder);
        QCOMPARE(pointsIn(store), 2 * 80'000);
        verifyEqualsFreshIngest(home);
    }

    void aWriteOfAnotherProcessIsSeenByTheChangeCounter()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        Store store(home.database());
        const std::int64_t before = store.changeCounter();
        QCOMPARE(store.changeCounter(), before);
        append(folder.journal(0), randomJournal(0, 10, 1));
        QCOMPARE(QProcess::execute(STORAGE_AGENT, argumentsOf("catch-up", home)), 0);
        const std::int64_t after = store.changeCounter();
        QVERIFY(after != before);
        QCOMPARE(QProcess::execute(STORAGE_AGENT, argumentsOf("catch-up", home)), 0);
        QCOMPARE(store.changeCounter(), after);
    }
};

QTEST_GUILESS_MAIN(ProcessesTest)
#include "tst_processes.moc"
