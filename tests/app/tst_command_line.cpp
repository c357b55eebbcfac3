// The command line: help, wrong usage, problems of experiments, documents in JSON, how fast it starts.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"

#include "engine/contract/experiment/options.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

using tests::AtelierProgram;
using tests::kExampleSteps;
using tests::linesOf;
using tests::Outcome;

class CommandLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyCommandHelps_data()
    {
        QTest::addColumn<QStringList>("command");
        QTest::newRow("atelier") << QStringList();
        for (const char* name : {"run", "list", "show", "stop", "checkpoint", "sample", "resume", "rename", "tag", "project", "note", "look",
            "archive", "rm",
                 "trash", "checkpoints", "compare", "export", "data", "options", "plot", "reindex", "steps", "views", "doctor", "version"})
            QTest::newRow(name) << QStringList(name);
        QTest::newRow("data emoji") << QStringList({"data", "emoji"});
        QTest::newRow("trash restore") << QStringList({"trash", "restore"});
        QTest::newRow("trash empty") << QStringList({"trash", "empty"});
        QTest::newRow("checkpoints verify") << QStringList({"checkpoints", "verify"});
        QTest::newRow("checkpoints export") << QStringList({"checkpoints", "export"});
    }
    void everyCommandHelps()
    {
        QFETCH(QStringList, command);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(command + QStringList("--help"));
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.report());
        QVERIFY2(outcome.output.contains("Usage:"), outcome.report());
    }

    /// Only what goes into the queue may list values.
    void helpPromisesListsWhereTheyAreTaken()
    {
        AtelierProgram atelier;
        for (const QStringList& command : {QStringList {"run"}, QStringList {"queue", "add"}})
            QVERIFY(atelier.run(command + QStringList("--help")).output.simplified().contains("may be listed"));
        for (const QStringList& command : {QStringList {"resume"}, QStringList {"queue", "edit"}, QStringList {"plan"}, QStringList {"presets", "save"}})
            QVERIFY(!atelier.run(command + QStringList("--help")).output.simplified().contains("may be listed"));
    }

    void helpNamesEveryCommandButTheHiddenOne()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"--help"});
        for (const char* name : {"run", "list", "show", "stop", "resume", "rm", "checkpoints", "export", "data", "options",
                 "reindex", "doctor"})
            QVERIFY2(outcome.output.contains("\n  " + QByteArray(name) + " "), name);
        QVERIFY2(!outcome.output.contains("supervise"), outcome.report());
    }

    void wrongUsageIsOneSentenceAndExitCode2_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("expectedError");
        QTest::newRow("no file") << QStringList({"run"}) << QByteArray("FILE or --like is required");
        QTest::newRow("unknown flag") << QStringList({"list", "--everything"}) << QByteArray("--everything");
        QTest::newRow("two ways to stop") << QStringList({"stop", "x", "--now", "--kill"}) << QByteArray("--now");
        QTest::newRow("unknown command") << QStringList({"lst"}) << QByteArray("did you mean list?");
        QTest::newRow("nonsense") << QStringList({"qqqq"}) << QByteArray("there is no command qqqq. See");
        QTest::newRow("E3: one run") << QStringList({"compare", "--csv", "--json", "x"}) << QByteArray("either --csv or --json");
        QTest::newRow("M10: no tag") << QStringList({"tag", "x"}) << QByteArray("--add TAG");
        QTest::newRow("M10: no text of a note") << QStringList({"note", "x"}) << QByteArray("--text");
        QTest::newRow("no number") << QStringList({"resume", "x", "--from", "last"}) << QByteArray("--from");
        QTest::newRow("export of no weights") << QStringList({"checkpoints", "export", "x", "--to", "d", "--weights", "all"}) << QByteArray("--weights");
        QTest::newRow("export to nowhere") << QStringList({"checkpoints", "export", "x"}) << QByteArray("--to");
        QTest::newRow("export of no size") << QStringList({"checkpoints", "export", "x", "--to", "d", "--max-file-size", "much"}) << QByteArray("--max-file-size");
        QTest::newRow("set without value") << QStringList({"run", "digits", "--set", "optim.lr"})
                                           << QByteArray("KEY=VALUE");
        QTest::newRow("set without key") << QStringList({"run", "digits", "--set", "=3"}) << QByteArray("KEY=VALUE");
        QTest::newRow("defect-50: a space for the sign") << QStringList({"run", "digits", "--set", "optim.lr", "1e-4"})
                                                         << QByteArray("--set: optim.lr: write KEY=VALUE as one word");
        QTest::newRow("defect-50: the same in resume") << QStringList({"resume", "x", "--set", "optim.lr", "1e-4"}) << QByteArray("KEY=VALUE");
    }
    void wrongUsageIsOneSentenceAndExitCode2()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, expectedError);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 2 && outcome.output.isEmpty(), outcome.report());
        QVERIFY2(outcome.errors.contains(expectedError), outcome.report());
        QCOMPARE(outcome.errors.count('\n'), 1);
        QVERIFY(outcome.errors.startsWith("error: "));
    }

    void withoutADisplayTheWindowSaysSo()
    {
        AtelierProgram atelier;
        atelier.setVariable("QT_QPA_PLATFORM", "");
        const Outcome outcome = atelier.run({});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("DISPLAY"), outcome.report());
    }

    void optionsOfQtGoToTheWindow_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("output");  // of Qt, or our own
        QTest::newRow("defect-52: a platform that Qt does not know") << QStringList({"-platform", "none-such", "-style", "fusion"}) << QByteArray("none-such");
        QTest::newRow("defect-52: the other spelling") << QStringList({"--style=fusion", "--platform=none-such"}) << QByteArray("none-such");
        QTest::newRow("defect-52: before a command") << QStringList({"-style", "fusion", "list"}) << QByteArray("-style is an option of Qt");
        QTest::newRow("defect-52: what is neither's") << QStringList({"-stile", "fusion"}) << QByteArray("error: ");
    }
    void optionsOfQtGoToTheWindow()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, output);
        AtelierProgram atelier;
        atelier.setVariable("QT_QPA_PLATFORM", "");
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.contains(output), outcome.report());
    }

    void allProblemsOfAnExperimentAreToldTogether()
    {
        AtelierProgram atelier;
        const QString file = atelier.writeFile("bad.toml",
            "[optim]\nlrr = 1\n\n[launch]\nranks = 0\n[model]\nheads = 3\n");
        const Outcome outcome = atelier.run({"run", file, "--set", "sample.steps=none"});
        QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.report());
        const auto lines = linesOf(outcome.errors);
        QCOMPARE(lines.size(), std::size_t(5));
        const QByteArray start = "error: " + file.toUtf8();
        QVERIFY2(lines[0] == start + ":2: unknown key optim.lrr; did you mean optim.lr?", lines[0]);
        QVERIFY2(lines[1].startsWith(start + ":5: launch.ranks = 0: must be an integer from 1"), lines[1]);
        QVERIFY2(lines[2].startsWith("error: --set sample.steps=none: sample.steps = \"none\""), lines[2]);
        QVERIFY2(outcome.errors.contains("data.path is not set"), outcome.report());
        QVERIFY2(outcome.errors.contains("must be a multiple of twice model.heads = 3"), outcome.report());
        QVERIFY(atelier.runs().isEmpty());
    }

    void messagesStayShort_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("expectedError");
        const QString longText(100'000, 'x');
        QTest::newRow("defect-32: a long value") << QStringList({"run", "digits", "--set", "optim.lr=" + longText}) << QByteArray("must be a number");
        QTest::newRow("defect-32: a long key") << QStringList({"run", "digits", "--set", longText + "=1"}) << QByteArray("unknown key");
        QTest::newRow("defect-32: no key") << QStringList({"run", "digits", "--set", longText}) << QByteArray("KEY=VALUE");
        QTest::newRow("defect-32: a long path") << QStringList({"run", "digits", "--set", "data.path=" + longText}) << QByteArray("data.path");
        QTest::newRow("defect-32: a long name of a run") << QStringList({"show", longText}) << QByteArray("error: there ");
        QTest::newRow("defect-32: a long file") << QStringList({"run", longText}) << QByteArray("no such experiment file");
        QTest::newRow("defect-32: a long option") << QStringList({"list", "--" + longText}) << QByteArray("error: ");
        QTest::newRow("defect-31: a file without end") << QStringList({"run", "/dev/zero"}) << QByteArray("/dev/zero: is not a regular file");
    }
    void messagesStayShort()
    {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, expectedError);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 1 || outcome.exitCode == 2, outcome.report().left(2000));
        QVERIFY2(outcome.errors.contains(expectedError), outcome.errors.left(2000));
        QVERIFY2(outcome.errors.size() < 5000, QByteArray::number(outcome.errors.size()));
        QVERIFY(atelier.runs().isEmpty());
    }

    void manyUnknownKeysAreCounted_defect_32()
    {
        AtelierProgram atelier;
        QByteArray toml;
        for (int i = 0; i < 20'000; ++i)
            toml += "key" + QByteArray::number(i) + " = 1\n";
        const Outcome outcome = atelier.run({"run", atelier.writeFile("many.toml", toml)});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(outcome.errors.contains("19990 more keys are unknown"), outcome.errors.left(2000));
        QVERIFY(outcome.errors.count('\n') < 20);
    }

    void bytesThatAreNotTextAreEscaped_defect_32()
    {
        AtelierProgram atelier;
        const QString file = atelier.writeFile("bytes.toml", "[run]\nname = \"a\xFF\"\n");
        const Outcome outcome = atelier.run({"run", file});
        QCOMPARE(outcome.exitCode, 1);
        QVERIFY2(!outcome.errors.contains('\xFF'), outcome.errors);
        // QProcess passes only Unicode text, so a shell makes the argument.
        QProcess shell;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("ATELIER_HOME", QString::fromStdString(atelier.home().data.string()));
        shell.setProcessEnvironment(environment);
        shell.start("sh", {"-c", ATELIER_BIN_DIR "/atelier run \"$(printf 'no\\377\\033[31m.toml')\""});
        QVERIFY(shell.waitForFinished());
        const QByteArray errors = shell.readAllStandardError();
        QVERIFY2(errors.startsWith("error: no\\xff [31m.toml: no such experiment file"), errors);
    }

    void oneBadRunHidesNoOther_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("instead");
        for (const char* name : {"supervisor.lock", "annotations.jsonl", "journal/rank-0.jsonl", "journal/supervisor.jsonl",
                 "attempts/1/start.json", "attempts/1/config.toml"}) {
            QTest::newRow((std::string("defect-31: a pipe as ") + name).c_str()) << name << "pipe";
            QTest::newRow((std::string("defect-22: a link to an endless file as ") + name).c_str()) << name << "/dev/zero";
            QTest::newRow((std::string("defect-32: a link to itself as ") + name).c_str()) << name << "loop";
        }
        for (const char* name : {"journal", "attempts", "checkpoints", "."})
            QTest::newRow((std::string("defect-32: a link to itself as ") + name).c_str()) << name << "loop";
    }
    void oneBadRunHidesNoOther()
    {
        QFETCH(QString, file);
        QFETCH(QString, instead);
        AtelierProgram atelier;
        const contract::RunFolder bad = atelier.addFinishedRun("bad-20261121-101500-aaaa", kExampleSteps);
        atelier.addFinishedRun("good-20261121-101501-aaaa", kExampleSteps);
        const std::filesystem::path path = file == "." ? bad.root() : bad.root() / file.toStdString();
        std::filesystem::create_directories(path.parent_path());
        std::filesystem::remove_all(path);
        if (instead == "pipe")
            QCOMPARE(::mkfifo(path.c_str(), 0600), 0);
        else
            std::filesystem::create_symlink(instead == "loop" ? path.filename() : std::filesystem::path(instead.toStdString()), path);
        for (const char* command : {"reindex", "list"}) {
            const Outcome outcome = atelier.run({command});
            QVERIFY2(outcome.exitCode == 0, outcome.report());
            QVERIFY2(!outcome.errors.contains("json.exception") && !outcome.errors.contains("filesystem error"), outcome.report());
            QVERIFY2(outcome.output.contains(qstrcmp(command, "list") == 0 ? "good" : "Rebuilt"), outcome.report());
        }
        const Outcome good = atelier.run({"export", "good", "--csv"});
        QVERIFY2(good.exitCode == 0 && good.output.contains("loss,0,1,25,"), good.report());
        const Outcome shown = atelier.run({"show", bad.id().c_str()});
        QVERIFY2(shown.exitCode == 0 || file == "." || file == "attempts", shown.report());
        if (file.endsWith("start.json")) {
            QVERIFY2(shown.output.contains("finished"), shown.report());
            const Outcome values = atelier.run({"export", "bad", "--csv"});
            QVERIFY2(values.exitCode == 0 && values.output.contains("loss,0,1,25,"), values.report());
        }
    }

    void fileThatIsNotThereNamesTheReadyOnes()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "nothing.toml"});
        QCOMPARE(outcome.exitCode, 1);
        QCOMPARE(outcome.errors,
            QByteArray("error: nothing.toml: no such experiment file; ready experiments: digits, digits-awm, digits-dance-grpo, digits-dgpo, digits-distill, "
                       "digits-dpo, digits-flow-dppo, digits-flow-grpo, digits-grpo-guard, digits-mix-grpo, digits-nft, emoji, emoji-flow-grpo, sd3-flow-grpo, sd3-nft\n"));
    }

    void anExperimentMayComeFromAPipe()
    {
        AtelierProgram atelier;
        const auto piped = [&](const QByteArray& toml, const QStringList& arguments) {
            const auto process = atelier.start(arguments);
            process->write(toml);
            process->closeWriteChannel();
            process->waitForFinished(tests::kTimeoutMs);
            return Outcome {process->exitCode(), process->readAllStandardOutput(), process->readAllStandardError()};
        };
        // The text is read once, also where it makes several runs.
        const Outcome sweep = piped("[run]\nname = \"piped\"\n[data]\npath = \"" ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n", {"run", "-", "--queue", "--dry-run", "--set", "optim.lr=1e-4,3e-4", "--json"});
        QVERIFY2(sweep.json().array().size() == 2 && sweep.output.contains("\"piped lr=3e-4\""), sweep.report());
        const Outcome wrong = piped("[run]\nnmae = \"piped\"\n", {"run", "-"});
        QVERIFY2(wrong.exitCode == 1 && wrong.errors.startsWith("error: standard input:2: "), wrong.report());
    }

    /// The experiment's file does not have it.
    void aSettingThatDoesNotFitIsNamed()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "digits", "--set", "model.width=9"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.startsWith("error: --set model.width=9: model.width = 9: must be a multiple of twice model.heads"), outcome.report());
    }

    void dataFileThatIsNotThereIsNamed()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "digits", "--set", "data.path=gone.csv.gz"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("/gone.csv.gz\": no such file"), outcome.report());
    }

    void rewardsAreCheckedBeforeARunStarts_data()
    {
        QTest::addColumn<QByteArray>("functions");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("unknown") << QByteArray("beauty") << QByteArray("reward.functions: there is no reward \"beauty\"; there are ");
        QTest::newRow("a path relative to this folder") << QByteArray("program:./gone.sh:0.5")
            << QByteArray("/gone.sh\": no such file");
    }
    void rewardsAreCheckedBeforeARunStarts()
    {
        QFETCH(QByteArray, functions);
        QFETCH(QByteArray, expected);
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"run", "emoji", "--set", "algorithm.name=flow_grpo", "--set", "reward.functions=" + functions});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains(expected), outcome.report());
        QVERIFY2(!outcome.errors.contains("\"./gone"), outcome.report());
    }

    void withoutADataHomeReadingSaysSo()
    {
        AtelierProgram atelier;
        for (const QStringList& command : {QStringList {"list", "--json"}, QStringList {"show", "latest"}}) {
            const Outcome outcome = atelier.run(command);
            QVERIFY2(outcome.exitCode == 1 && outcome.output.isEmpty(), outcome.report());
            QVERIFY2(outcome.errors.contains("there is no data home at"), outcome.report());
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
            QCOMPARE(row["label"].toString().toStdString(), std::string(option.label));
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
        QTest::newRow("checkpoints verify") << QStringList({"checkpoints", "verify", "latest", "--json"});
        QTest::newRow("export") << QStringList({"export", "latest", "--json"});
        QTest::newRow("notify") << QStringList({"notify", "--json"});
        QTest::newRow("plot") << QStringList({"plot", "latest", "--json"});
        QTest::newRow("steps") << QStringList({"steps", "latest", "--json"});
        QTest::newRow("views") << QStringList({"views", "--json"});
        QTest::newRow("options") << QStringList({"options", "--json"});
    }
    void jsonIsOneDocumentAndNothingElse()
    {
        QFETCH(QStringList, arguments);
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        const Outcome outcome = atelier.run(arguments);
        QVERIFY2(outcome.exitCode == 0 && outcome.errors.isEmpty(), outcome.report());
        QVERIFY2(!outcome.json().isNull(), outcome.report());
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
