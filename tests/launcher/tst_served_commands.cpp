// E13: which commands of `atelier` a server executes for a window on another machine, and how it is told what they answer.
#include "launcher/remote/plan_answer.h"
#include "launcher/remote/served_commands.h"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <string>
#include <vector>

using Words = QStringList;

class ServedCommandsTest : public QObject {
    Q_OBJECT

    static QString problem(const Words& words, const std::string& input = {})
    {
        std::vector<std::string> all;
        for (const QString& word : words)
            all.push_back(word.toStdString());
        return QString::fromStdString(launcher::commandProblem(all, input));
    }

private Q_SLOTS:
    void E13_whatTheWindowAsksForIsExecuted_data()
    {
        QTest::addColumn<Words>("words");
        QTest::newRow("resume") << Words {"resume", "a-1", "--detach", "--from", "400", "--set", "run.total_steps=800"};
        QTest::newRow("remove") << Words {"rm", "--yes", "a-1"};
        QTest::newRow("start") << Words {"run", "-", "--detach", "--json"};
        QTest::newRow("queue") << Words {"run", "-", "--queue", "--json"};
        QTest::newRow("check") << Words {"plan", "-", "--checks", "--json"};
        QTest::newRow("plan") << Words {"plan", "-", "--json"};
        QTest::newRow("try") << Words {"plan", "-", "--trial", "--progress", "--json"};
        QTest::newRow("list the queue") << Words {"queue", "list", "--json"};
        QTest::newRow("the queue's plan") << Words {"queue", "--plan", "--json"};
        QTest::newRow("queue a run") << Words {"queue", "add", "a-1", "--json"};
        QTest::newRow("order") << Words {"queue", "move", "--to", "2", "a-1", "b-2"};
        QTest::newRow("change a queued run") << Words {"queue", "edit", "a-1", "-", "--json"};
        QTest::newRow("GPUs to wait for") << Words {"queue", "set", "--gpus", "2", "a-1"};
        QTest::newRow("what a failure does") << Words {"queue", "start", "--on-error", "hold"};
        QTest::newRow("at once") << Words {"queue", "start", "--at-once", "3"};
        QTest::newRow("export") << Words {"checkpoints", "export", "a-1", "--step", "10", "--to", "/data/a b", "--format", "safetensors"};
        QTest::newRow("presets") << Words {"presets", "list", "--json"};
        QTest::newRow("a preset") << Words {"presets", "show", "my heart", "--json"};
        QTest::newRow("save a preset") << Words {"presets", "save", "my heart", "-"};
        QTest::newRow("delete a preset") << Words {"presets", "rm", "my heart"};
        QTest::newRow("trash") << Words {"trash", "list", "--json"};
        QTest::newRow("restore") << Words {"trash", "restore", "a-1", "a-1/step-10", "a-1/step-10-1700000000000"};
        QTest::newRow("delete for good") << Words {"trash", "empty", "--yes", "--json", "a-1/step-10-1700000000000"};
        QTest::newRow("difference") << Words {"checkpoints", "diff", "a-1", "--from", "1", "--to", "2", "--weights", "ema", "--json"};
        QTest::newRow("a run called like a file") << Words {"checkpoints", "verify", "latest", "--step", "1"};
    }
    void E13_whatTheWindowAsksForIsExecuted()
    {
        QFETCH(Words, words);
        QCOMPARE(problem(words), QString());
    }

