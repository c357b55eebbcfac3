#include "app/commands/ingest_thread.h"
#include "tests/app/atelier_program.h"

#include "engine/contract/run/journal_writer.h"
#include "storage/store.h"

#include <QtTest>

#include <atomic>
#include <fstream>
#include <optional>

using app::IngestThread;

namespace {

/// Number of points of rank 0's loss in the database; 0 when it cannot be read.
std::int64_t knownPoints(const std::filesystem::path& database, const std::string& run)
{
    try {
        const storage::Store store(database, storage::Store::Open::ReadOnly);
        for (const storage::SeriesRow& series : store.series(run)) {
            if (series.metric == "loss" && series.rank == 0)
                return series.points;
        }
    } catch (const storage::StoreError&) {
        return -1;
    }
    return 0;
}

}  // namespace

class IngestThreadTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everythingWrittenIsKnownAfterTheEnd()
    {
        tests::AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", 10);
        contract::JournalWriter journal(folder.journal(0),
            {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        {
            IngestThread ingest(atelier.home().database(), folder, [](const std::string&) {});
            for (int step = 11; step <= 200; ++step) {
                journal.begin("step", step).add("loss", 0.5).commit();
                ingest.wake();
            }
        }
        QCOMPARE(knownPoints(atelier.home().database(), folder.id()), std::int64_t(200));
    }

    void recordsAreKnownWhileItRuns()
    {
        tests::AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", 10);
        contract::JournalWriter journal(folder.journal(0),
            {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        IngestThread ingest(atelier.home().database(), folder, [](const std::string&) {});
        QTRY_COMPARE(knownPoints(atelier.home().database(), folder.id()), std::int64_t(10));
        journal.begin("step", 11).add("loss", 0.5).commit();
        ingest.wake();
        QTRY_COMPARE(knownPoints(atelier.home().database(), folder.id()), std::int64_t(11));
    }

    void anotherDatabaseInThePlaceOfTheOldOneIsFilled()
    {
        tests::AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", 10);
        const auto database = atelier.home().database();
        IngestThread ingest(database, folder, [](const std::string&) {});
        QTRY_COMPARE(knownPoints(database, folder.id()), std::int64_t(10));
        QCOMPARE(atelier.run({"reindex"}).exitCode, 0);
        contract::JournalWriter journal(folder.journal(0),
            {.version = 1, .run = folder.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        journal.begin("step", 11).add("loss", 0.5).commit();
        ingest.wake();
        QTRY_COMPARE(knownPoints(database, folder.id()), std::int64_t(11));
    }

    void aProblemIsReportedOnceAndRetried()
    {
        tests::AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", 10);
        std::ofstream(atelier.home().database()) << std::string(100000, 'x');
        std::atomic<int> problemCount = 0;
        IngestThread ingest(atelier.home().database(), folder, [&](const std::string& problem) {
            problemCount += problem.empty() ? 100 : 1;
        });
        QTRY_COMPARE(problemCount.load(), 1);
        for (int i = 0; i < 100; ++i)
            ingest.wake();
        std::filesystem::remove(atelier.home().database());  // the user repairs it
        QTRY_COMPARE_WITH_TIMEOUT(knownPoints(atelier.home().database(), folder.id()), std::int64_t(10), 20000);
        QCOMPARE(problemCount.load(), 1);
    }
};

QTEST_GUILESS_MAIN(IngestThreadTest)
#include "tst_ingest_thread.moc"
