// E7: what Atelier exports as CSV or JSON comes back whole: export, import and export again give the same bytes.
#include "engine/contract/run/journal.h"
#include "storage/exports/export_metrics.h"
#include "tests/storage/imported.h"

#include <QtTest>

#include <cmath>
#include <limits>

namespace fs = std::filesystem;
using tests::ImportHome;
using What = storage::ImportResult::What;

namespace {

constexpr char kOddName[] = "odd, \\\"name\\\"\\n";  // as JSON has it
constexpr char kId[] = "own-20261121-101500-aaaa";

std::string exported(const storage::Store& store, const std::string& id, bool isCsv)
{
    std::string text;
    const auto write = [&](std::string_view piece) { text += piece; };
    if (isCsv)
        storage::exportCsv(store, id, write);
    else
        storage::exportJson(store, id, write);
    return text;
}

double oddValue(std::int64_t i)
{
    const double odd[] = {std::nan(""), INFINITY, -INFINITY, -0.0, 5e-324, std::numeric_limits<double>::max(), 0.1, -1.0 / 3, 9007199254740993.0};
    return odd[std::size_t(i) % std::size(odd)];
}

/// Three attempts of two ranks and the machine; the second resumed at step 40, the third at step 20.
void addOwnRun(const ImportHome& home)
{
    const contract::RunFolder run = home.createRun(kId, 2);
    beginAttempt(run, 2, 2, 40);
    beginAttempt(run, 3, 1, 20);
    for (int attempt = 1; attempt <= 3; ++attempt) {
        for (const int rank : {0, 1, contract::kHostRank}) {
            if (rank == 1 && attempt == 3)
                continue;
            std::string lines = headerLine(attempt, rank, 1'700'000'000'123 + attempt * 1'000'000);
            const std::int64_t first = attempt == 1 ? 0 : attempt == 2 ? 41 : 21;
            for (std::int64_t step = first; step < first + 60; ++step) {
                if (rank == contract::kHostRank)
                    lines += stepLine(step, double(step) * 1000.5, {{"system/cpu_load", 0.25}}, "host");
                else
                    lines += stepLine(step, double(step) * 1.237, {{"loss", 1.0 / double(step + rank + 1)}, {kOddName, oddValue(step)}});
            }
            if (rank == 0)
                lines += stepLine(std::int64_t(1) << 53, -0.0, {{"far", 1}}, "metrics");
            append(run.journal(rank), lines);
        }
    }
}

}  // namespace

class ImportExportsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E7_anExportComesBackWhole_data()
    {
        QTest::addColumn<bool>("isCsv");
        QTest::newRow("E7 CSV") << true;
        QTest::newRow("E7 JSON") << false;
    }
    void E7_anExportComesBackWhole()
    {
        QFETCH(bool, isCsv);
        ImportHome from, to;
        addOwnRun(from);
        storage::Ingest(from.store).catchUp(from.folder(kId));
        const std::string text = exported(from.store, kId, isCsv);
        QVERIFY(text.find(isCsv ? ",5e-324,true\n" : ",5e-324,true]") != std::string::npos);
        const fs::path file = to.root() / (isCsv ? std::string(kId) + ".csv" : "values.json");
        tests::write(file, text);
        to.importAll(file);
        QCOMPARE(to.failures, std::vector<std::string>());
        const std::string id = to.runCalled("own");
        const std::string again = exported(to.store, id, isCsv);
        const auto place = std::size_t(std::ranges::mismatch(text, again).in1 - text.begin());
        QVERIFY2(again == text, (text.substr(place > 100 ? place - 100 : 0, 200) + " became " + again.substr(std::min(place, again.size()), 100)).c_str());
        QCOMPARE(to.points(id, "odd, \"name\"\n", 2).size(), std::size_t(60));
        QCOMPARE(to.store.attempts(id).size(), std::size_t(3));
        if (!isCsv) {
            QCOMPARE(id, std::string(kId));
            QCOMPARE(to.store.attempts(id)[1].parentStep, 40);
            QCOMPARE(to.store.attempts(id)[1].startUnixMs, 1'700'002'000'123);
        }
        to.importAll(file);
        QCOMPARE(to.results.back().first.what, What::Known);
        QCOMPARE(to.store.runs().size(), std::size_t(1));
        const fs::path other = to.root() / "other.db";
        QCOMPARE(storage::reindex(other, to.runs(), [](std::size_t, std::size_t) {}), std::vector<std::string>());
        QVERIFY(exported(storage::Store(other), id, isCsv) == text);
    }

    /// Both attempts have begun the round after step 24.
    void N1_whatALaterAttemptHasRecordedAgainIsSuperseded()
    {
        for (const bool isCsv : {true, false}) {
            ImportHome from, to;
            const auto run = from.createRun(kId, 1);
            beginAttempt(run, 2, 1, 24);
            std::string text = headerLine(1, 0);
            for (int step = 1; step <= 24; ++step)
                text += stepLine(step, step, {{"loss", step * 1.0}});
            append(run.journal(0), text + stepLine(24, 30, {{"reward", 0.5}}, "metrics") + headerLine(2, 0, 2'000'000)
                    + stepLine(24, 1, {{"reward", 0.75}}, "metrics") + stepLine(25, 2, {{"loss", 0}}));
            storage::Ingest(from.store).catchUp(from.folder(kId));
            for (const storage::SeriesRow& series : from.store.series(kId))
                QCOMPARE(series.supersededAfter.value_or(-1), std::int64_t(series.metric == "reward" && series.attempt == 1 ? 23 : -1));
            const std::string before = exported(from.store, kId, isCsv);
            const fs::path file = to.root() / (isCsv ? "values.csv" : "values.json");
            tests::write(file, before);
            to.importAll(file);
            QCOMPARE(to.failures, std::vector<std::string>());
            const std::string id = to.store.runs().at(0).id;
            QCOMPARE(QString::fromStdString(exported(to.store, id, isCsv)).remove(QString::fromStdString(id)), QString::fromStdString(before).remove(QString(kId)));
        }
    }

    void N1_branchesComeBack_data()
    {
        QTest::addColumn<bool>("isCsv");
        QTest::newRow("N1, E7 CSV") << true;
        QTest::newRow("N1, E7 JSON") << false;
    }
    /// The third attempt goes on from the first, though the second has recorded that step, too.
    void N1_branchesComeBack()
    {
        QFETCH(bool, isCsv);
        ImportHome from, to;
        const contract::RunFolder run = from.createRun(kId, 1);
        beginAttempt(run, 2, 1, 30);
        beginAttempt(run, 3, 1, 45);
        contract::AttemptStart start = run.readStart(3);
        start.parentAttempt = 1;
        run.writeStart(start);
        for (const auto& [attempt, first, last] : {std::tuple(1, 1, 50), std::tuple(2, 31, 60), std::tuple(3, 46, 70)}) {
            append(run.journal(0), headerLine(attempt, 0, 1'700'000'000'123 + attempt * 1'000'000));
            for (int step = first; step <= last; ++step)
                append(run.journal(0), stepLine(step, step, {{"loss", attempt}}));
        }
        storage::Ingest(from.store).catchUp(run);
        const std::string text = exported(from.store, kId, isCsv);
        const fs::path file = to.root() / (isCsv ? std::string(kId) + ".csv" : "values.json");
        tests::write(file, text);
        to.importAll(file);
        QCOMPARE(to.failures, std::vector<std::string>());
        const std::string id = to.runCalled("own");
        QVERIFY(exported(to.store, id, isCsv) == text);
        QCOMPARE(to.store.attempts(id).at(2).parent, 1);
        QCOMPARE(to.store.attempts(id).at(2).parentStep, 45);
        QCOMPARE(to.store.attempts(id).at(1).parentStep, 30);
    }

    /// Beside the run from which it came, the export is another run.
    void E7_anExportDoesNotReplaceItsRun()
    {
        ImportHome home;
        addOwnRun(home);
        storage::Ingest(home.store).catchUp(home.folder(kId));
        const std::string text = exported(home.store, kId, false);
        tests::write(home.root() / "a.json", text);
        home.importAll(home.root() / "a.json");
        QCOMPARE(home.failures, std::vector<std::string>());
        QVERIFY(home.results.at(0).first.folder != home.runs() / kId);
        QCOMPARE(home.store.runs().size(), std::size_t(2));
        QVERIFY(exported(home.store, kId, false) == text);
        home.importAll(home.root() / "a.json");
        QCOMPARE(home.results.back().first.what, What::Known);
        QCOMPARE(home.store.runs().size(), std::size_t(2));
    }

    /// As in exports of earlier versions, in which the attempts are not told.
    void E7_whatIsSupersededTellsWhereAttemptsBegan()
    {
        ImportHome home;
        tests::write(home.root() / "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,10,5,1,false\nloss,0,1,20,9,2,true\nloss,0,2,12,3,3,false\n");
        tests::write(home.root() / "b.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,10,5,1,false\nloss,0,1,20,9,2,true\n");
        for (const char* name : {"a", "b"}) {
            home.importAll(home.root() / (std::string(name) + ".csv"));
            const auto attempts = home.store.attempts(home.runCalled(name));
            QCOMPARE(attempts.size(), std::size_t(2));
            QCOMPARE(attempts[1].parentStep, 10);
            QCOMPARE(attempts[1].startUnixMs - attempts[0].startUnixMs, 9);
            QCOMPARE(home.store.series(home.runCalled(name)).at(0).supersededAfter, std::optional<std::int64_t>(10));
        }
        QCOMPARE(home.failures, std::vector<std::string>());
    }

    void E7_anExportThatIsCutOff()
    {
        ImportHome home;
        tests::write(home.root() / "a.csv", "metric,rank,attempt,step,t_ms,value,superseded\nloss,0,1,10,5,1,false\nloss,0,1,20,9,2");
        home.importAll(home.root() / "a.csv");
        QCOMPARE(home.points(home.runCalled("a"), "loss", 1).size(), std::size_t(1));
        QVERIFY(home.leftOut("a").find("ends within a record") != std::string::npos);
    }

    void E7_cancellingLeavesNothing_data()
    {
        QTest::addColumn<std::string>("name");
        QTest::newRow("E7 our export") << std::string("own.csv");
        QTest::newRow("E7 a table") << std::string("a.csv");
        QTest::newRow("E7 JSON") << std::string("a.jsonl");
    }
    void E7_cancellingLeavesNothing()
    {
        QFETCH(std::string, name);
        ImportHome home;
        std::string text = name == "own.csv" ? "metric,rank,attempt,step,t_ms,value,superseded\n" : name == "a.csv" ? "step,a\n" : "";
        for (int i = 0; i < 60'000; ++i) {
            const std::string step = std::to_string(i);
            text += name == "own.csv" ? "loss,0,1," + step + ",0,1,false\n" : name == "a.csv" ? step + ",1\n" : "{\"step\":" + step + ",\"a\":1}\n";
        }
        tests::write(home.root() / name, text);
        std::vector<std::string> problems;
        const auto runs = storage::findForeignRuns(home.root() / name, problems);
        fs::create_directories(home.root() / "staging");
        int asked = 0;
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, storage::importRun(runs.at(0), home.runs(), home.root() / "staging", [&] { return ++asked == 2; }));
        QVERIFY(fs::is_empty(home.runs()));
        QCOMPARE(storage::importRun(runs[0], home.runs(), home.root() / "staging").newValues, 60'000);
    }
};

QTEST_GUILESS_MAIN(ImportExportsTest)
#include "tst_import_exports.moc"