    void E13_nothingElseIs_data()
    {
        QTest::addColumn<Words>("words");
        QTest::addColumn<QByteArray>("input");
        const QByteArray none;
        QTest::newRow("nothing") << Words {} << none;
        QTest::newRow("another command") << Words {"generate"} << none;
        QTest::newRow("another machine") << Words {"--host", "gpu1", "list"} << none;
        QTest::newRow("half a command") << Words {"queue"} << none;
        QTest::newRow("a command of none") << Words {"queue", "rm", "a-1"} << none;
        QTest::newRow("an option of another command") << Words {"rm", "--detach", "a-1"} << none;
        QTest::newRow("an option with its value") << Words {"checkpoints", "export", "a-1", "--to=/data"} << none;
        QTest::newRow("an unknown option") << Words {"run", "-", "--target", "slurm"} << none;
        QTest::newRow("a short option") << Words {"rm", "-y", "a-1"} << none;
        QTest::newRow("a value that is an option") << Words {"checkpoints", "export", "a-1", "--to", "--overwrite"} << none;
        QTest::newRow("a relative folder") << Words {"checkpoints", "export", "a-1", "--to", "../x"} << none;
        QTest::newRow("a step that is none") << Words {"checkpoints", "verify", "a-1", "--step", "-1"} << none;
        QTest::newRow("an endless step") << Words {"checkpoints", "verify", "a-1", "--step", "11111111111111111111"} << none;
        QTest::newRow("no value") << Words {"queue", "move", "a-1", "--to"} << none;
        QTest::newRow("a name with a sign") << Words {"checkpoints", "export", "a-1", "--format", "a;b"} << none;
        QTest::newRow("a path for a run") << Words {"rm", "--yes", "../../home"} << none;
        QTest::newRow("a hidden run") << Words {"rm", "--yes", ".."} << none;
        QTest::newRow("a queued run changed by a file") << Words {"queue", "edit", "a-1", "/etc/passwd"} << none;
        QTest::newRow("a queued run changed by nothing") << Words {"queue", "edit", "a-1"} << none;
        QTest::newRow("a preset of a file") << Words {"presets", "save", "a", "/etc/passwd"} << none;
        QTest::newRow("a preset of nothing") << Words {"presets", "save", "a"} << none;
        QTest::newRow("a preset elsewhere") << Words {"presets", "save", "../a", "-"} << none;
        QTest::newRow("a preset that is an option") << Words {"presets", "rm", "--help"} << none;
        QTest::newRow("no preset") << Words {"presets", "show"} << none;
        QTest::newRow("the whole trash") << Words {"trash", "empty", "--yes"} << none;
        QTest::newRow("a path in the trash") << Words {"trash", "restore", "a-1/../b-2"} << none;
        QTest::newRow("a checkpoint of a path") << Words {"trash", "restore", "../step-10"} << none;
        QTest::newRow("a deep path in the trash") << Words {"trash", "restore", "a-1/step-10/x"} << none;
        QTest::newRow("a second run") << Words {"resume", "a-1", "b-2"} << none;
        QTest::newRow("a file to run") << Words {"run", "/etc/passwd", "--detach"} << none;
        QTest::newRow("a ready experiment") << Words {"run", "digits", "--detach"} << none;
        QTest::newRow("no experiment") << Words {"run", "--detach"} << none;
        QTest::newRow("two experiments") << Words {"run", "-", "-"} << none;
        QTest::newRow("an experiment for none") << Words {"rm", "--yes", "a-1"} << QByteArray("[run]");
        QTest::newRow("an endless experiment") << Words {"run", "-", "--detach"} << QByteArray(100000, 'x');
        QTest::newRow("an endless word") << Words {"queue", "add", QString(5000, 'x')} << none;
        QTest::newRow("a word that ends early") << Words {"queue", "add", QString("a-1") + QChar(0) + "b"} << none;
        QTest::newRow("too many words") << (Words {"rm", "--yes"} + QStringList(1000, "a-1")) << none;
    }
    void E13_nothingElseIs()
    {
        QFETCH(Words, words);
        QFETCH(QByteArray, input);
        QVERIFY(!problem(words, input.toStdString()).isEmpty());
    }

