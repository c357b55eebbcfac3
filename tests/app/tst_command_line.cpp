#include "tests/app/atelier_program.h"

#include "engine/contract/options.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

using tests::AtelierProgram;
using tests::linesOf;
using tests::Outcome;

namespace {

constexpr int kSteps = 25;

}  // namespace

class CommandLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCommandHelps_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("atelier") << QStringList();
        for (const char* name : {"run", "list", "show", "stop", "checkpoint", "sample", "resume", "rm",
                 "checkpoints", "export", "data", "options", "reindex", "doctor", "version"})
            QTest::newRow(name) << QStringList(name);
        QTest::newRow("data emoji") << QStringList({"data", "emoji"});
        QTest::newRow("checkpoints verify") << QStringList({"checkpoints", "verify"});
        QTest::newRow("checkpoints export") << QStringList({"checkpoints", "export"});
    }
    void everyCommandHelps()
    {
        QFETCH(QStringList, command);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(command + QStringList("--help"));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.told());
        QVERIFY2(outcome.output.contains("Usage:"), outcome.told());
    }

    void helpNamesEveryCommandButTheHiddenOne()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"--help"});
        for (const char* name : {"run", "list", "show", "stop", "resume", "rm", "checkpoints", "export", "data", "options",
                 "reindex", "doctor"})
            QVERIFY2(outcome.output.contains("\n  " + QByteArray(name) + " "), name);
        QVERIFY2(!outcome.output.contains("supervise"), outcome.told());
    }

    void wrongUsageIsOneSentenceAndExitCode2_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("said");
        QTest::newRow("no file") << QStringList({"run"}) << QByteArray("FILE is required");
        QTest::newRow("unknown flag") << QStringList({"list", "--everything"}) << QByteArray("--everything");
        QTest::newRow("two ways to stop") << QStringList({"stop", "x", "--now", "--kill"}) << QByteArray("--now");
        QTest::newRow("unknown command") << QStringList({"lst"}) << QByteArray("did you mean list?");
        QTest::newRow("nonsense") << QStringList({"qqqq"}) << QByteArray("there is no command qqqq");
        QTest::newRow("no number") << QStringList({"resume", "x", "--from", "last"}) << QByteArray("--from");
        QTest::newRow("export of no weights") << QStringList({"checkpoints", "export", "x", "--to", "d", "--weights", "all"}) << QByteArray("--weights");
        QTest::newRow("export to nowhere") << QStringList({"checkpoints", "export", "x"}) << QByteArray("--to");
        QTest::newRow("export of no size") << QStringList({"checkpoints", "export", "x", "--to", "d", "--max-file-size", "much"}) << QByteArray("--max-file-size");
        QTest::newRow("set without value") << QStringList({"run", "digits", "--set", "optim.lr"})
                                           << QByteArray("key=value");
        QTest::newRow("set without key") << QStringList({"run", "digits", "--set", "=3"}) << QByteArray("key=value");
    }
    void wrongUsageIsOneSentenceAndExitCode2()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, said);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 2 && outcome.output.isEmpty(), outcome.told());
        QVERIFY2(outcome.errors.contains(said), outcome.told());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY(outcome.errors.startsWith("error: "));
    }

    void withoutADisplayTheWindowSaysSo()
    {
        AtelierProgram atelier;
        atelier.setVariable("QT_QPA_PLATFORM", "");
        const Outcome outcome = atelier.run({});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("DISPLAY"), outcome.told());
    }

    void allProblemsOfAnExperimentAreToldTogether()
    {
        AtelierProgram atelier;
        const QString file = atelier.writeFile("bad.toml",
            "[optim]\nlrr = 1\n\n[launch]\nranks = 0\n[model]\nheads = 3\n");
        const Outcome outcome = atelier.run({"run", file, "--set", "sample.steps=none"});
        QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.told());
        const auto lines = linesOf(outcome.errors);
        QCOMPARE(lines.size(), std::size_t(5));
        const QByteArray start = "error: " + file.toUtf8();
        QVERIFY2(lines[0] == start + ":2: unknown key optim.lrr; did you mean optim.lr?", lines[0]);
        QVERIFY2(lines[1].startsWith(start + ":5: launch.ranks = 0: must be an integer from 1"), lines[1]);
        QVERIFY2(lines[2].startsWith("error: --set sample.steps=none: sample.steps = \"none\""), lines[2]);
        QVERIFY2(outcome.errors.contains("data.path is not set"), outcome.told());
        QVERIFY2(outcome.errors.contains("must be a multiple of twice model.heads = 3"), outcome.told());
        QVERIFY(atelier.runs().isEmpty());
    }

    void fileThatIsNotThereNamesTheReadyOnes()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "nothing.toml"});
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.errors,
            QByteArray("error: nothing.toml: no such experiment file; ready experiments: digits, emoji\n"));
    }

    void dataFileThatIsNotThereIsNamed()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "digits", "--set", "data.path=gone.csv.gz"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("/gone.csv.gz\": no such file"), outcome.told());
    }

    void withoutADataHomeReadingSaysSo()
    {
        AtelierProgram atelier;
        for (const QStringList& command : {QStringList {"list", "--json"}, QStringList {"show", "latest"}}) {
            const Outcome outcome = atelier.run(command);
            QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.told());
            QVERIFY2(outcome.errors.contains("there is no data home at"), outcome.told());
        }
        QVERIFY(!std::filesystem::exists(atelier.home().data));
    }

    void optionsListsEveryDeclaredOption()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"options", "--json"});
        const QJsonArray all = outcome.json().array();
        QCOMPARE(static_cast<std::size_t>(all.size()), contract::options().size());
        for (int i = 0; i < all.size(); ++i) {
            const contract::Option& option = contract::options()[static_cast<std::size_t>(i)];
            const QJsonObject row = all[i].toObject();
            QCOMPARE(row["key"].toString().toStdString(), std::string(option.key));
            QCOMPARE(row["meaning"].toString().toStdString(), std::string(option.help));
            QVERIFY(row.contains("default") && row.contains("type") && row.contains("range"));
        }
        QVERIFY(atelier.run({"options"}).output.contains("optim.lr = 0.001"));
    }

    void jsonIsOneDocumentAndNothingElse_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("list") << QStringList({"list", "--json"});
        QTest::newRow("show") << QStringList({"show", "latest", "--json"});
        QTest::newRow("checkpoints") << QStringList({"checkpoints", "latest", "--json"});
        QTest::newRow("checkpoints list") << QStringList({"checkpoints", "list", "latest", "--json"});
        QTest::newRow("export") << QStringList({"export", "latest", "--json"});
        QTest::newRow("options") << QStringList({"options", "--json"});
    }
    void jsonIsOneDocumentAndNothingElse()
    {
        QFETCH(QStringList, arguments);
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kSteps);
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.told());
        QVERIFY2(!outcome.json().isNull(), outcome.told());
    }

    void doctorTellsWhatEachFindingMeans()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"doctor", "--json"});
        QStringList seen;
        for (const QJsonValue& each : outcome.json().array()) {
            seen << each["what"].toString();
            QVERIFY2(!each["found"].toString().isEmpty() && !each["meaning"].toString().isEmpty(), outcome.told());
        }
        for (const char* what : {"NCCL", "LibTorch", "Worker", "Data home", "Disk", "Database", "Display"})
            QVERIFY2(seen.contains(what), what);
    }

    void listAndShowTellTheFinishedRun()
    {
        AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", kSteps);
        const QJsonObject row = atelier.run({"list", "--json"}).json()[0].toObject();
        QCOMPARE(row["id"].toString().toStdString(), folder.id());
        QCOMPARE(row["state"].toString(), "finished");
        QCOMPARE(row["step"].toInt(), kSteps);
        const Outcome shown = atelier.run({"show", "digits"});
        QVERIFY2(shown.output.contains("State:       finished"), shown.told());
        QVERIFY2(shown.output.contains("Step:        25 of 25"), shown.told());
    }

    void runsAreFoundByIdPrefixNameAndLatest_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("found");  // id, or what the message says
        QTest::newRow("id") << "digits-20261121-101500-aaaa" << QByteArray("digits-20261121-101500-aaaa");
        QTest::newRow("prefix") << "digits-20261122" << QByteArray("digits-20261122-101500-bbbb");
        QTest::newRow("name") << "faces" << QByteArray("faces-20261121-101500-cccc");
        QTest::newRow("latest") << "latest" << QByteArray("digits-20261122-101500-bbbb");
        QTest::newRow("name of two") << "digits" << QByteArray("names 2 runs: digits-20261122-101500-bbbb, digits-");
        QTest::newRow("prefix of two") << "dig" << QByteArray("names 2 runs");
        QTest::newRow("unknown") << "moons" << QByteArray("no run is called \"moons\"");
        QTest::newRow("empty") << "" << QByteArray("no run is called \"\"");
        QTest::newRow("outside") << "../home/runs/faces" << QByteArray("no run is called");
    }
    void runsAreFoundByIdPrefixNameAndLatest()
    {
        QFETCH(QString, name);
        QFETCH(QByteArray, found);
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        atelier.addFinishedRun("digits-20261122-101500-bbbb", 1);
        atelier.addFinishedRun("faces-20261121-101500-cccc", 1);
        const Outcome outcome = atelier.run({"show", name, "--json"});
        if (outcome.exitCode == 0)
            QCOMPARE(outcome.json()["id"].toString().toUtf8(), found);
        else
            QVERIFY2(outcome.errors.contains(found), outcome.told());
    }

    void rmAsksUnlessTold()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome asked = atelier.run({"rm", "latest"});
        QVERIFY2(asked.exitCode == 2 && asked.errors.contains("--yes"), asked.told());
        QCOMPARE(atelier.runs().size(), 1);
        const Outcome removed = atelier.run({"rm", "latest", "--yes"});
        QVERIFY2(removed.exitCode == 0, removed.told());
        QVERIFY(atelier.runs().isEmpty());
        QVERIFY(!std::filesystem::is_empty(atelier.home().trash()));
        QCOMPARE(atelier.run({"list", "--json"}).json().array().size(), 0);
    }

    void steeringARunThatIsOverSaysSo()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        for (const char* command : {"stop", "checkpoint", "sample"}) {
            const Outcome outcome = atelier.run({command, "latest"});
            QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("is not running: it is finished"),
                outcome.told());
        }
    }

    void startsWithinABlink()
    {
        AtelierProgram atelier;
        qint64 best = 1000000;
        for (int i = 0; i < 20; ++i) {
            QElapsedTimer clock;
            clock.start();
            QCOMPARE(atelier.run({"version"}).exitCode, 0);
            best = std::min(best, clock.elapsed());
        }
        qInfo("best of 20 starts: %lld ms", static_cast<long long>(best));
        QVERIFY(best < 60);  // 30 on an idle machine; tests may share it with others
    }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "tst_command_line.moc"
