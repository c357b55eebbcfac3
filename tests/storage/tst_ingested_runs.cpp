// What the index says of whole runs: attempts, outcomes, samples, changes, and the space of what is gone.
#include "engine/contract/run/journal.h"
#include "storage/exports/export_metrics.h"
#include "storage/ingest.h"
#include "tests/storage/description.h"
#include "tests/storage/run_home.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <QtTest>

using storage::Ingest;
using storage::Part;
using storage::SeriesRow;
using storage::Store;

class IngestedRunsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void removedRunsLeaveTheirSpace_data()
    {
        QTest::addColumn<bool>("isOld");
        QTest::newRow("defect-16: a database of this version") << false;
        QTest::newRow("defect-16: one of a version whose database could not shrink") << true;
    }
    void removedRunsLeaveTheirSpace()
    {
        QFETCH(bool, isOld);
        const RunHome home;
        {
            const Store created(home.database());
        }
        if (isOld) {
            SQLite::Database database(home.database().string(), SQLite::OPEN_READWRITE);
            database.exec("PRAGMA auto_vacuum = NONE");
            database.exec("VACUUM");
        }
        Store store(home.database());
        const contract::RunFolder kept = home.createRun("kept");
        append(kept.journal(0), randomJournal(0, 1000, 4));
        Ingest(store).catchUp(kept);
        const std::string before = describe(store);
        const auto bytes = [&] {
            SQLite::Database(home.database().string(), SQLite::OPEN_READWRITE).exec("PRAGMA wal_checkpoint(TRUNCATE)");
            return std::filesystem::file_size(home.database());
        };
        const auto small = bytes();
        const contract::RunFolder large = home.createRun("large");
        append(large.journal(0), randomJournal(0, 50'000, 8));
        Ingest(store).catchUp(large);
        QVERIFY(bytes() > 4 * small);
        store.removeRun("large");
        if (isOld)
            QVERIFY(bytes() > 4 * small);
        store.compact();
        QVERIFY2(bytes() < 2 * small, qPrintable(QString::number(bytes())));
        QCOMPARE(describe(store), before);
        // From now on, removing a run is enough.
        const contract::RunFolder next = home.createRun("next");
        append(next.journal(0), randomJournal(0, 50'000, 8));
        Ingest(store).catchUp(next);
        store.removeRun("next");
        QVERIFY2(bytes() < 2 * small, qPrintable(QString::number(bytes())));
        QCOMPARE(describe(store), before);
    }

    void readersLearnWhatHasChanged_data()
    {
        QTest::addColumn<QByteArray>("line");  // appended to the journal of rank 0
        QTest::addColumn<std::vector<Part>>("parts");
        QTest::newRow("defect-24: a step") << QByteArray("{'type':'step','step':2,'t_ms':2,'loss':0.5}") << std::vector {Part::Run, Part::Series};
        QTest::newRow("defect-24: a sample")
            << QByteArray("{'type':'sample','step':2,'t_ms':2,'file':'samples/a.png','prompt':'x','seed':1,'guidance':1,'weights':'ema'}")
            << std::vector {Part::Run, Part::Samples};
        QTest::newRow("defect-24: an event") << QByteArray("{'type':'event','step':2,'t_ms':2,'level':'info','kind':'phase','message':'trains'}")
                                             << std::vector {Part::Run, Part::Events};
    }
    void readersLearnWhatHasChanged()
    {
        QFETCH(QByteArray, line);
        QFETCH(std::vector<Part>, parts);
        const RunHome home;
        Store writer(home.database()), reader(home.database());
        const contract::RunFolder folder = home.createRun("r"), other = home.createRun("other");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 1}}));
        Ingest(writer).catchUp(folder);
        Ingest(writer).catchUp(other);
        storage::Changes changes = reader.changesSince(0);
        QVERIFY(changes.isUnknown);
        append(folder.journal(0), record(line));
        Ingest(writer).catchUp(folder);
        changes = reader.changesSince(changes.position);
        QVERIFY(!changes.isUnknown && !changes.isRunRemoved);
        for (const Part part : {Part::Run, Part::Series, Part::Samples, Part::Checkpoints, Part::Events}) {
            QCOMPARE(changes.concerns("r", {part}), std::ranges::find(parts, part) != parts.end());
            QVERIFY(!changes.concerns("other", {part}));
        }
        QVERIFY(reader.changesSince(changes.position).parts.empty());
        // A checkpoint's folder, an annotation, a journal that vanishes, a run that is removed.
        writeCheckpoint(folder, 2, 1, 0.5);
        Ingest(writer).catchUp(folder);
        changes = reader.changesSince(changes.position);
        QVERIFY(changes.concerns("r", {Part::Checkpoints}) && !changes.concerns("r", {Part::Series, Part::Samples}));
        std::filesystem::remove(folder.journal(0));
        Ingest(writer).catchUp(folder);
        changes = reader.changesSince(changes.position);
        QVERIFY(changes.concerns("r", {Part::Series}) && changes.concerns("r", {Part::Run}));
        writer.removeRun("r");
        changes = reader.changesSince(changes.position);
        QVERIFY(changes.isRunRemoved && !changes.concerns("other", {Part::Run}));
        writer.removeRun("other");
        changes = reader.changesSince(changes.position);
        QVERIFY(changes.isRunRemoved);
    }

    void m07_eachAttemptKeepsItsPace()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        const auto pace = [](const char* rest) { return std::string(R"({"type":"pace","step":4,"t_ms":1,)") + rest + "}\n"; };
        append(folder.journal(0), headerLine(1, 0));
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        QVERIFY(!store.attempts("r").at(0).pace);
        for (const char* senseless : {R"("samples":-1,"samples_per_step":8)", R"("samples":0,"samples_per_step":0)", R"("samples":0)",
                 R"("samples":0,"samples_per_step":8,"steps_per_epoch":"NaN")", R"("samples":0,"samples_per_step":8,"steps_per_epoch":-1)"})
            append(folder.journal(0), pace(senseless));
        ingest.catchUp(folder);
        QVERIFY(!store.attempts("r").at(0).pace);

        append(folder.journal(0), pace(R"("samples":32,"samples_per_step":8,"steps_per_epoch":2.5)"));
        ingest.catchUp(folder);
        append(folder.journal(0), stepLine(5, 2, {{"loss", 1}}));
        append(folder.journal(1), headerLine(1, 1) + pace(R"("samples":99,"samples_per_step":99)"));  // no other rank has a say
        ingest.catchUp(folder);
        beginAttempt(folder, 2, 1, 5);
        append(folder.journal(0), headerLine(2, 0, 2'000'000) + pace(R"("samples":40,"samples_per_step":16)"));
        ingest.catchUp(folder);
        QVERIFY(store.attempts("r").at(0).pace == (storage::Pace {.step = 4, .samples = 32, .samplesPerStep = 8, .stepsPerEpoch = 2.5}));
        QVERIFY(store.attempts("r").at(1).pace == (storage::Pace {.step = 4, .samples = 40, .samplesPerStep = 16, .stepsPerEpoch = 0}));
    }

    void n01AttemptsKeepTheirOwnPointsAndAreSuperseded()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        std::string text = headerLine(1, 0);
        for (int step = 1; step <= 450; ++step)
            text += stepLine(step, step, {{"loss", step * 1.0}, {"early", 1.0}});
        append(folder.journal(0), text);
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        QVERIFY(!findSeries(store.series("r"), "loss", 0, 1)->supersededAfter);

        beginAttempt(folder, 2, 1, 300, {{"run.total_steps", "777"}});
        text = headerLine(2, 0, 2'000'000);
        for (int step = 301; step <= 400; ++step)
            text += stepLine(step, step, {{"loss", step * 2.0}});
        append(folder.journal(0), text);
        ingest.catchUp(folder);
        beginAttempt(folder, 3, 1, 350);
        append(folder.journal(0), headerLine(3, 0, 3'000'000) + stepLine(351, 1, {{"loss", 3}}));
        ingest.catchUp(folder);

        const auto rows = store.series("r");
        QVERIFY(findSeries(rows, "loss", 0, 1)->supersededAfter == 300);
        QVERIFY(findSeries(rows, "loss", 0, 2)->supersededAfter == 350);
        QVERIFY(!findSeries(rows, "loss", 0, 3)->supersededAfter);
        QCOMPARE(findSeries(rows, "loss", 0, 1)->points, 450);
        QCOMPARE(findSeries(rows, "loss", 0, 2)->points, 100);
        QCOMPARE(store.attempts("r").size(), std::size_t(3));
        QCOMPARE(store.attempts("r").at(1).parentStep, 300);
        QCOMPARE(store.attempts("r").at(1).parentCheckpoint, std::string("checkpoints/step-300"));
        QCOMPARE(store.attempts("r").at(1).lastStep, 400);
        QCOMPARE(store.run("r")->attempts, 3);
        QCOMPARE(store.run("r")->lastStep, 351);

        beginAttempt(folder, 4, 1, 200);  // resumes before the second attempt's parent step, so it supersedes all earlier attempts
        ingest.catchUp(folder);
        QVERIFY(findSeries(store.series("r"), "loss", 0, 1)->supersededAfter == 200);
        QVERIFY(findSeries(store.series("r"), "loss", 0, 2)->supersededAfter < 301);
    }

    void N1_onlyTheHistoryOfTheLastAttemptCounts_data()
    {
        QTest::addColumn<int>("writer");
        QTest::addColumn<int>("second");
        QTest::addColumn<QString>("kept");
        QTest::newRow("N1: from the first attempt, as the steps tell") << 0 << 320 << "1-450 451-460";
        QTest::newRow("N1: from the first attempt, as its start says") << 1 << 500 << "1-450 451-460";
        QTest::newRow("N1: from the second, as its start says") << 2 << 500 << "1-300 301-450 451-460";
        QTest::newRow("N1: from the second, as the steps tell") << 0 << 500 << "1-300 301-450 451-460";
    }
    /// The first attempt reaches step 450, the second goes on from its step 300 to another step, the third from step 450.
    void N1_onlyTheHistoryOfTheLastAttemptCounts()
    {
        QFETCH(int, writer);
        QFETCH(int, second);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        beginAttempt(folder, 2, 1, 300);
        beginAttempt(folder, 3, 1, 450);
        contract::AttemptStart start = folder.readStart(3);
        start.parentAttempt = writer;
        folder.writeStart(start);
        std::string text;
        for (const auto& [attempt, first, last] : {std::tuple(1, 1, 450), std::tuple(2, 301, second), std::tuple(3, 451, 460)}) {
            text += headerLine(attempt, 0, 1'000'000 * attempt);
            for (int step = first; step <= last; ++step)
                text += stepLine(step, step, {{"loss", attempt == 2 ? -step : attempt * 1000.0 + step}});
        }
        append(folder.journal(0), text);
        append(folder.journal(contract::kHostRank), headerLine(2, contract::kHostRank) + stepLine(5, 1, {{"system/cpu_load", 0.5}}, "host"));
        Store store(home.database());
        Ingest(store).catchUp(folder);

        QStringList kept;
        std::string marked;
        for (const SeriesRow& row : store.series("r")) {
            if (row.metric != "loss") {
                QVERIFY(!row.supersededAfter);  // the machine's doing is not undone
                continue;
            }
            const std::int64_t last = std::min(row.lastStep, row.supersededAfter.value_or(row.lastStep));
            if (last >= row.firstStep)
                kept << QStringLiteral("%1-%2").arg(row.firstStep).arg(last);
            for (std::int64_t step = row.firstStep; step <= row.lastStep; ++step)
                marked += step <= last ? "f" : "t";
        }
        QTEST(kept.join(' '), "kept");
        QCOMPARE(store.attempts("r").at(2).parent, writer > 0 ? writer : second == 500 ? 2 : 1);
        QCOMPARE(store.attempts("r").at(1).parent, 1);
        QCOMPARE(store.values({storage::RunField::Kind::Highest, "loss"}).at(0).number, 3460.0);
        QCOMPARE(store.values({storage::RunField::Kind::Lowest, "loss"}).at(0).number, kept.size() == 2 ? 1001.0 : -450.0);
        QCOMPARE(store.values({storage::RunField::Kind::Last, "system/cpu_load"}).at(0).number, 0.5);
        std::string exported, flags;
        storage::exportCsv(store, "r", [&](std::string_view part) { exported += part; });
        for (std::size_t line = exported.find("loss"); line != std::string::npos && exported.compare(line, 4, "loss") == 0; line = exported.find('\n', line) + 1)
            flags += exported[exported.rfind(',', exported.find('\n', line)) + 1];
        QCOMPARE(flags, marked);

        beginAttempt(folder, 4, 1, 460);
        append(folder.journal(0), headerLine(4, 0, 4'000'000));
        Ingest(store).catchUp(folder);
        QCOMPARE(store.values({storage::RunField::Kind::Last, "loss"}).at(0).number, 3460.0);
        QCOMPARE(store.values({storage::RunField::Kind::Last, "loss"}).at(0).step, 460);
        beginAttempt(folder, 5, 1, 310);  // a step that two attempts have recorded: the newer one's checkpoint has replaced the other's
        Ingest(store).catchUp(folder);
        QCOMPARE(store.values({storage::RunField::Kind::Last, "loss"}).at(0).number, -310.0);
    }

    /// M11: a checkpoint that the last attempt would not go on from, and that this changes with the attempts.
    void M11_abandonedCheckpointsAreKnown()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        for (const std::int64_t step : {1000, 2000, 3000})
            writeCheckpoint(folder, step, 1, 1.0);
        Store store(home.database());
        Ingest(store).catchUp(folder);
        const auto abandoned = [&] {
            QStringList steps;
            for (const storage::CheckpointRow& row : store.checkpoints("r"))
                steps << (row.isAbandoned ? QStringLiteral("(%1)") : QStringLiteral("%1")).arg(row.step);
            return steps.join(' ');
        };
        QCOMPARE(abandoned(), QStringLiteral("1000 2000 3000"));
        const std::int64_t position = store.changesSince(0).position;
        beginAttempt(folder, 2, 1, 1000);
        Ingest(store).catchUp(folder);
        QVERIFY(store.changesSince(position).concerns("r", {storage::Part::Checkpoints}));
        QVERIFY(store.changesSince(position).concerns("r", {storage::Part::Series}));
        QCOMPARE(abandoned(), QStringLiteral("1000 (2000) (3000)"));
        std::filesystem::remove_all(folder.checkpoint(2000));
        writeCheckpoint(folder, 2000, 2, 1.0);
        Ingest(store).catchUp(folder);
        QCOMPARE(abandoned(), QStringLiteral("1000 2000 (3000)"));
    }

    /// N1: the samples of a former attempt after the step from which a later one went on.
    void n01_supersededSamplesAreKnown()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const auto sampled = [](int step) {
            return record("{'type':'sample','step':" + QByteArray::number(step) + ",'t_ms':5,'file':'samples/a.png','prompt':'a','seed':1,'guidance':2,'weights':'ema'}");
        };
        append(folder.journal(0), headerLine(1, 0) + sampled(100) + sampled(200) + sampled(300));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        const auto superseded = [&] {
            QStringList steps;
            for (const storage::SampleRow& row : store.samples("r"))
                steps << (row.isSuperseded ? QStringLiteral("(%1)") : QStringLiteral("%1")).arg(row.step);
            return steps.join(' ');
        };
        QCOMPARE(superseded(), QStringLiteral("100 200 300"));
        beginAttempt(folder, 2, 1, 150);
        append(folder.journal(0), headerLine(2, 0) + sampled(200));
        Ingest(store).catchUp(folder);
        QCOMPARE(superseded(), QStringLiteral("100 (200) 200 (300)"));
    }

    void anEarlierAttemptThatEndedBeforeIsNotSuperseded()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + stepLine(300, 1, {{"loss", 1}}));
        beginAttempt(folder, 2, 1, 300);
        append(folder.journal(0), headerLine(2, 0) + stepLine(301, 1, {{"loss", 1}}));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        for (const SeriesRow& row : store.series("r"))
            QVERIFY(!row.supersededAfter);
    }

    void theSupervisorsWordIsFinal()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const std::string end = record("{'type':'end','step':9,'t_ms':5,'outcome':'finished','cause':''}");
        append(folder.journal(0), headerLine(1, 0) + end);
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        QCOMPARE(store.run("r")->outcome, std::string("finished"));
        append(folder.journal(-1), headerLine(1, -1)
                + record("{'type':'end','step':9,'t_ms':7,'outcome':'failed','cause':'Rank 1 was killed'}"));
        ingest.catchUp(folder);
        QCOMPARE(store.run("r")->outcome, std::string("failed"));
        QCOMPARE(store.attempts("r").at(0).cause, std::string("Rank 1 was killed"));
    }

    void samplesAndEventsKeepTheirFields()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0)
                + record("{'type':'sample','step':50,'t_ms':5.4,'file':'samples/50.png','prompt':'3','seed':7,"
                         "'guidance':2.5,'weights':'ema'}")
                + record("{'type':'event','step':51,'t_ms':6,'level':'error','kind':'skipped','message':'bad'}")
                + record("{'type':'event','step':52,'t_ms':7,'level':'info','kind':'notice','message':'good'}"));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        const storage::SampleRow sample = store.samples("r").at(0);
        QVERIFY(sample.step == 50 && sample.file == "samples/50.png" && sample.prompt == "3" && sample.seed == 7
            && sample.guidance == 2.5 && sample.weights == "ema" && sample.unixMs == 1'000'005);
        QVERIFY(!sample.standing);
        QCOMPARE(store.events("r", 10).size(), std::size_t(2));
        const auto newest = store.events("r", 1);
        QVERIFY(newest.size() == 1 && newest.at(0).message == "good" && newest.at(0).step == 52);
    }
};

QTEST_APPLESS_MAIN(IngestedRunsTest)
#include "tst_ingested_runs.moc"
