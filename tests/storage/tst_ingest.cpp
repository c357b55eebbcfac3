// Ingest of journals: every record is stored exactly and once, whatever happens to the files.
#include "storage/ingest.h"
#include "tests/storage/description.h"
#include "tests/storage/run_home.h"

#include <QtTest>

#include <sys/stat.h>

#include <cmath>
#include <fstream>

using storage::Ingest;
using storage::SeriesRow;
using storage::Store;

namespace {

void replaceFile(const std::filesystem::path& file, const std::string& text)
{
    std::filesystem::remove(file);
    append(file, text);
}

}  // namespace

class IngestTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void m06IngestingTwiceChangesNothing()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        append(folder.journal(0), randomJournal(0, 1000, 4));
        append(folder.journal(1), randomJournal(1, 1000, 3));
        Store store(home.database());
        QCOMPARE(Ingest(store).catchUp(folder).values, 7000);
        const std::string before = describe(store);
        const std::int64_t counter = store.changeCounter();

        QVERIFY(Ingest(store).catchUp(folder) == Ingest::Result());
        Store other(home.database());
        QVERIFY(Ingest(other).catchUp(folder) == Ingest::Result());
        QCOMPARE(describe(store), before);
        QCOMPARE(store.changeCounter(), counter);
    }

    void everyNumberOfStepsAndMetricsIsAValue()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + stepLine(3, 30, {{"loss", 0.5}, {"lr", 1e-3}})
                + stepLine(3, 31, {{"validation/loss", 0.25}}, "metrics")
                + record("{'type':'checkpoint','step':3,'t_ms':32,'bytes':10,'path':'p'}")
                + record("{'type':'unheard_of','step':3,'t_ms':33,'number':1}")
                + record("{'type':'step','step':4,'t_ms':40,'loss':'NaN','word':'x','yes':true}"));
        Store store(home.database());
        QCOMPARE(Ingest(store).catchUp(folder).values, 4);
        const auto rows = store.series("r");
        QCOMPARE(rows.size(), std::size_t(3));
        const SeriesRow* loss = findSeries(rows, "loss", 0, 1);
        QVERIFY(loss && loss->points == 2 && loss->nonFinite == 1 && std::isnan(*loss->last));
        QVERIFY(findSeries(rows, "validation/loss", 0, 1)->last == 0.25);
        QCOMPARE(store.run("r")->lastStep, 4);
        QCOMPARE(store.run("r")->lastRecordUnixMs, 1'000'040);
        QVERIFY(std::isnan(*store.run("r")->lastLoss));
    }

    void tornLinesFedByteByByteEqualTheWholeJournal()
    {
        const RunHome home;
        const contract::RunFolder whole = home.createRun("whole");
        const contract::RunFolder torn = home.createRun("torn");
        const std::string text = headerLine(1, 0) + stepLine(1, 1, {{"loss", 0.5}, {"lr", NAN}})
            + record("{'type':'event','step':1,'t_ms':2,'level':'info','kind':'phase','message':'\u00fcber'}")
            + "broken\n" + stepLine(2, 3, {{"loss", -0.0}});
        append(whole.journal(0), text);
        Store store(home.database());
        Ingest ingest(store);
        const Ingest::Result expected = ingest.catchUp(whole);
        Ingest::Result sum;
        for (const char byte : text) {
            append(torn.journal(0), std::string(1, byte));
            const Ingest::Result result = ingest.catchUp(torn);
            sum.values += result.values;
            sum.malformedLines += result.malformedLines;
            for (const std::string& problem : result.problems)  // names the journal
                sum.problems.push_back(QString::fromStdString(problem).replace("/torn/", "/whole/").toStdString());
            if (byte != '\n')
                QVERIFY(result == Ingest::Result());
        }
        QCOMPARE(sum.malformedLines, 1);
        QVERIFY(sum == expected);
        const auto points = [&](const char* run) { return store.points(store.series(run).at(0).id); };
        QCOMPARE(points("torn").size(), std::size_t(2));
        QVERIFY(std::signbit(points("torn").back().value) && std::signbit(points("whole").back().value));
        QCOMPARE(store.events("torn", 10).size(), std::size_t(2));  // its own, and that a line is damaged
    }

    void linesBeforeAHeaderAreIgnored()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), stepLine(1, 1, {{"loss", 1}}));
        Store store(home.database());
        Ingest ingest(store);
        QVERIFY(ingest.catchUp(folder) == Ingest::Result());
        append(folder.journal(0), headerLine(1, 0) + stepLine(2, 1, {{"loss", 2}}));
        QCOMPARE(ingest.catchUp(folder).values, 1);
        QCOMPARE(store.series("r").at(0).firstStep, 2);
    }

    void damagedLinesAreCounted_data()
    {
        QTest::addColumn<QByteArray>("damaged");
        QTest::newRow("defect-33: a byte that is no text") << QByteArray("{'type':'step','step':2,'t_ms':2,'lo\xffss':1}");
        QTest::newRow("defect-33: a flipped bit") << QByteArray("{'type':'step','step':2,'t_ms':2,'loss'z1}");
        QTest::newRow("defect-33: zeros") << QByteArray(4096, '\0');
    }
    void damagedLinesAreCounted()
    {
        QFETCH(QByteArray, damaged);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const std::string line = record(damaged);
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 0.5}}) + line + stepLine(3, 3, {{"loss", 0.4}}));
        Store store(home.database());
        Ingest ingest(store);
        Ingest::Result result = ingest.catchUp(folder);
        QCOMPARE(result.values, 2);
        QCOMPARE(result.malformedLines, 1);
        QCOMPARE(result.problems, std::vector<std::string> {folder.journal(0).string() + ": 1 damaged line was left out; its values are missing"});
        QVERIFY(ingest.catchUp(folder) == Ingest::Result());
        append(folder.journal(0), line + line + stepLine(4, 4, {{"loss", 0.3}}));
        result = ingest.catchUp(folder);
        QCOMPARE(result.malformedLines, 2);
        // Stays visible after the lines have been read: one event for the attempt.
        const auto events = store.events("r", 10);
        QCOMPARE(events.size(), std::size_t(1));
        QVERIFY(events[0].level == "warning" && events[0].step == 3 && events[0].attempt == 1);
        QCOMPARE(events[0].message, std::string("3 damaged lines were left out; their values are missing"));
    }

    void theLineInWhichAWriterWasKilledIsNoDamage_defect_33()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 1}}) + "{\"type\":\"step\",\"st");
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        append(folder.journal(0), "\n" + headerLine(2, 0) + stepLine(2, 1, {{"loss", 1}}));
        const Ingest::Result result = ingest.catchUp(folder);
        QCOMPARE(result.values, 1);
        QCOMPARE(result.malformedLines, 0);
        QVERIFY(result.problems.empty() && store.events("r", 10).empty());
    }

    void everNewMetricsAreBounded_defect_22()
    {
        constexpr std::size_t kMost = 10'000;
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const auto metrics = [](int from, int to) {
            std::vector<std::pair<std::string, double>> values;
            for (int i = from; i < to; ++i)
                values.emplace_back("m" + std::to_string(i), i);
            return values;
        };
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, metrics(0, 4000)) + stepLine(2, 2, metrics(4000, 8000)));
        Store store(home.database());
        Ingest ingest(store);
        QVERIFY(ingest.catchUp(folder).problems.empty());
        append(folder.journal(0), stepLine(3, 3, metrics(8000, 11'000)) + stepLine(4, 4, metrics(0, 2)));
        QCOMPARE(ingest.catchUp(folder).problems,
            std::vector<std::string> {folder.journal(0).string() + ": has more than 10000 metrics; those beyond are left out"});
        QCOMPARE(store.series("r").size(), kMost);
        append(folder.journal(0), stepLine(5, 5, metrics(11'000, 11'010)) + stepLine(6, 6, metrics(1, 2)));
        QCOMPARE(ingest.catchUp(folder).problems.size(), std::size_t(1));
        const auto series = store.series("r");
        QCOMPARE(series.size(), kMost);
        QCOMPARE(findSeries(series, "m1", 0, 1)->points, 3);
    }

    void whatIsNoJournalIsNamedAndTheCurvesAreKept_data()
    {
        QTest::addColumn<QString>("what");
        QTest::addColumn<QByteArray>("error");
        QTest::newRow("defect-31: a pipe") << "pipe" << QByteArray("is not a regular file but a pipe");
        QTest::newRow("defect-22: a link to an endless file") << "endless" << QByteArray("is a symbolic link");
        QTest::newRow("defect-22: a link to itself") << "loop" << QByteArray("is a symbolic link");
        QTest::newRow("defect-22: a folder") << "folder" << QByteArray("is not a regular file but a folder");
    }
    void whatIsNoJournalIsNamedAndTheCurvesAreKept()
    {
        QFETCH(QString, what);
        QFETCH(QByteArray, error);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        const std::filesystem::path journal = folder.journal(0);
        append(journal, headerLine(1, 0) + stepLine(1, 1, {{"loss", 0.5}}));
        Store store(home.database());
        Ingest ingest(store);
        ingest.catchUp(folder);
        std::filesystem::remove(journal);
        if (what == "pipe")
            QCOMPARE(::mkfifo(journal.c_str(), 0600), 0);
        else if (what == "folder")
            std::filesystem::create_directory(journal);
        else
            std::filesystem::create_symlink(what == "loop" ? journal.filename() : "/dev/zero", journal);
        const Ingest::Result result = ingest.catchUp(folder);
        QCOMPARE(result.problems.size(), std::size_t(1));
        QVERIFY2(QByteArray::fromStdString(result.problems[0]).contains(error), result.problems[0].c_str());
        QCOMPARE(store.series("r").size(), std::size_t(1));
    }

    void aSparseFileIsNotReadToItsEnd_defect_22()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + stepLine(1, 1, {{"loss", 0.5}}));
        std::filesystem::resize_file(folder.journal(0), std::uintmax_t {1} << 40);
        Store store(home.database());
        Ingest ingest(store);
        const Ingest::Result result = ingest.catchUp(folder);
        QCOMPARE(result.problems, std::vector<std::string> {folder.journal(0).string() + ": has a line of more than 64 MiB, so it is not a journal"});
        QCOMPARE(store.series("r").size(), std::size_t(1));
    }

    void anEndlessLineIsPassedOver()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r");
        append(folder.journal(0), headerLine(1, 0) + std::string(5'000'000, 'x'));
        Store store(home.database());
        Ingest ingest(store);
        QVERIFY(ingest.catchUp(folder) == Ingest::Result());
        append(folder.journal(0), "\n" + stepLine(1, 1, {{"loss", 1}}));
        const Ingest::Result result = ingest.catchUp(folder);
        QCOMPARE(result.values, 1);
        QCOMPARE(result.malformedLines, 1);
    }

    void aReplacedJournalIsReadAnew_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("shorter") << 10;
        QTest::newRow("empty") << 0;
        QTest::newRow("longer") << 900;
    }
    void aReplacedJournalIsReadAnew()
    {
        QFETCH(int, steps);
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        append(folder.journal(0), randomJournal(0, 500, 3));
        append(folder.journal(1), randomJournal(1, 500, 3));
        append(folder.journal(0), record("{'type':'event','step':1,'t_ms':2,'level':'info','kind':'k','message':'m'}"));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        replaceFile(folder.journal(0), steps == 0 ? "" : randomJournal(7, steps, 2));
        Ingest(store).catchUp(folder);

        Store fresh(home.root() / "fresh.db");
        Ingest(fresh).catchUp(folder);
        QCOMPARE(describe(store), describe(fresh));
        QCOMPARE(store.events("r", 10).size(), std::size_t(0));
    }

    void aVanishedJournalTakesItsValuesAlong()
    {
        const RunHome home;
        const contract::RunFolder folder = home.createRun("r", 2);
        append(folder.journal(0), randomJournal(0, 100, 1));
        append(folder.journal(1), randomJournal(1, 100, 1));
        Store store(home.database());
        Ingest(store).catchUp(folder);
        std::filesystem::remove(folder.journal(1));
        Ingest(store).catchUp(folder);
        QCOMPARE(store.series("r").size(), std::size_t(1));
        QCOMPARE(store.series("r").at(0).rank, 0);
    }

};

QTEST_APPLESS_MAIN(IngestTest)
#include "tst_ingest.moc"
