// M16: the commands that read one run or many: list --filter (M10), metrics (M8), logs (M13), samples (M12), options.
#include "tests/app/atelier_program.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/annotations.h"
#include "engine/contract/run/journal_writer.h"
#include "launcher/state/journal_end.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kDigits;

namespace {

void appendTo(const std::filesystem::path& path, const QByteArray& text)
{
    std::filesystem::create_directories(path.parent_path());
    QFile file(QString::fromStdString(path.string()));
    QVERIFY(file.open(QIODevice::Append) && file.write(text) == text.size());
}

}  // namespace

class ReadingTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    QStringList texts(const QStringList& arguments)
    {
        QStringList lines;
        for (const QJsonValue& line : m_atelier->runWell(QStringList {"logs", "digits", "--json"} + arguments).json()["lines"].toArray())
            lines << line["text"].toString().section("] ", -1);
        return lines;
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void M10_runsAreListedByTheWindowsFilter_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QStringList>("names");
        QTest::newRow("a word") << "face" << QStringList {"faces"};
        QTest::newRow("a tag") << "tag:lora" << QStringList {"digits"};
        QTest::newRow("a metric") << "loss < 0.07" << QStringList {"digits"};
        QTest::newRow("an option") << "run.total_steps = 9" << QStringList {"faces"};
        QTest::newRow("a state") << "state:finished" << QStringList {"digits", "faces"};
        QTest::newRow("nothing") << "state:failed" << QStringList();
    }
    void M10_runsAreListedByTheWindowsFilter()
    {
        QFETCH(QString, filter);
        QFETCH(QStringList, names);
        const contract::RunFolder digits = m_atelier->addFinishedRun(kDigits, 14);
        m_atelier->addFinishedRun("faces-20261120-101500-bbbb", 9);
        contract::appendAnnotations(digits.annotations(), {}, {.name = {}, .project = {}, .tags = {"lora"}, .notes = {}, .isArchived = false});
        QStringList found;
        for (const QJsonValue& run : m_atelier->runWell({"list", "--json", "--filter", filter}).json().array())
            found << run["name"].toString();
        found.sort();
        QCOMPARE(found, names);
        const Outcome wrong = m_atelier->run({"list", "--filter", "loss <"});
        QVERIFY2(wrong.exitCode == 2 && wrong.errors.contains("--filter, character 6"), wrong.report());
    }

    void M10_onlyRunsThatMatchAreCountedAsNotShown()
    {
        const contract::RunFolder archived = m_atelier->addFinishedRun(kDigits, 14);
        m_atelier->addFinishedRun("faces-20261120-101500-bbbb", 9);
        contract::Annotations notes;
        notes.isArchived = true;
        contract::appendAnnotations(archived.annotations(), {}, notes);
        const QByteArray hint = "1 older or archived run is not shown: --all lists it\n";
        const Outcome all = m_atelier->runWell({"list"});
        QVERIFY2(all.output.endsWith(hint), all.report());
        const Outcome other = m_atelier->runWell({"list", "--filter", "faces"});
        QVERIFY2(other.output.contains("faces") && !other.output.contains("not shown"), other.report());
        QCOMPARE(m_atelier->runWell({"list", "--filter", "loss > 900"}).output, QByteArray("No run matches the filter.\n"));
        QCOMPARE(m_atelier->runWell({"list", "--filter", "digits"}).output, hint);
    }

    void E1_theWaitInTheQueueIsApartFromTheStart()
    {
        const contract::RunFolder digits = m_atelier->addFinishedRun(kDigits, 14);
        const std::int64_t ranksStart = launcher::readRankZeroEnd(digits, 1).startUnixMs;
        contract::AttemptStart start = digits.readStart(1);
        start.startUnixMs = ranksStart - 3'600'000;
        digits.writeStart(start);
        const contract::RunFolder waits = m_atelier->addFinishedRun("waits-20261121-101501-bbbb", 1);
        std::filesystem::remove_all(waits.journals());
        const QJsonObject attempt = m_atelier->runWell({"show", "digits", "--json"}).json()["attempts"].toArray().first().toObject();
        QCOMPARE(attempt["start_unix_ms"].toInteger(), start.startUnixMs);
        QCOMPARE(attempt["ranks_start_unix_ms"].toInteger(), ranksStart);
        const QByteArray shown = m_atelier->runWell({"show", "digits"}).output;
        QVERIFY2(shown.contains((QDateTime::fromMSecsSinceEpoch(ranksStart).toString("yyyy-MM-dd HH:mm:ss") + "  after a wait of 1 h 00 min, 2 ranks on box").toUtf8()), shown);
        for (const QJsonValue& run : m_atelier->runWell({"list", "--json"}).json().array()) {
            const bool isWaiting = run["name"].toString() == "waits";
            QCOMPARE(run["started_unix_ms"], isWaiting ? QJsonValue(QJsonValue::Null) : QJsonValue(static_cast<qint64>(ranksStart)));
        }
        for (const QByteArray& line : tests::linesOf(m_atelier->runWell({"list"}).output)) {
            if (line.contains("waits-"))
                QVERIFY2(line.endsWith("not yet"), line);
            else if (line.contains("digits-"))
                QVERIFY2(!line.contains(" h ago") && !line.contains(" min ago"), line);  // its ranks started just now
        }
    }

    void M8_metricsArePrintedExactlyOrSummarised()
    {
        m_atelier->addFinishedRun(kDigits, 1000);
        const QJsonObject exact = m_atelier->runWell({"metrics", "digits", "loss", "--exact", "--json"}).json()["series"][0].toObject();
        QVERIFY(exact["exact"].toBool());
        QCOMPARE(exact["points"].toArray().size(), 1000);
        QCOMPARE(exact["points"][998], QJsonValue(QJsonArray {999, tests::exampleLoss(999)}));
        const QJsonObject summary = m_atelier->runWell({"metrics", "digits", "time/step_ms", "--rank", "1", "--json"}).json()["series"][0].toObject();
        QCOMPARE(summary["rank"].toInt(), 1);
        std::int64_t values = 0, next = 1;
        for (const QJsonValue& each : summary["summaries"].toArray()) {
            QCOMPARE(std::int64_t(each[0].toInteger()), next);
            QCOMPARE(each[3].toDouble(), 1.5 * double(next));
            QCOMPARE(each[4].toDouble(), 1.5 * each[1].toDouble());
            next = each[1].toInteger() + 1;
            values += each[2].toInteger();
        }
        QCOMPARE(values, std::int64_t(1000));
        const QJsonArray part = m_atelier->runWell({"metrics", "digits", "loss", "--from", "4", "--to", "9", "--json"}).json()["series"][0]["points"].toArray();
        QCOMPARE(part.size(), 6);
        const QJsonArray names = m_atelier->runWell({"metrics", "digits", "--json"}).json()["metrics"].toArray();
        QCOMPARE(names.size(), 2);
        QCOMPARE(names[1]["ranks"].toArray(), QJsonArray({0, 1}));
        const Outcome none = m_atelier->run({"metrics", "digits", "lose"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("lose"), none.report());
    }

    void N1_supersededValuesAreNotPrintedAsMetrics()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 6);
        std::filesystem::create_directories(run.attempt(2));
        std::filesystem::copy_file(run.config(1), run.config(2));
        run.writeStart({.attempt = 2, .startUnixMs = 1795255300000, .ranks = 2, .host = "box", .versions = {},
            .parentCheckpoint = "checkpoints/step-4", .parentStep = 4, .controlOffset = 0});
        {
            contract::JournalWriter journal(run.journal(0), {.version = 1, .run = kDigits, .attempt = 2, .rank = 0, .host = {}, .startUnixMs = 0});
            journal.begin("step", 5).add("loss", 7.0).commit();
        }
        const QJsonArray series = m_atelier->runWell({"metrics", "digits", "loss", "--json"}).json()["series"].toArray();
        QCOMPARE(series.size(), 2);
        QCOMPARE(series[0]["points"].toArray().size(), 4);
        QCOMPARE(series[1]["points"].toArray(), QJsonArray({QJsonArray {5, 7.0}}));
        const QJsonObject loss = m_atelier->runWell({"metrics", "digits", "--json"}).json()["metrics"][0].toObject();
        QCOMPARE(loss["values"].toInt(), 5);
        QCOMPARE(loss["last_step"].toInt(), 5);
    }

    /// The second attempt repeated steps of the first; the third went on from step 4 of the first, and has recorded nothing yet.
    void N1_N2_showSaysWhatCounts()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 6);
        const auto header = [](int attempt) {
            return R"({"v":1,"run":"digits","attempt":)" + QByteArray::number(attempt) + R"(,"rank":0,"host":"box","t_unix_ms":1795255300000})" "\n";
        };
        const auto steps = [](int first, int last, const QByteArray& bytes) {
            QByteArray lines;
            for (int step = first; step <= last; ++step)
                lines += R"({"type":"step","step":)" + QByteArray::number(step) + R"(,"t_ms":1,"reward":)" + QByteArray::number(step * 0.5)
                    + R"(,"memory/peak_bytes":)" + bytes + "}\n";
            return lines;
        };
        std::filesystem::remove(run.journal(0));
        appendTo(run.journal(0), header(1) + steps(1, 6, "900000000") + header(2) + steps(5, 6, "500000000") + header(3));
        for (const int attempt : {2, 3}) {
            std::filesystem::create_directories(run.attempt(attempt));
            std::filesystem::copy_file(run.config(1), run.config(attempt));
            run.writeStart({.attempt = attempt, .startUnixMs = 1795255300000, .ranks = 2, .host = "box", .versions = {},
                .parentCheckpoint = "checkpoints/step-4", .parentStep = 4, .controlOffset = 0, .parentAttempt = 1});
        }
        appendTo(run.attempt(3) / "forecast.json", R"({"v":1,"device":"cpu","ranks":2,"parameters":5,"trained":5,"checkpoint_bytes":20000000,"activations_known":true,)"
            R"("available_bytes":1,"parts":[{"name":"program","bytes":200000000,"host":false}]})");
        const QByteArray text = m_atelier->runWell({"show", "digits"}).output;
        QVERIFY2(text.contains("\n  attempt 2 repeats steps 5 to 6 of attempt 1 with identical values\n"), text);
        QVERIFY2(text.contains("200.0 MB of memory, was 500.0 MB"), text);
        const QJsonDocument shown = m_atelier->runWell({"show", "digits", "--json"}).json();
        QCOMPARE(shown["metrics"]["reward"]["last"].toDouble(), 2.0);
        QCOMPARE(shown["metrics"]["reward"]["last_step"].toInt(), 4);
        QCOMPARE(shown["resume_proofs"][0]["steps"].toInt(), 2);
        QCOMPARE(shown["resume_proofs"][0]["cut"], QJsonValue(false));
        for (const QJsonValue metric : m_atelier->runWell({"metrics", "digits", "--json"}).json()["metrics"].toArray()) {
            if (metric["metric"] == "reward")
                QCOMPARE(metric["last"].toDouble(), 2.0);
        }
    }

    void N7_rulesAreTriedOnARun()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 40);
        const QJsonArray trials = m_atelier->runWell({"rules", "digits", "--rules", "time/step_ms > 15: stop | absent < 1: notify", "--json"}).json().array();
        QCOMPARE(trials.size(), 2);
        QCOMPARE(trials[0]["firings"].toArray(), QJsonArray({QJsonObject {{"attempt", 1}, {"step", 11}, {"value", 16.5}}}));
        QVERIFY(trials[0]["recorded"].toBool() && !trials[1]["recorded"].toBool());
        const QByteArray text = m_atelier->runWell({"rules", "digits", "--rules", "time/step_ms > 15: stop"}).output;
        QVERIFY2(text.contains("step 11: 16.5"), text);
        const Outcome wrong = m_atelier->run({"rules", "digits", "--rules", "loss > 2"});
        QVERIFY2(wrong.exitCode == 2 && wrong.errors.contains("names no action"), wrong.report());
        const QByteArray own = m_atelier->runWell({"rules", "digits"}).output;
        QVERIFY2(own.contains("loss is not finite: notify") && own.contains("grad_norm is not finite for 50 steps: notify"), own);  // what every run has unless told otherwise
        contract::Experiment experiment = contract::experimentOf(run, 1);
        experiment.setText("run.rules", "");
        contract::writeFileAtomically(run.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        const Outcome none = m_atelier->run({"rules", "digits"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("has no rules"), none.report());
    }

    void M13_logsAreMergedFilteredAndSearched()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 1);
        appendTo(run.log(0), "2026-11-21 10:15:01.000 [info] one\n2026-11-21 10:15:04.000 [error] four\nTraceback\n2026-11-21 10:15:05.000 [info] five\n");
        appendTo(run.log(1), "2026-11-21 10:15:02.000 [warning] two\n2026-11-21 10:15:03.000 [info] three\n");
        appendTo(run.log(contract::kSupervisorRank), "2026-11-21 10:15:06.000 [info] six \xff\x1b[31m\n");
        QCOMPARE(texts({}), QStringList({"one", "two", "three", "four", "Traceback", "five", "six \\xff\\x1b[31m"}));
        QCOMPARE(texts({"-n", "2"}), QStringList({"five", "six \\xff\\x1b[31m"}));
        QCOMPARE(texts({"--rank", "1"}), QStringList({"two", "three"}));
        QCOMPARE(texts({"--rank", "-1"}).size(), 1);
        QCOMPARE(texts({"--level", "warning"}), QStringList({"two", "four", "Traceback"}));
        QCOMPARE(texts({"--search", "OU"}), QStringList({"four"}));
        QCOMPARE(texts({"--search", "t[wh]", "--regex"}), QStringList({"two", "three"}));
        const Outcome text = m_atelier->runWell({"logs", "digits"});
        QVERIFY2(text.output.contains("rank 0: Traceback") == false && !text.output.contains('\x1b'), text.report());
        const Outcome wrong = m_atelier->run({"logs", "digits", "--search", "(", "--regex"});
        QVERIFY2(wrong.exitCode == 2 && wrong.errors.contains("regular expression"), wrong.report());
        const Outcome none = m_atelier->run({"logs", "digits", "--rank", "7"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("rank 7"), none.report());
    }

    void M13_theEndOfALongLogIsWhole()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 1);
        QByteArray text;
        for (int line = 0; line < 20'000; ++line)
            text += "2026-11-21 10:15:01.000 [info] line " + QByteArray::number(line) + (line > 19'900 ? QByteArray(5000, '.') : QByteArray()) + "\n";
        appendTo(run.log(0), text);
        const QStringList last = texts({"-n", "100"});
        QCOMPARE(last.size(), 100);
        QVERIFY(last.front().startsWith("line 19900") && last.back().startsWith("line 19999"));
        QCOMPARE(texts({"--search", "line 7."}).size(), 0);
        QCOMPARE(texts({"--search", "line 700", "-n", "3"}), QStringList({"line 7007", "line 7008", "line 7009"}));
    }

    void M13_aLogIsFollowed()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 1);
        appendTo(run.log(0), "2026-11-21 10:15:01.000 [info] one\nhalf");
        const auto process = m_atelier->start({"logs", "digits", "--follow"});
        QByteArray output;
        const auto reads = [&](const QByteArray& text) {
            process->waitForReadyRead(100);
            output += process->readAllStandardOutput();
            return output.contains(text);
        };
        QTRY_VERIFY(reads("one\n"));
        appendTo(run.log(0), " a line\n");
        QTRY_VERIFY(reads("half a line\n"));
        appendTo(run.log(1), "2026-11-21 10:15:02.000 [info] another rank\n");
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished());
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(output.count("half"), 1);
    }

    void M12_samplesAreListed()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(kDigits, 1);
        {
            contract::JournalWriter journal(run.journal(0), {.version = 1, .run = kDigits, .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            for (const int step : {10, 20, 30})
                journal.begin("sample", step).add("file", "samples/step-" + std::to_string(step) + ".png")
                    .add("prompt", step == 20 ? "a cube" : "a ball").add("seed", std::int64_t {7}).add("guidance", 3.5).commit();
        }
        const auto steps = [&](const QStringList& arguments) {
            QList<int> found;
            for (const QJsonValue& sample : m_atelier->runWell(QStringList {"samples", "digits", "--json"} + arguments).json()["samples"].toArray())
                found << sample["step"].toInt();
            return found;
        };
        QCOMPARE(steps({}), QList<int>({10, 20, 30}));
        QCOMPARE(steps({"--step", "20"}), QList<int>({20}));
        QCOMPARE(steps({"--prompt", "ball"}), QList<int>({10, 30}));
        QCOMPARE(steps({"-n", "1"}), QList<int>({30}));
        const Outcome text = m_atelier->runWell({"samples", "digits"});
        QVERIFY2(text.output.contains("a cube") && text.output.contains("samples/step-10.png"), text.report());
    }

    void E10_optionsAreSearched()
    {
        const QJsonArray found = m_atelier->runWell({"options", "--json", "--search", "LEARNING RATE"}).json().array();
        QVERIFY(found.size() > 1 && found.size() < 40);
        QVERIFY(m_atelier->runWell({"options", "--search", "no such option"}).output.contains("No option"));
    }
};

QTEST_GUILESS_MAIN(ReadingTest)
#include "tst_reading.moc"
