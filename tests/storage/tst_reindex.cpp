#include "engine/contract/run/annotations.h"
#include "storage/ingest.h"
#include "tests/storage/description.h"
#include "tests/storage/run_home.h"

#include <QtTest>

using storage::Ingest;
using storage::Store;
using storage::StoreError;

namespace fs = std::filesystem;

namespace {

void ignoreProgress(std::size_t, std::size_t) {}

void reindex(const RunHome& home) { storage::reindex(home.database(), home.runs(), ignoreProgress); }

fs::path former(const RunHome& home) { return home.database().string() + ".before-reindex"; }

/// A run with records of every kind, ingested while it grows.
void grow(const RunHome& home, const std::string& id, Store& store)
{
    const contract::RunFolder folder = home.createRun(id, 2);
    Ingest ingest(store);
    const std::string text = randomJournal(0, 3000, 3);
    for (std::size_t at = 0; at < text.size(); at += 20'011) {
        append(folder.journal(0), text.substr(at, 20'011));
        append(folder.journal(1), text.substr(at, 20'011));
        ingest.catchUp(folder);
    }
    writeCheckpoint(folder, 1000, 1, 0.5);
    beginAttempt(folder, 2, 2, 1000);
    append(folder.journal(0), headerLine(2, 0) + stepLine(1001, 1, {{"loss", NAN}}));
    contract::appendAnnotations(folder.annotations(), {}, {"named " + id, "p", {"t"}, "note", false});
    ingest.catchUp(folder);
}

}  // namespace

class ReindexTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void reindexEqualsLiveIngest()
    {
        const RunHome home;
        std::string live;
        {
            Store store(home.database());
            grow(home, "a", store);
            grow(home, "b", store);
            live = describe(store);
        }
        std::vector<std::pair<std::size_t, std::size_t>> progress;
        storage::reindex(home.database(), home.runs(),
            [&](std::size_t done, std::size_t all) { progress.emplace_back(done, all); });
        QCOMPARE(describe(Store(home.database())), live);
        QCOMPARE(describe(Store(former(home), Store::Open::ReadOnly)), live);
        QVERIFY(progress.back() == std::pair(std::size_t(2), std::size_t(2)));
    }

    void whoHasTheDatabaseOpenFindsTheNewOne()
    {
        const RunHome home;
        Store store(home.database());
        const Store reader(home.database(), Store::Open::ReadOnly);
        grow(home, "a", store);
        const std::string live = describe(reader);
        const std::int64_t before = reader.changeCounter();
        reindex(home);
        QVERIFY(reader.changeCounter() != before);
        QCOMPARE(describe(reader), live);

        const contract::RunFolder folder(home.runs() / "a");
        append(folder.journal(0), stepLine(1002, 2, {{"loss", 4}}));
        QCOMPARE(Ingest(store).catchUp(folder).values, 1);
        QVERIFY(describe(reader) != live);
        QCOMPARE(describe(reader), describe(Store(home.database())));
        QCOMPARE(describe(Store(former(home), Store::Open::ReadOnly)), live);
    }

    void aCorruptDatabaseIsReplacedAndKept()
    {
        const RunHome home;
        home.createRun("a");
        append(home.database(), std::string(5000, 'x'));
        reindex(home);
        QCOMPARE(Store(home.database()).runs().size(), std::size_t(1));
        QCOMPARE(fs::file_size(former(home)), std::uintmax_t(5000));
    }

    void withoutADatabaseOneIsMade()
    {
        const RunHome home;
        home.createRun("a");
        reindex(home);
        QCOMPARE(Store(home.database()).runs().size(), std::size_t(1));
        QVERIFY(!fs::exists(former(home)));
    }

    void aFolderThatCannotBeIndexedIsNamed()
    {
        const RunHome home;
        append(home.createRun("a").start(1), "}");
        home.createRun("b");
        const auto problems = storage::reindex(home.database(), home.runs(), ignoreProgress);
        QCOMPARE(problems.size(), std::size_t(1));
        QVERIFY(QString::fromStdString(problems.front()).contains("start.json"));
        QCOMPARE(Store(home.database()).runs().size(), std::size_t(2));
    }

    void nothingUnfinishedIsLeft()
    {
        const RunHome home;
        home.createRun("a");
        reindex(home);
        reindex(home);
        QStringList names;
        for (const auto& entry : fs::directory_iterator(home.root()))
            names << QString::fromStdString(entry.path().filename().string());
        names.sort();
        QVERIFY2(names.size() == 3, qPrintable(names.join(' ')));
        QCOMPARE(names, QStringList({"atelier.db", "atelier.db.before-reindex", "runs"}));
    }
};

QTEST_APPLESS_MAIN(ReindexTest)
#include "tst_reindex.moc"
