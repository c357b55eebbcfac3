// M15: a database that is corrupt, newer, locked, read-only, or on a full disk.
#include "storage/ingest.h"
#include "tests/paths.h"
#include "tests/storage/description.h"
#include "tests/storage/run_home.h"
#include "tests/support/file_size_limit.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QProcess>
#include <QtTest>

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

using storage::Ingest;
using storage::Store;
using storage::StoreError;

namespace fs = std::filesystem;

namespace {

std::string contentOf(const fs::path& file)
{
    std::ostringstream content;
    content << std::ifstream(file, std::ios::binary).rdbuf();
    return content.str();
}

/// Returns the error that @p work throws.
template <typename Work>
std::optional<StoreError> errorOf(Work work)
{
    try {
        work();
    } catch (const StoreError& error) {
        return error;
    }
    return {};
}

void fill(const RunHome& home, int steps)
{
    const contract::RunFolder folder = home.createRun("r");
    append(folder.journal(0), randomJournal(0, steps, 3));
    Store store(home.database());
    Ingest(store).catchUp(folder);
}

/// Runs the agent without root's permissions and returns its exit code.
int runAsNobody(const QStringList& arguments)
{
    QProcess agent;
    agent.start(STORAGE_AGENT, QStringList("--as-nobody") + arguments);
    return agent.waitForFinished() ? agent.exitCode() : -1;
}

int exitCodeOf(StoreError::Kind kind) { return 10 + static_cast<int>(kind); }

}  // namespace

class BrokenDatabaseTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m15WhatIsNoDatabaseIsNamedAndLeftAlone_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::newRow("text") << QByteArray("shopping list: milk, bread").repeated(100);
        QTest::newRow("a few bytes") << QByteArray("SQLite format 3");
        QTest::newRow("zeros") << QByteArray(8192, '\0');
    }
    void m15WhatIsNoDatabaseIsNamedAndLeftAlone()
    {
        QFETCH(QByteArray, content);
        const RunHome home;
        append(home.database(), content.toStdString());
        for (const Store::Open mode : {Store::Open::ReadWrite, Store::Open::ReadOnly}) {
            const auto error = errorOf([&] { Store(home.database(), mode); });
            QVERIFY(error && error->kind() == StoreError::Kind::Corrupt);
            QVERIFY(QString(error->what()).contains(QString::fromStdString(home.database().string())));
            QVERIFY(QString(error->what()).contains("atelier reindex"));
        }
        QCOMPARE(QByteArray::fromStdString(contentOf(home.database())), content);
    }

    void aPipeIsNotWaitedFor_data()
    {
        QTest::addColumn<QByteArray>("ending");
        QTest::addColumn<bool>("hasDatabase");
        QTest::newRow("defect-31: as database") << QByteArray() << false;
        QTest::newRow("defect-31: as its log") << QByteArray("-wal") << true;
        QTest::newRow("defect-31: as its rollback journal") << QByteArray("-journal") << true;
    }
    void aPipeIsNotWaitedFor()
    {
        QFETCH(QByteArray, ending);
        QFETCH(bool, hasDatabase);
        const RunHome home;
        if (hasDatabase)
            fill(home, 5);
        const fs::path pipe(home.database().string() + ending.toStdString());
        fs::remove(pipe);
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        for (const Store::Open mode : {Store::Open::ReadWrite, Store::Open::ReadOnly}) {
            const auto error = errorOf([&] { Store(home.database(), mode); });
            QVERIFY(error && error->kind() == StoreError::Kind::Corrupt);
            QVERIFY2(QString(error->what()).contains(QString::fromStdString(pipe.string() + " is not a regular file")), error->what());
        }
        storage::reindex(home.database(), home.runs(), [](std::size_t, std::size_t) {});
        Store(home.database());
    }

    void m15DamageWithinIsCorrupt()
    {
        const RunHome home;
        fill(home, 5000);
        const auto size = fs::file_size(home.database());
        {
            std::fstream file(home.database(), std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(4096);
            file << std::string(size - 8192, '\x5a');
        }
        const std::string before = contentOf(home.database());
        const auto error = errorOf([&] {
            Store store(home.database());
            for (const auto& series : store.series("r"))
                store.points(series.id);
        });
        QVERIFY(error && error->kind() == StoreError::Kind::Corrupt);
        QVERIFY(contentOf(home.database()) == before);
    }

    void m15AnotherProgramsDatabaseIsLeftAlone()
    {
        const RunHome home;
        SQLite::Database(home.database(), SQLite::OPEN_CREATE | SQLite::OPEN_READWRITE).exec("CREATE TABLE t (a)");
        const std::string before = contentOf(home.database());
        const auto error = errorOf([&] { Store store(home.database()); });
        QVERIFY(error && error->kind() == StoreError::Kind::Corrupt);
        QVERIFY(contentOf(home.database()) == before);
    }

    void m15ANewerDatabaseIsLeftAlone_data()
    {
        QTest::addColumn<bool>("isInLog");
        QTest::newRow("version in the file") << false;
        QTest::newRow("version in the log only") << true;
    }
    void m15ANewerDatabaseIsLeftAlone()
    {
        QFETCH(bool, isInLog);
        const RunHome home;
        fill(home, 10);
        const RunHome copy;
        {
            SQLite::Database database(home.database(), SQLite::OPEN_READWRITE);
            database.exec("PRAGMA user_version = 99");
            if (!isInLog)
                database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
            fs::copy(home.database(), copy.database());
            fs::copy(home.database().string() + "-wal", copy.database().string() + "-wal");
        }
        const std::string before = contentOf(copy.database());
        for (const Store::Open mode : {Store::Open::ReadWrite, Store::Open::ReadOnly}) {
            const auto error = errorOf([&] { Store(copy.database(), mode); });
            QVERIFY(error && error->kind() == StoreError::Kind::Newer);
        }
        QVERIFY(contentOf(copy.database()) == before);
    }

    void m15ALockedDatabaseCanBeReadAndSaysSoWhenWritten()
    {
        const RunHome home;
        fill(home, 10);
        Store store(home.database());
        SQLite::Database other(home.database(), SQLite::OPEN_READWRITE);
        other.exec("BEGIN IMMEDIATE");
        QCOMPARE(store.runs().size(), std::size_t(1));
        const auto error = errorOf([&] { store.removeRun("r"); });
        QVERIFY(error && error->kind() == StoreError::Kind::Locked);
        QVERIFY(QString(error->what()).contains("locked by another program"));
        other.exec("ROLLBACK");
        store.removeRun("r");
        QVERIFY(store.runs().empty());
    }

    void m15WithoutTheRightToWriteItCanBeRead()
    {
        const RunHome home;
        fill(home, 10);
        const QString database = QString::fromStdString(home.database().string());
        for (fs::path above = home.root().parent_path(); above.has_relative_path(); above = above.parent_path())
            if ((fs::status(above).permissions() & fs::perms::others_exec) == fs::perms::none && ::geteuid() == 0)
                QSKIP("other users cannot reach the folder for temporary files");
        ::chmod(home.root().c_str(), 0555);
        ::chmod(home.database().c_str(), 0444);
        QCOMPARE(runAsNobody({"catch-up", database, QString::fromStdString(home.runs().string())}),
            exitCodeOf(StoreError::Kind::ReadOnly));
        QCOMPARE(runAsNobody({"read", database}), 0);
        ::chmod(home.root().c_str(), 0755);
    }

    void aMissingDatabaseIsNotMadeForReading()
    {
        const RunHome home;
        const auto error = errorOf([&] { Store(home.database(), Store::Open::ReadOnly); });
        QVERIFY(error && error->kind() == StoreError::Kind::Other);
        QVERIFY(!fs::exists(home.database()));
        const auto missing = errorOf([&] { Store store(home.root() / "no" / "such.db"); });
        QVERIFY(missing && missing->kind() == StoreError::Kind::ReadOnly);
    }

    void anEmptyFileBecomesADatabase()
    {
        const RunHome home;
        append(home.database(), "");
        QVERIFY(Store(home.database()).runs().empty());
    }

    void m15AFullDiskLosesNothing_data()
    {
        QTest::addColumn<int>("kilobytes");
        for (const int kilobytes : {300, 700, 1500})
            QTest::addRow("%d kB", kilobytes) << kilobytes;
    }
    void m15AFullDiskLosesNothing()
    {
        QFETCH(int, kilobytes);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), randomJournal(0, 20'000, 10));
        Store store(home.database());
        {
            const tests::FileSizeLimit limit(static_cast<rlim_t>(kilobytes) * 1024);
            const auto error = errorOf([&] { Ingest(store).catchUp(folder); });
            QVERIFY(error);
            QVERIFY2(error->kind() == StoreError::Kind::DiskFull, error->what());
            QVERIFY(QString(error->what()).contains("is full"));
        }
        Ingest(store).catchUp(folder);
        Store fresh(home.root() / "fresh.db");
        Ingest(fresh).catchUp(folder);
        QVERIFY(describe(store) == describe(fresh));
        SQLite::Database database(home.database());
        QCOMPARE(database.execAndGet("PRAGMA integrity_check").getString(), std::string("ok"));
    }

    void aFullDiskAtCreationLeavesNoHalfDatabase()
    {
        const RunHome home;
        {
            const tests::FileSizeLimit limit(8 * 1024);
            const auto error = errorOf([&] { Store store(home.database()); });
            QVERIFY(error);
            QVERIFY2(error->kind() == StoreError::Kind::DiskFull, error->what());
        }
        QVERIFY(!fs::exists(home.database()));
        QVERIFY(Store(home.database()).runs().empty());
    }
};

QTEST_GUILESS_MAIN(BrokenDatabaseTest)
#include "tst_broken_database.moc"
