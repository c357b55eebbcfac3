// M16: what the window draws, in files and numbers: plots (E7), groups (E4), differences (E3), saved views (E5), where the time of steps goes
// (N4, N13), and how samples differ (M12).
#include "tests/app/atelier_program.h"

#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_writer.h"

#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <cmath>

using tests::AtelierProgram;
using tests::Outcome;

class PlotCommandTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    /// A run of one rank that has recorded @p factor × step as "reward".
    void addRun(const std::string& name, int factor, int steps)
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(name + "-20261121-101500-aaaa", steps);
        contract::Experiment experiment = contract::loadExperiment(run.config(1)).experiment;
        experiment.setText("run.seed", std::to_string(factor));
        experiment.setText("run.total_steps", "9");
        contract::writeFileAtomically(run.config(1), experiment.toToml(contract::Experiment::Write::Everything));
        std::filesystem::remove(run.journal(0));
        std::filesystem::remove(run.journal(1));
        contract::JournalWriter journal(run.journal(0), {.version = 1, .run = run.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
        for (int step = 1; step <= steps; ++step)
            journal.begin("step", step).add("reward", double(factor) * step).add("loss", 1.0 / step).commit();
    }

    QJsonArray linesOf(const QStringList& arguments)
    {
        return m_atelier->runWell(QStringList {"plot", "--metric", "reward", "--json"} + arguments).json()["plots"][0]["lines"].toArray();
    }
    static QList<double> valuesOf(const QJsonValue& line, int column = 2)
    {
        QList<double> values;
        for (const QJsonValue& point : line["points"].toArray())
            values << point[column].toDouble();
        return values;
    }
    void writeView(const QByteArray& plots)
    {
        const std::filesystem::path folder = m_atelier->home().state / "views";
        std::filesystem::create_directories(folder);
        QFile file(QString::fromStdString((folder / "mine.json").string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"version":1,"drawn":["three-20261121-101500-aaaa","gone-20261121-101500-aaaa"],"baseline":"","filter":"loss < 1","columns":"","plots":)" + plots + "}");
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }

    void E7_plotsAreWrittenWithoutADisplay_data()
    {
        QTest::addColumn<QString>("suffix");
        QTest::addColumn<QByteArray>("beginning");
        QTest::newRow("a picture") << ".png" << QByteArray("\x89PNG");
        QTest::newRow("a drawing") << ".svg" << QByteArray("<?xml");
        QTest::newRow("a document") << ".PDF" << QByteArray("%PDF-");
    }
    void E7_plotsAreWrittenWithoutADisplay()
    {
        QFETCH(QString, suffix);
        QFETCH(QByteArray, beginning);
        addRun("three", 3, 6);
        m_atelier->setVariable("QT_QPA_PLATFORM", "no-such-platform");
        const QString file = m_atelier->writeFile("kept" + suffix, "before");
        const QStringList command {"plot", "three", "--metric", "reward", "--size", "400x200", "--output", file};
        const Outcome refused = m_atelier->run(command);
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("--overwrite"), refused.report());
        QCOMPARE(tests::contentOf(file.toStdString()), QByteArray("before"));
        const Outcome drawn = m_atelier->runWell(command + QStringList("--overwrite"));
        QCOMPARE(drawn.output, file.toUtf8() + "\n");
        const QByteArray content = tests::contentOf(file.toStdString());
        QVERIFY2(content.startsWith(beginning), content.first(8));
        if (suffix == ".png")
            QCOMPARE(QImage(file).width(), 2 * (400 + 2 * 10));
        if (suffix == ".svg")
            QVERIFY(content.contains("<polyline") && content.contains(">reward<") && content.contains("x: Step"));
    }

    void E7_whatIsDrawnIsPrintedExactly()
    {
        addRun("three", 3, 6);
        QCOMPARE(valuesOf(linesOf({"three"})[0]), QList<double>({3, 6, 9, 12, 15, 18}));
        QCOMPARE(valuesOf(linesOf({"three", "--from", "2", "--to", "4"})[0]), QList<double>({6, 9, 12}));
        const QJsonValue smoothed = linesOf({"three", "--smoothing", "running-mean", "--width", "3"})[0];
        QCOMPARE(valuesOf(smoothed), QList<double>({3, 6, 9, 12, 15, 18}));
        QCOMPARE(valuesOf(smoothed, 3).mid(1, 4), QList<double>({6, 9, 12, 15}));
        const QJsonObject all = m_atelier->runWell({"plot", "three", "--json"}).json().object();
        QCOMPARE(all["plots"].toArray().size(), 1);
        QCOMPARE(all["plots"].toArray().first().toObject()["title"].toString(), QStringLiteral("Loss"));  // of its metrics the one that the window draws of itself
        QVERIFY(all["file"].isNull());
    }

    void E3_differencesAreFromTheFirstRun()
    {
        addRun("one", 1, 6);
        addRun("three", 3, 4);
        const QJsonArray lines = linesOf({"three", "one", "--differences"});
        QCOMPARE(lines.size(), 1);
        QCOMPARE(lines[0]["run"].toString(), QStringLiteral("one-20261121-101500-aaaa"));
        QCOMPARE(valuesOf(lines[0]), QList<double>({-2, -4, -6, -8}));
    }

    void E4_groupsHaveAMeanAndABand()
    {
        addRun("one", 1, 6);
        addRun("three", 3, 4);
        const auto band = [](const QJsonArray& lines, const char* part) {
            for (const QJsonValue& line : lines) {
                if (line["part"] == QLatin1String(part))
                    return valuesOf(line);
            }
            return QList<double>();
        };
        const QJsonArray repeats = linesOf({"one", "three", "--group", "repeats"});
        QCOMPARE(band(repeats, "line"), QList<double>({2, 4, 6, 8}));
        QCOMPARE(band(repeats, "low"), QList<double>({1, 2, 3, 4}));
        QCOMPARE(band(repeats, "high"), QList<double>({3, 6, 9, 12}));
        QCOMPARE(repeats[0]["runs"].toInt(), 2);
        const QJsonArray deviation = linesOf({"one", "three", "--group", "project", "--band", "deviation"});
        QVERIFY(std::abs(band(deviation, "high").value(0) - 2 - std::sqrt(2)) < 1e-12);
        QCOMPARE(linesOf({"one", "three", "--group", "run.seed"}).size(), 2);
        QCOMPARE(linesOf({"one", "three", "--group", "repeats", "--ignore", "run.name"}).size(), 2);  // the seeds differ
    }

    void E5_viewsAreListedShownAndDrawn()
    {
        addRun("one", 1, 6);
        addRun("three", 3, 6);
        QVERIFY(m_atelier->runWell({"views"}).output.startsWith("No saved views yet"));
        writeView(R"({"x":0,"smoothing":3,"width":3,"metrics":["reward"],"place":{"mode":2,"x":[2,5],"y":{}}})");
        QCOMPARE(m_atelier->runWell({"views", "--json"}).json()[0]["name"].toString(), QStringLiteral("mine"));
        const QJsonObject shown = m_atelier->runWell({"views", "show", "mine", "--json"}).json().object();
        QCOMPARE(shown["smoothing"].toString(), QStringLiteral("running-mean"));
        QCOMPARE(shown["metrics"].toArray(), QJsonArray {"reward"});
        QCOMPARE(shown["from"].toDouble(), 2.0);
        const QByteArray text = m_atelier->runWell({"views", "show", "mine"}).output;
        QVERIFY2(text.contains("running-mean, 3 steps") && text.contains("loss < 1"), text);

        const Outcome drawn = m_atelier->run({"plot", "--view", "mine", "--json"});
        QVERIFY2(drawn.exitCode == 0 && drawn.errors.contains("gone-20261121-101500-aaaa"), drawn.report());
        QCOMPARE(drawn.json()["plots"].toArray().size(), 1);
        QCOMPARE(valuesOf(drawn.json()["plots"][0]["lines"][0], 3), QList<double>({6, 9, 12, 15}));
        const QJsonDocument changed = m_atelier->runWell({"plot", "one", "--view", "mine", "--smoothing", "off", "--to", "4", "--json"}).json();
        QCOMPARE(valuesOf(changed["plots"][0]["lines"][0]), QList<double>({2, 3, 4}));

        m_atelier->runWell({"views", "rename", "mine", "yours"});
        const Outcome none = m_atelier->run({"plot", "--view", "mine", "--json"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("there is no view \"mine\""), none.report());
        m_atelier->runWell({"views", "rm", "yours"});
        QCOMPARE(m_atelier->runWell({"views", "--json"}).json().array(), QJsonArray());
    }

    void M16_whatCannotBeDrawnIsSaid_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("nowhere to") << QStringList {"three"} << 2 << QByteArray("--output");
        QTest::newRow("no run") << QStringList {"--json"} << 2 << QByteArray("--view");
        QTest::newRow("no format") << QStringList {"three", "-o", "loss.gif"} << 2 << QByteArray(".svg");
        QTest::newRow("no metric") << QStringList {"three", "--metric", "lose", "--json"} << 1 << QByteArray("\"lose\"");
        QTest::newRow("no group") << QStringList {"three", "--group", "optim.rl", "--json"} << 2 << QByteArray("atelier options");
        QTest::newRow("a band of nothing") << QStringList {"three", "--band", "deviation", "--json"} << 2 << QByteArray("--group");
        QTest::newRow("one run") << QStringList {"three", "--differences", "--json"} << 2 << QByteArray("two runs");
        QTest::newRow("a width of nothing") << QStringList {"three", "--width", "5", "--json"} << 2 << QByteArray("--smoothing");
        QTest::newRow("no range") << QStringList {"three", "--from", "9", "--json"} << 2 << QByteArray("from 9 to 6");
        QTest::newRow("no size") << QStringList {"three", "--size", "400", "--json"} << 2 << QByteArray("640x320");
        QTest::newRow("a folder that is not there") << QStringList {"three", "-o", "/nowhere/loss.png"} << 1 << QByteArray("/nowhere/loss.png");
    }
    void M16_whatCannotBeDrawnIsSaid()
    {
        QFETCH(QStringList, arguments);
        QFETCH(int, exitCode);
        QFETCH(QByteArray, said);
        addRun("three", 3, 6);
        const Outcome outcome = m_atelier->run(QStringList("plot") + arguments);
        QVERIFY2(outcome.exitCode == exitCode && outcome.errors.contains(said) && outcome.output.isEmpty(), outcome.report());
        QCOMPARE(outcome.errors.trimmed().count('\n'), 0);
    }

    /// Rank 1 computes 12 ms while rank 0 computes 8 and waits; the first 100 steps, in which all was otherwise, do not count.
    void N4_N13_theLastStepsByPartAndRank()
    {
        const contract::RunFolder run = m_atelier->addFinishedRun(tests::kDigits, 1);
        for (const int rank : {0, 1}) {
            std::filesystem::remove(run.journal(rank));
            contract::JournalWriter journal(run.journal(rank), {.version = 1, .run = run.id(), .attempt = 1, .rank = rank, .host = {}, .startUnixMs = 0});
            for (int step = 1; step <= 200; ++step) {
                const bool isOld = step <= 100;
                journal.begin("step", step).add("time/step_ms", isOld ? 50.0 : 13.0).add("time/communication_ms", isOld ? 20.0 : rank == 0 ? 5.0 : 1.0)
                    .add("time/forward_ms", rank == 0 ? 2.0 : 3.0).add("time/backward_ms", rank == 0 ? 4.0 : 7.0).commit();
            }
        }
        const QJsonObject report = m_atelier->runWell({"steps", "digits", "--json"}).json().object();
        QCOMPARE(report["first_step"].toInt(), 101);
        QCOMPARE(report["last_step"].toInt(), 200);
        QMap<QString, double> parts;
        for (const QJsonValue& part : report["parts"].toArray())
            parts[part["part"].toString()] = part["ms"].toDouble();
        QCOMPARE(parts, (QMap<QString, double> {{"Forward", 2.5}, {"Backward", 5.5}, {"Waiting", 3}, {"Other", 2}}));
        QCOMPARE(report["ranks"][1]["computing_ms"].toDouble(), 12.0);
        QCOMPARE(report["straggler"]["rank"].toInt(), 1);
        QCOMPARE(report["straggler"]["others_wait_ms"].toDouble(), 5.0);
        const QByteArray text = m_atelier->runWell({"steps", "digits"}).output;
        QVERIFY2(text.contains("Rank 1 holds the others up: it computes 50.0 % longer than they do, and they wait 5 ms a step."), text);
        QCOMPARE(m_atelier->runWell({"steps", "digits", "-n", "200", "--json"}).json()["straggler"]["steps"].toInt(), 200);
    }

    void M12_samplesOfTheSamePromptAreCompared()
    {
        const contract::RunFolder one = m_atelier->addFinishedRun(tests::kDigits, 1), other = m_atelier->addFinishedRun(tests::kFaces, 1);
        for (const contract::RunFolder& run : {one, other}) {
            std::filesystem::create_directories(run.root() / "samples");
            contract::JournalWriter journal(run.journal(0), {.version = 1, .run = run.id(), .attempt = 1, .rank = 0, .host = {}, .startUnixMs = 0});
            for (const int step : {10, 20}) {
                const std::string file = "samples/step-" + std::to_string(step) + ".png";
                QImage image(8, 4, QImage::Format_RGB32);
                image.fill(qRgb(step, 0, 0));
                if (run.id() == tests::kFaces)
                    image.setPixel(0, 0, qRgb(step, 30, 0));
                QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
                journal.begin("sample", step).add("file", file).add("prompt", "a cube").add("seed", std::int64_t {7}).add("guidance", 3.5).commit();
            }
        }
        const QJsonObject steps = m_atelier->runWell({"samples", "diff", "digits", "--json"}).json()["samples"][0].toObject();
        QCOMPARE(steps["first_step"].toInt(), 10);
        QCOMPARE(steps["second_step"].toInt(), 20);
        QCOMPARE(steps["largest"].toInt(), 10);
        QCOMPARE(steps["changed"].toDouble(), 1.0);
        const QString folder = QString::fromStdString((m_atelier->home().data / "pictures").string());
        const QJsonObject runs = m_atelier->runWell({"samples", "diff", "digits", "--to-run", "faces", "--output", folder, "--gain", "4", "--json"}).json()["samples"][0].toObject();
        QCOMPARE(runs["first_step"].toInt(), 20);
        QCOMPARE(runs["changed"].toDouble(), 1.0 / 32);
        QCOMPARE(QImage(folder + "/step-20.png").pixel(0, 0), qRgb(0, 120, 0));
        const QByteArray text = m_atelier->runWell({"samples", "diff", "digits", "--to-run", "faces"}).output;
        QVERIFY2(text.contains("a cube") && text.contains("3.1 %"), text);
        const Outcome none = m_atelier->run({"samples", "diff", "digits", "--from", "15"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("no samples of step 15"), none.report());
    }
};

QTEST_GUILESS_MAIN(PlotCommandTest)
#include "tst_plot.moc"