    void E13_whatIsSaidOfAnExperimentComesOverWhole()
    {
        using Item = launcher::PreflightItem;
        using Fix = launcher::PreflightFix;
        const std::vector<Item> checks = {{Item::Level::Error, "Disk", "full", {{.kind = Fix::Kind::SetOptions, .label = "Keep one", .values = {{"checkpoint.keep", "1"}}}}},
            {Item::Level::Ok, "Port", "free"}};
        launcher::GpuList gpus {.gpus = {{.index = 1, .uuid = "GPU-1", .name = "H100", .totalBytes = 80, .freeBytes = 70,
                                            .processes = {{.process = 7, .bytes = 5, .program = "python3", .user = "anna", .run = {}}}, .isVisible = true}},
            .driver = "550", .problem = "", .isDriverBroken = false};
        const nlohmann::json json = {{"problems", launcher::problemsJson({{"data.path", "no such file", 0}})}, {"checks", launcher::checksJson(checks)}, {"gpus", launcher::gpusJson(gpus)}};
        const launcher::PlanAnswer answer = launcher::planAnswer(json.dump());
        QVERIFY(answer.checks == checks);
        QCOMPARE(answer.problems.size(), std::size_t {1});
        QCOMPARE(answer.problems.front().message, std::string("no such file"));
        QCOMPARE(answer.gpus.gpus.size(), std::size_t {1});
        QCOMPARE(answer.gpus.gpus.front().freeBytes, std::uint64_t {70});
        QCOMPARE(answer.gpus.gpus.front().processes.front().words(), gpus.gpus.front().processes.front().words());
        QVERIFY(!answer.forecast);
    }

    void E13_whatATrialFindsComesOverWhole()
    {
        const launcher::TrialProgress progress {.doing = "loads \"data\"", .steps = 2, .of = 4};
        const launcher::TrialProgress got = launcher::progressOf(launcher::progressText(progress));
        QCOMPARE(got.doing, progress.doing);
        QCOMPARE(got.steps, progress.steps);
        QCOMPARE(got.of, progress.of);
        for (const char* evil : {"", "evil", "[1]", "{\"steps\":-4,\"of\":\"x\"}", "{\"steps\":9,\"of\":2}"}) {
            const launcher::TrialProgress none = launcher::progressOf(evil);
            QVERIFY2(none.steps >= 0 && none.steps <= none.of, evil);
        }
        const char trial[] = R"({"steps":3,"is_round":false,"step_seconds":0.25,"peak_bytes":7,"forecast_bytes":9})";
        const auto measured = launcher::planAnswer(std::string("{\"trial\":") + trial + "}").estimate;
        QVERIFY(measured);
        QVERIFY((*measured == launcher::Estimate {{.steps = 3, .isRound = false, .stepMs = 250, .peakBytes = 7}, 9, 0}));
        QVERIFY(launcher::planAnswer(std::string("{\"earlier_trial\":") + trial + "}").estimate == measured);
        QVERIFY(!launcher::planAnswer("{\"trial\":7}").estimate);
    }

    void E13_anAnswerThatMakesNoSenseIsBorne_data()
    {
        QTest::addColumn<QByteArray>("document");
        QTest::newRow("lists of others") << QByteArray(R"({"checks":[1,[],{"fixes":7,"level":"evil"}],"problems":{},"gpus":[]})");
        QTest::newRow("numbers of others") << QByteArray(R"({"rank_memory":{"parts":[{"bytes":-1}],"free_bytes":"x"},"disk":7,"ranks":-3})");
        QTest::newRow("a GPU of none") << QByteArray(R"({"gpus":{"list":[{"index":99999999999,"processes":[{"process":-1}]}]}})");
    }
    void E13_anAnswerThatMakesNoSenseIsBorne()
    {
        QFETCH(QByteArray, document);
        const launcher::PlanAnswer answer = launcher::planAnswer(document.toStdString());
        QVERIFY(answer.checks.size() <= 1 && answer.problems.empty());
        QVERIFY(!answer.forecast || (answer.forecast->rankBytes() == 0 && answer.forecast->ranks == 1));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::planAnswer("[1]"));
        QVERIFY_THROWS_EXCEPTION(std::runtime_error, launcher::planAnswer("evil"));
    }
};

QTEST_GUILESS_MAIN(ServedCommandsTest)
#include "tst_served_commands.moc"
