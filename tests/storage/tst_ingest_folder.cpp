// Ingest of the files of a run folder other than its journals.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/experiment/options.h"
#include "engine/contract/run/annotations.h"
#include "storage/ingest.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <sys/stat.h>

#include <fstream>

using storage::Ingest;
using storage::Store;

namespace fs = std::filesystem;

class IngestFolderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyOptionIsAParameter()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        beginAttempt(folder, 2, 3, 0, {{"run.name", "second"}, {"run.total_steps", "42"}});
        Store store(home.database());
        Ingest(store).catchUp(folder);
        const auto parameters = store.parameters("r", 2);
        QCOMPARE(parameters.size(), contract::options().size());
        QVERIFY(std::ranges::any_of(
            parameters, [](auto& row) { return row.key == "run.total_steps" && row.value == "42"; }));
        const storage::RunRow run = *store.run("r");
        QCOMPARE(run.name, std::string("second"));
        QCOMPARE(run.totalSteps, 42);
        QCOMPARE(run.ranks, 3);
        QCOMPARE(run.attempts, 2);
        QCOMPARE(run.createdUnixMs, 1'000'000);
    }

    void annotationsOverrideTheExperimentUntilTakenBack()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        const std::string named = store.run("r")->name;
        contract::Annotations mine {"mine", "project", {"b", "a"}, "a note\nof two lines", true};
        mine.line = {.colour = 0xd55e00, .dash = contract::LineDash::Dot, .marker = contract::LineMarker::Circle};
        contract::appendAnnotations(folder.annotations(), {}, mine);
        ingest.catchUp(folder);
        const storage::RunRow run = *store.run("r");
        QVERIFY(run.name == "mine" && run.project == "project" && run.notes == mine.notes && run.isArchived);
        QVERIFY(run.tags == mine.tags && run.line == mine.line);
        contract::appendAnnotations(folder.annotations(), mine, {});
        ingest.catchUp(folder);
        QCOMPARE(store.run("r")->name, named);
        QVERIFY(store.run("r")->tags.empty() && !store.run("r")->isArchived && store.run("r")->line == contract::RunLine());
    }

    void whatCannotBeReadForgetsNothing_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("instead");
        for (const char* name : {"journal", "attempts", "checkpoints"}) {
            QTest::newRow((std::string("defect-17: ") + name + ", a link to itself").c_str()) << name << "loop";
            QTest::newRow((std::string("defect-17: ") + name + ", a file").c_str()) << name << "file";
        }
    }
    void whatCannotBeReadForgetsNothing()
    {
        QFETCH(QString, name);
        QFETCH(QString, instead);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 0.5}}));
        writeCheckpoint(folder, 1, 1, 0.5);
        Store store(home.database());
        Ingest ingest(store);
        QVERIFY(ingest.catchUp(folder).problems.empty());
        const fs::path part = folder.root() / name.toStdString();
        fs::rename(part, home.root() / "elsewhere");
        if (instead == "loop")
            fs::create_symlink(part.filename(), part);
        else
            std::ofstream(part).close();
        const auto problems = ingest.catchUp(folder).problems;
        QCOMPARE(problems.size(), std::size_t(1));
        QVERIFY2(problems[0].starts_with(part.string() + ": cannot be read ("), problems[0].c_str());
        QCOMPARE(store.series("r").size(), std::size_t(1));
        QVERIFY(!store.parameters("r", 1).empty());
        QCOMPARE(store.checkpoints("r").size(), std::size_t(1));
        // A folder that is gone has no entries.
        fs::remove(part);
        QVERIFY(ingest.catchUp(folder).problems.empty());
        QCOMPARE(store.series("r").empty(), name == "journal");
        QCOMPARE(store.parameters("r", 1).empty(), name == "attempts");
        QCOMPARE(store.checkpoints("r").empty(), name == "checkpoints");
    }

    void annotationsThatCannotBeReadAreKept_defect_31()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        contract::appendAnnotations(folder.annotations(), {}, {"mine", "", {"tag"}, "", false});
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        fs::remove(folder.annotations());
        QCOMPARE(::mkfifo(folder.annotations().c_str(), 0600), 0);
        for (int i = 0; i < 2; ++i) {
            const auto problems = ingest.catchUp(folder).problems;
            QCOMPARE(problems.size(), std::size_t(1));
            QVERIFY2(problems[0].starts_with(folder.annotations().string() + ": is not a regular file"), problems[0].c_str());
            QCOMPARE(store.run("r")->name, std::string("mine"));
        }
    }

    void aStartThatCannotBeReadCostsNoValues_data()
    {
        QTest::addColumn<bool>("isKnown");
        QTest::newRow("defect-32: known before") << true;
        QTest::newRow("defect-32: in a new database") << false;
    }
    void aStartThatCannotBeReadCostsNoValues()
    {
        QFETCH(bool, isKnown);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        append(folder.journal(0), headerLine(1, 0, 5'000'000) + stepLine(1, 1, {{"loss", 0.5}}) + stepLine(2, 2, {{"loss", 0.4}}));
        beginAttempt(folder, 2, 2, 1);
        append(folder.journal(0), headerLine(2, 0, 6'000'000) + stepLine(2, 1, {{"loss", 0.3}}));
        Store store(home.database());
        Ingest ingest(store);
        if (isKnown)
            ingest.catchUp(folder);
        fs::remove(folder.start(2));
        fs::create_symlink("start.json", folder.start(2));
        for (int i = 0; i < 2; ++i) {
            const auto problems = ingest.catchUp(folder).problems;
            QCOMPARE(problems.size(), std::size_t(1));
            QVERIFY2(problems[0].starts_with(folder.start(2).string() + ": is a symbolic link"), problems[0].c_str());
            const auto attempts = store.attempts("r");
            QCOMPARE(attempts.size(), std::size_t(2));
            QCOMPARE(attempts[1].startUnixMs, 6'000'000);
            QCOMPARE(attempts[1].parentStep, 1);
            for (const storage::SeriesRow& series : store.series("r"))
                QCOMPARE(series.supersededAfter.value_or(-1), std::int64_t(series.attempt == 1 ? 1 : -1));
        }
    }

    void m11CheckpointsComeAndGoWithTheirFolders()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        writeCheckpoint(folder, 100, 1, 0.5);
        writeCheckpoint(folder, 200, 1, NAN);
        fs::create_directories(folder.checkpoint(300));  // being written: no manifest yet
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        auto rows = store.checkpoints("r");
        QCOMPARE(rows.size(), std::size_t(2));
        QVERIFY(rows[0].step == 100 && rows[0].path == "checkpoints/step-100" && rows[0].bytes == 10
            && rows[0].unixMs == 5'000'100 && !rows[0].isPinned);
        QVERIFY(rows[0].metrics == (std::vector<std::pair<std::string, double>> {{"loss", 0.5}}));

        append(folder.checkpoint(100) / contract::kPinFile, "");
        fs::remove_all(folder.checkpoint(200));
        ingest.catchUp(folder);
        rows = store.checkpoints("r");
        QCOMPARE(rows.size(), std::size_t(1));
        QVERIFY(rows[0].isPinned);

        fs::remove_all(folder.checkpoint(100));
        writeCheckpoint(folder, 100, 2, 0.25);  // written again by a later attempt
        ingest.catchUp(folder);
        rows = store.checkpoints("r");
        QVERIFY(rows.size() == 1 && rows[0].attempt == 2 && rows[0].metrics.at(0).second == 0.25);
    }

    void aDamagedCheckpointIsToldOnceAndNotListed()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        writeCheckpoint(folder, 100, 1, 0.5);
        append(folder.checkpoint(100) / "rank-0.safetensors", "too long now");
        Store store(home.database());
        Ingest ingest(store);
        QCOMPARE(ingest.catchUp(folder).problems.size(), std::size_t(1));
        QCOMPARE(ingest.catchUp(folder).problems.size(), std::size_t(0));
        QVERIFY(store.checkpoints("r").empty());
    }

    void aDamagedStartHidesNothingElse()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.start(1), "}");
        append(folder.journal(0), headerLine(1, 0) + stepLine(5, 1, {{"loss", 1}}));
        Store store(home.database());
        const Ingest::Result result = Ingest(store).catchUp(folder);
        QCOMPARE(result.problems.size(), std::size_t(1));
        QCOMPARE(result.values, 1);
        QVERIFY(store.attempts("r").size() == 1 && store.attempts("r").at(0).lastStep == 5);
    }

    void catchUpAllFollowsTheFolders()
    {
        const RunHome home;
        home.createRun("a");
        const contract::RunFolder gone = home.createRun("b");
        append(gone.journal(0), randomJournal(0, 3000, 2));
        fs::create_directories(home.runs() / ".c.unfinished" / "attempts");
        Store store(home.database());
        QVERIFY(storage::catchUpAll(store, home.runs()).empty());
        QCOMPARE(store.runs().size(), std::size_t(2));
        fs::rename(gone.root(), home.root() / "trash");
        QVERIFY(storage::catchUpAll(store, home.runs()).empty());
        QCOMPARE(store.runs().size(), std::size_t(1));
        QVERIFY(store.series("b").empty());
        fs::rename(home.root() / "trash", gone.root());
        QVERIFY(storage::catchUpAll(store, home.runs()).empty());
        QCOMPARE(store.series("b").at(0).points, 3000);
    }

    void aRunsFolderThatIsAwayForgetsNoRun()
    {
        const RunHome home;
        home.createRun("a");
        Store store(home.database());
        storage::catchUpAll(store, home.runs());
        fs::rename(home.runs(), home.root() / "away");
        QVERIFY(storage::catchUpAll(store, home.runs()).empty());
        QCOMPARE(store.runs().size(), std::size_t(1));
    }

    void aFolderThatIsGoneIsNoError()
    {
        const RunHome home;
        Store store(home.database());
        QVERIFY(Ingest(store).catchUp(contract::RunFolder(home.runs() / "nowhere")) == Ingest::Result());
        QVERIFY(store.runs().empty());
    }

    void aRemovedRunIsForgottenAndItsKeyNeverUsedAgain()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), randomJournal(0, 2000, 2));
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        const std::int64_t id = store.series("r").at(0).id;
        store.removeRun("r");
        QVERIFY(!store.run("r") && store.series("r").empty() && store.points(id).empty());
        QVERIFY(fs::exists(folder.root()));
        ingest.catchUp(folder);
        QCOMPARE(store.series("r").at(0).points, 2000);
        QVERIFY(store.points(id).empty());
    }
};

QTEST_APPLESS_MAIN(IngestFolderTest)
#include "tst_ingest_folder.moc"
