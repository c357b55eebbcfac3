#include "engine/contract/run/annotations.h"
#include "storage/database_file.h"
#include "storage/ingest.h"
#include "storage/migrations.h"
#include "storage/run_ingest.h"
#include "storage/store.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <sys/stat.h>

#include <thread>

using storage::Database;
using storage::Store;

namespace fs = std::filesystem;

namespace {

/// The current migrations and some invented later ones.
std::vector<const char*> withNext(std::initializer_list<const char*> next)
{
    std::vector<const char*> steps(storage::migrations().begin(), storage::migrations().end());
    steps.insert(steps.end(), next);
    return steps;
}

bool hasTable(const fs::path& file, const std::string& name)
{
    Database database(file, Database::Mode::ReadOnly);
    return database.query("SELECT 1 FROM sqlite_schema WHERE name = ?").bind(name).step();
}

fs::path backup(const RunHome& home, std::size_t version)
{
    return home.database().string() + ".before-v" + std::to_string(version);
}

}  // namespace

class MigrationsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void aNewDatabaseHasTheNewestVersionAndIsOurs()
    {
        const RunHome home;
        const Store store(home.database());
        Database database(home.database(), Database::Mode::ReadOnly);
        QCOMPARE(database.pragma("user_version"), std::int64_t(storage::migrations().size()));
        QCOMPARE(database.pragma("application_id"), storage::kApplicationId);
        Query journal = database.query("PRAGMA journal_mode");
        QVERIFY(journal.step() && journal.text(0) == "wal");
        QVERIFY(!fs::exists(backup(home, storage::migrations().size())));
    }

    void anOlderOneIsBackedUpFirst()
    {
        const RunHome home;
        (void)Store(home.database());
        const auto steps = withNext({"CREATE TABLE extra (a)", "ALTER TABLE extra ADD COLUMN b"});
        {
            Database database(home.database(), Database::Mode::ReadWrite);
            storage::migrate(database, home.database(), steps);
            QCOMPARE(database.pragma("user_version"), std::int64_t(steps.size()));
        }
        QVERIFY(hasTable(home.database(), "extra"));
        QVERIFY(!hasTable(backup(home, steps.size()), "extra"));
        QVERIFY(Store(backup(home, steps.size())).runs().empty());  // still readable by this version
    }

    /// M7: the version before lines could be chosen has read the annotations without them.
    void M7_chosenLinesAreReadIntoAnOlderDatabase()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        contract::Annotations mine;
        mine.line.colour = 0xd55e00;
        contract::appendAnnotations(folder.annotations(), {}, mine);
        {
            storage::createPrivateFile(home.database());
            Database database(home.database(), Database::Mode::ReadWrite);
            storage::migrate(database, home.database(), storage::migrations().first(5));
            database.query("INSERT INTO run (id, folder, name, project, notes, is_archived, annotations_stamp) VALUES ('r', ?, '', '', '', 0, ?)")
                .bind(folder.root().string(), storage::stampOf(folder.annotations()))
                .run();
        }
        Store store(home.database());
        storage::Ingest(store).catchUp(folder);
        QVERIFY(store.run("r")->line == mine.line);
    }

    /// N1: the version before has not read which attempt wrote the checkpoint from which another one resumed.
    void N1_parentAttemptsAreReadIntoAnOlderDatabase()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        for (const int number : {2, 3})
            beginAttempt(folder, number, 1, 10 * number);
        writeCheckpoint(folder, 30, 1, 1.0);  // which an earlier version did not write down in start.json
        {
            storage::createPrivateFile(home.database());
            Database database(home.database(), Database::Mode::ReadWrite);
            storage::migrate(database, home.database(), storage::migrations().first(6));
            database.query("INSERT INTO run (key, id, folder, name, project, notes, is_archived, annotations_stamp) VALUES (1, 'r', ?, '', '', '', 0, '')")
                .bind(folder.root().string())
                .run();
            for (const int number : {1, 2, 3})
                database.query("INSERT INTO attempt VALUES (1, ?, 0, 1, '', '', ?, '', '', 9, ?)")
                    .bind(number, number > 1 ? 10 * number : 0, storage::stampOf(folder.start(number)) + " " + storage::stampOf(folder.config(number))
                            + storage::stampOf(folder.root() / "origin.json"))
                    .run();
        }
        Store store(home.database());
        storage::Ingest(store).catchUp(folder);
        QCOMPARE(store.attempts("r").at(2).parent, 1);
        std::filesystem::remove_all(folder.checkpoint(30));
        storage::Ingest(store).catchUp(folder);
        QCOMPARE(store.attempts("r").at(2).parent, 1);
    }

    void defect23_theDatabaseAndItsBackupArePrivate()
    {
        const RunHome home;
        const mode_t former = ::umask(022);
        const Store store(home.database());
        const auto steps = withNext({"CREATE TABLE extra (a)"});
        Database database(home.database(), Database::Mode::ReadWrite);
        storage::migrate(database, home.database(), steps);
        ::umask(former);
        const fs::perms owner = fs::perms::owner_read | fs::perms::owner_write;
        for (const fs::path& file : {home.database(), fs::path(home.database().string() + "-wal"), backup(home, steps.size())})
            QVERIFY2(fs::status(file).permissions() == owner, file.c_str());
    }

    void aFailedMigrationLeavesTheOldVersion()
    {
        const RunHome home;
        (void)Store(home.database());
        const auto steps = withNext({"CREATE TABLE extra (a)", "INSERT INTO no_such_table VALUES (1)"});
        {
            Database database(home.database(), Database::Mode::ReadWrite);
            QVERIFY_THROWS_EXCEPTION(SQLite::Exception, storage::migrate(database, home.database(), steps));
        }
        QVERIFY(!hasTable(home.database(), "extra"));
        QVERIFY(Store(home.database()).runs().empty());
    }

    void manyOpenersMakeOneDatabase()
    {
        const RunHome home;
        std::vector<std::thread> threads;
        std::atomic<int> opened = 0;
        for (int i = 0; i < 8; ++i)
            threads.emplace_back([&] { opened += Store(home.database()).runs().empty() ? 1 : 0; });
        for (std::thread& thread : threads)
            thread.join();
        QCOMPARE(opened.load(), 8);
    }

private:
    using Query = storage::Query;
};

QTEST_APPLESS_MAIN(MigrationsTest)
#include "tst_migrations.moc"
