// E13: runs of another machine, by a mirror of its data home. `ssh` is a script here; tst_remote_ssh.cpp has a real one.
#include "launcher/state/mirror_state.h"
#include "tests/app/remote_machine.h"
#include "tests/app/run_state_text.h"
#include "tests/engine/contract/formats/small_safetensors.h"

#include <QDir>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <fstream>
#include <optional>
#include <signal.h>

using launcher::FileDepth;
using launcher::RemoteLink;
using launcher::RunState;
using tests::contentOf;

class RemoteTest : public QObject {
    Q_OBJECT

private:
    std::optional<tests::RemoteMachine> m_machine;
    std::unique_ptr<launcher::Mirror> m_mirror;
    QTemporaryDir m_here;

    tests::AtelierProgram& there() { return m_machine->program(); }

    void connectMirror()
    {
        m_mirror = std::make_unique<launcher::Mirror>(m_machine->mirrorHome(), m_machine->host());
        QTRY_VERIFY_WITH_TIMEOUT(m_mirror->link().isListed, 10000);
    }

    /// A run of the fake worker that would go on for hours.
    contract::RunFolder startRun()
    {
        const QString file = there().writeFile(QStringLiteral("long.toml"),
            "[run]\nname = \"long\"\ntotal_steps = 1000000\n[launch]\nranks = 2\n[data]\npath = \""
                + there().writeFile(QStringLiteral("data.csv"), "0\n").toUtf8() + "\"\n");
        const tests::Outcome outcome = there().runWell({QStringLiteral("run"), file, QStringLiteral("--detach")});
        return outcome.exitCode == 0 ? there().onlyRun() : contract::RunFolder("none");
    }

    RunState state(const contract::RunFolder& run) { return launcher::inspectRun(m_machine->mirrored(run)).state; }

    bool isEqual(const contract::RunFolder& run, const std::string& file)
    {
        const QByteArray content = contentOf(run.root() / file);
        return !content.isEmpty() && content == contentOf(m_machine->mirrored(run).root() / file);
    }

    static QByteArray exported(const tests::Outcome& outcome) { return outcome.exitCode == 0 ? outcome.output : QByteArray(); }

private Q_SLOTS:
    void init() { m_machine.emplace(); }
    void cleanup()
    {
        m_mirror.reset();
        m_machine.reset();
    }

    void E13_listsRunsWithoutTheirJournals()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 14);
        std::ofstream(run.attempt(1) / "forecast.json") << "{}";
        connectMirror();
        QTRY_VERIFY(isEqual(run, "attempts/1/config.toml") && isEqual(run, "attempts/1/start.json"));
        QTRY_VERIFY(isEqual(run, "attempts/1/forecast.json"));  // N6: shown beside the truth here, too
        const QJsonObject here = m_machine->runOnMirror({"list", "--json"}).json().array().at(0).toObject();
        const QJsonObject remote = there().runWell({"list", "--json"}).json().array().at(0).toObject();
        for (const char* key : {"id", "name", "state", "step", "total_steps", "loss", "attempts", "created_unix_ms"}) {
            QVERIFY2(!here[QLatin1String(key)].isUndefined() && !here[QLatin1String(key)].isNull(), key);
            QCOMPARE(here[QLatin1String(key)], remote[QLatin1String(key)]);
        }
        QCOMPARE(here["step"].toInt(), 14);
        QCOMPARE(m_machine->runOnMirror({"list", "--json", "--filter", "loss < 0.2"}).json().array().size(), 1);
        QCOMPARE(m_machine->runOnMirror({"list", "--json", "--filter", "loss > 0.2"}).json().array().size(), 0);
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(run).journals()));
        QVERIFY(m_machine->runOnMirror({"show", "first"}).output.contains("finished"));
    }

    void E13_copiesWhatIsLookedAtBitForBit()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 3000);
        const contract::RunFolder other = there().addFinishedRun("other-20261121-101500-x3k9", 30);
        std::filesystem::create_directories(run.logs());
        std::ofstream(run.log(0)) << "a line\n";
        connectMirror();
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        QTRY_VERIFY(isEqual(run, "journal/rank-0.jsonl") && isEqual(run, "journal/rank-1.jsonl") && isEqual(run, "journal/supervisor.jsonl"));
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(run).logs()));
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(other).journals()));
        const QByteArray values = exported(there().runWell({"export", "first", "--csv"}));
        QVERIFY(values.size() > 100000);
        QCOMPARE(exported(m_machine->runOnMirror({"export", "first", "--csv"})), values);
        m_mirror->lookAt({{run.id(), FileDepth::Logs}});
        QTRY_VERIFY(isEqual(run, "logs/rank-0.log"));
    }

    void E13_followsRenamesResumesAndRemovals()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 5);
        const contract::RunFolder other = there().addFinishedRun("other-20261121-101500-x3k9", 5);
        connectMirror();
        QTRY_VERIFY(isEqual(run, "attempts/1/config.toml"));
        there().runWell({"rename", "first", "renamed"});
        QTRY_VERIFY(isEqual(run, "annotations.jsonl"));
        QTRY_COMPARE(m_machine->runOnMirror({"list", "--json", "--filter", "renamed"}).json().array().size(), 1);
        std::filesystem::remove_all(other.root());
        QTRY_VERIFY(!std::filesystem::exists(m_machine->mirrored(other).root()));
        QVERIFY(std::filesystem::exists(m_machine->mirrored(run).root()));
    }

    void E13_controlsARunAndSaysItsState()
    {
        const contract::RunFolder run = startRun();
        connectMirror();
        QTRY_COMPARE(state(run), RunState::Running);
        std::optional<launcher::ControlReply> reply;
        m_mirror->send(run.id(), launcher::ControlCommand::Checkpoint, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY(reply);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        QTRY_VERIFY(!m_machine->mirrored(run).checkpointSteps().empty());
        reply.reset();
        m_mirror->send(run.id(), launcher::ControlCommand::Stop, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY(reply && reply->isAccepted);
        QTRY_COMPARE(launcher::inspectRun(run).state, RunState::Stopped);
        QTRY_COMPARE(state(run), RunState::Stopped);
        reply.reset();
        m_mirror->execute({"resume", run.id(), "--detach"}, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY_WITH_TIMEOUT(reply, 20000);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
        QTRY_COMPARE(state(run), RunState::Running);
        QCOMPARE(launcher::inspectRun(m_machine->mirrored(run)).attempt, 2);
        reply.reset();
        m_mirror->execute({"generate"}, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY(reply);
        QVERIFY(!reply->isAccepted);
        there().runWell({"stop", "latest", "--wait"});
    }

    void E13_executesAnExperimentAndTellsWhatWasPrinted()
    {
        connectMirror();
        std::optional<launcher::CommandReply> reply;
        const auto take = [&](const launcher::CommandReply& got) { reply = got; };
        const std::string toml = "[run]\nname = \"it's `far` $HOME\"\ntotal_steps = 1000000\n[launch]\nranks = 2\n[data]\npath = \""
            + there().writeFile(QStringLiteral("data.csv"), "0\n").toStdString() + "\"\n";
        m_mirror->execute({"run", "-", "--detach", "--json"}, this, take, toml);
        QTRY_VERIFY_WITH_TIMEOUT(reply, 20000);
        QVERIFY2(reply->isAccepted, reply->error.c_str());
        const contract::RunFolder run = there().onlyRun();
        QCOMPARE(QJsonDocument::fromJson(QByteArray::fromStdString(reply->output)).object()["run"].toString().toStdString(), run.id());
        QCOMPARE(contract::loadExperiment(run.config(1)).experiment.text("run.name"), std::string("it's `far` $HOME"));
        QTRY_COMPARE(state(run), RunState::Running);
        // What is longer than one message comes in parts, whole.
        const contract::RunFolder wide = there().addFinishedRun("wide-20261121-101500-x3k9", 5);
        tests::Tensors tensors;
        for (int i = 0; i < 1000; ++i)
            tensors.push_back({{"a.long.name.of.a.tensor." + std::to_string(i), "F32", {1}}, {1}});
        for (const int step : {1, 2})
            tests::writeCheckpoint(wide.checkpoint(step), tensors, {});
        reply.reset();
        m_mirror->execute({"checkpoints", "diff", wide.id(), "--from", "1", "--to", "2", "--json"}, this, take);
        QTRY_VERIFY_WITH_TIMEOUT(reply, 20000);
        QVERIFY2(reply->isAccepted && reply->output.size() > 3 * launcher::kLongestPayload, reply->error.c_str());
        QCOMPARE(QJsonDocument::fromJson(QByteArray::fromStdString(reply->output)).object()["tensors"].toArray().size(), 1000);
        // An error is the sentence of the command.
        reply.reset();
        m_mirror->execute({"run", "-", "--detach", "--json"}, this, take, "[run]\nnmae = \"x\"\n");
        QTRY_VERIFY_WITH_TIMEOUT(reply, 20000);
        QVERIFY2(!reply->isAccepted && QString::fromStdString(reply->error).startsWith("experiment:2: ") && QString::fromStdString(reply->error).contains("nmae"), reply->error.c_str());
        there().runWell({"stop", run.id().c_str(), "--wait"});
    }

    void E13_anExportThatIsCancelledLeavesNothingHalf()
    {
        const contract::RunFolder run = there().addFinishedRun("wide-20261121-101500-x3k9", 5);
        constexpr std::int64_t kValues = 30'000'000;
        tests::writeCheckpoint(run.checkpoint(1), {{{"w", "F32", {kValues}}, std::vector<float>(kValues, 0.5F)}}, {});
        const QDir folder(there().writeFile(QStringLiteral("exported"), {}) + ".d");
        const auto unfinished = [&] { return folder.entryList({"*.tmp*"}, QDir::Files); };
        connectMirror();
        std::optional<launcher::CommandReply> reply;
        const launcher::CommandId command = m_mirror->execute(
            {"checkpoints", "export", run.id(), "--step", "1", "--dtype", "bf16", "--to", folder.path().toStdString()}, this,
            [&](const launcher::CommandReply& got) { reply = got; });
        QTRY_VERIFY_WITH_TIMEOUT(!unfinished().isEmpty() || reply, 20000);
        m_mirror->cancel(command);
        QTRY_VERIFY_WITH_TIMEOUT(reply, 20000);
        QVERIFY2(reply->isCancelled || reply->isAccepted, reply->error.c_str());  // it may have been done before it heard of it
        QCOMPARE(reply->isAccepted, folder.exists("model.safetensors"));
        QCOMPARE(unfinished(), QStringList());
    }

    void E13_mendsABrokenConnectionByItselfAndLosesNothing()
    {
        const contract::RunFolder run = startRun();
        connectMirror();
        m_mirror->lookAt({{run.id(), FileDepth::Logs}});
        QTRY_COMPARE(state(run), RunState::Running);
        QTRY_VERIFY(contentOf(m_machine->mirrored(run).journal(0)).count('\n') > 20);
        m_machine->setReachable(false);
        QCOMPARE(m_machine->servers().size(), std::size_t {1});
        ::kill(m_machine->servers().front(), SIGKILL);
        QTRY_COMPARE(state(run), RunState::CutOff);
        QTRY_VERIFY(QString::fromStdString(launcher::inspectRun(m_machine->mirrored(run)).cause).contains("Connection refused"));
        QVERIFY(QString::fromStdString(launcher::inspectRun(m_machine->mirrored(run)).cause).startsWith("No connection to box"));
        std::optional<launcher::ControlReply> reply;
        m_mirror->send(run.id(), launcher::ControlCommand::Stop, this, [&](const launcher::ControlReply& got) { reply = got; });
        QTRY_VERIFY(reply);
        QVERIFY(!reply->isAccepted);
        m_machine->setReachable(true);
        QTRY_COMPARE_WITH_TIMEOUT(state(run), RunState::Running, 10000);
        there().runWell({"stop", "latest", "--wait"});
        QTRY_COMPARE(state(run), RunState::Stopped);
        QTRY_VERIFY(isEqual(run, "journal/rank-0.jsonl") && isEqual(run, "journal/rank-1.jsonl") && isEqual(run, "journal/supervisor.jsonl"));
        QCOMPARE(exported(m_machine->runOnMirror({"export", "latest", "--csv"})), exported(there().runWell({"export", "latest", "--csv"})));
    }

    void E13_goesOnWhereAnEarlierSessionEnded()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 500);
        connectMirror();
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        QTRY_VERIFY(isEqual(run, "journal/rank-0.jsonl"));
        m_mirror.reset();
        QTRY_VERIFY(m_machine->servers().empty());
        // What is already here is not sent again: a byte that differs before the checked end stays.
        const std::string journal = m_machine->mirrored(run).journal(0).string();
        {
            std::fstream file(journal, std::ios::in | std::ios::out);
            file.seekp(3);
            file.put('#');
        }
        std::ofstream(run.journal(0), std::ios::app) << "{\"type\":\"step\",\"step\":501,\"t_ms\":9,\"loss\":1}\n";
        connectMirror();
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        QTRY_COMPARE(contentOf(journal).size(), contentOf(run.journal(0)).size());
        QCOMPARE(contentOf(journal)[3], '#');
        // Another file in its place is copied as a whole.
        std::ofstream(run.journal(1)) << "{\"v\":1,\"run\":\"other\"}\n" << std::string(100000, '\n');
        QTRY_VERIFY(isEqual(run, "journal/rank-1.jsonl"));
    }

    void E13_writesNothingThatAHostileMachineMakesUp_data()
    {
        QTest::addColumn<QByteArray>("message");
        QTest::addColumn<QByteArray>("bytes");
        const QByteArray kData = "\"at\":0,\"bytes\":4,\"size\":4,\"mtime\":1}";
        QTest::newRow("above the run") << QByteArray("{\"run\":\"r\",\"file\":\"../../evil\"," + kData) << QByteArray("evil");
        QTest::newRow("absolute") << QByteArray("{\"run\":\"r\",\"file\":\"/tmp/evil\"," + kData) << QByteArray("evil");
        QTest::newRow("inside a known folder") << QByteArray("{\"run\":\"r\",\"file\":\"samples/../../evil\"," + kData) << QByteArray("evil");
        QTest::newRow("no file of a run") << QByteArray("{\"run\":\"r\",\"file\":\"evil\"," + kData) << QByteArray("evil");
        QTest::newRow("its own state") << QByteArray("{\"run\":\"r\",\"file\":\"seen.json\"," + kData) << QByteArray("evil");
        QTest::newRow("a run above") << QByteArray("{\"run\":\"../evil\",\"file\":\"origin.json\"," + kData) << QByteArray("evil");
        QTest::newRow("a run removed above") << QByteArray("{\"gone\":\"..\"}") << QByteArray();
        QTest::newRow("a hidden run") << QByteArray("{\"run\":\".evil\",\"stamp\":\"\",\"status\":{\"state\":\"running\"}}") << QByteArray();
        QTest::newRow("an unknown state") << QByteArray("{\"run\":\"r\",\"stamp\":\"\",\"status\":{\"state\":\"evil\"}}") << QByteArray();
        QTest::newRow("a file that is too large") << QByteArray("{\"run\":\"r\",\"file\":\"origin.json\",\"at\":0,\"bytes\":4,\"size\":99999999999,\"mtime\":1}") << QByteArray("evil");
        QTest::newRow("more bytes than allowed") << QByteArray("{\"run\":\"r\",\"file\":\"origin.json\",\"at\":0,\"bytes\":99999999,\"size\":4,\"mtime\":1}") << QByteArray("evil");
        QTest::newRow("bytes after a gap") << QByteArray("{\"run\":\"r\",\"file\":\"journal/rank-0.jsonl\",\"at\":77,\"bytes\":4}") << QByteArray("evil");
        QTest::newRow("no JSON") << QByteArray("evil") << QByteArray();
        QTest::newRow("deep JSON") << QByteArray(100000, '[') << QByteArray();
        QTest::newRow("an endless line") << QByteArray(400000, ' ') << QByteArray();
        QTest::newRow("a list") << QByteArray("[1]") << QByteArray();
    }

    void E13_writesNothingThatAHostileMachineMakesUp()
    {
        QFETCH(QByteArray, message);
        QFETCH(QByteArray, bytes);
        const QString file = there().writeFile(QStringLiteral("hostile"), "{\"v\":1,\"atelier\":\"x\",\"host\":\"x\",\"now\":1}\n" + message + "\n" + bytes);
        m_machine->setScript("cat " + file.toUtf8() + "\nexec sleep 100\n");
        m_mirror = std::make_unique<launcher::Mirror>(m_machine->mirrorHome(), m_machine->host());
        QTRY_COMPARE(m_mirror->link().phase, RemoteLink::Phase::Lost);
        QVERIFY(!m_mirror->link().problem.isEmpty());
        const launcher::DataHome home = m_machine->mirrorHome();
        for (const auto& entry : std::filesystem::recursive_directory_iterator(home.data)) {
            const QString name = QString::fromStdString(entry.path().filename().string());
            QVERIFY2(!name.contains("evil") && contentOf(entry.path()) != "evil", qPrintable(name));
        }
        QVERIFY(std::filesystem::exists(home.data / "mirror.json"));
        QVERIFY(!std::filesystem::exists("/tmp/evil"));
    }

    void E13_writesThroughNoLink()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 5);
        const std::string outside = there().writeFile(QStringLiteral("outside"), "mine").toStdString();
        std::filesystem::create_directories(m_machine->mirrored(run).journals());
        std::filesystem::create_symlink(outside, m_machine->mirrored(run).journal(0));
        connectMirror();
        m_mirror->lookAt({{run.id(), FileDepth::Records}});
        QTRY_COMPARE(m_mirror->link().phase, RemoteLink::Phase::Lost);
        QCOMPARE(contentOf(outside), QByteArray("mine"));
    }

    void E13_experimentFilesArePassedAlong()
    {
        for (const char* name : {"ATELIER_SSH", "ATELIER_WORKER"})
            there().setVariable(QLatin1String(name), qEnvironmentVariable(name));
        const auto onBox = [&](const QStringList& command) {
            const launcher::RemoteHost host = m_machine->host();
            return there().run(QStringList {"--host", QString::fromStdString(host.text()), "--remote-program", QString::fromStdString(host.program)} + command);
        };
        const QByteArray data = "[data]\npath = \"" + there().writeFile(QStringLiteral("data.csv"), "0\n").toUtf8() + "\"\n";
        const auto written = [&](const QString& folder, const QByteArray& name) {
            QDir(m_here.path()).mkpath(folder);
            QFile file(m_here.filePath(folder + "/mine.toml"));
            if (!file.open(QIODevice::WriteOnly) || file.write("[run]\nname = \"" + name + "\"\ntotal_steps = 1\n" + data) < 0)
                qFatal("%s cannot be written", qPrintable(file.fileName()));
            return file.fileName();
        };
        const QString one = written("one", "first"), two = written("two", "second");
        const tests::Outcome added = onBox({"queue", "add", one, two, "--json"});
        QVERIFY2(added.exitCode == 0, added.report().constData());
        const QByteArray list = onBox({"list"}).output;
        QVERIFY2(list.contains("first") && list.contains("second"), list.constData());
        const tests::Outcome saved = onBox({"presets", "save", "kept", one});
        QVERIFY2(saved.exitCode == 0, saved.report().constData());
        QVERIFY(onBox({"presets", "show", "kept"}).output.contains("name = \"first\""));

        // A path from here means nothing there, so nothing is sent.
        m_machine->setScript("echo sent\n");
        const QString relative = there().writeFile(QStringLiteral("relative.toml"), "[data]\npath = \"digits.csv\"\n");
        const tests::Outcome refused = onBox({"run", relative, "--detach"});
        QVERIFY2(refused.exitCode == 1 && refused.output.isEmpty() && refused.errors.contains("data.path is a relative path"), refused.report().constData());
    }

    void E13_saysWhatIsWrongWithAHost()
    {
        const auto refused = [&](const QStringList& arguments) {
            const tests::Outcome outcome = there().run(arguments);
            return outcome.exitCode == 2 ? outcome.errors : "exit code " + QByteArray::number(outcome.exitCode);
        };
        QVERIFY(refused({"--host"}).contains("--host needs a value"));
        QVERIFY(refused({"--host", "-oProxyCommand=evil", "list"}).contains("names no machine"));
        QVERIFY(refused({"--host", "two words", "list"}).contains("names no machine"));
        QVERIFY(refused({"--remote-program", "atelier", "list"}).contains("needs --host"));
        QVERIFY(!refused({"list", "--host", "box"}).startsWith("exit code"));
        m_machine->setScript("echo Welcome\n");
        m_mirror = std::make_unique<launcher::Mirror>(m_machine->mirrorHome(), m_machine->host());
        QTRY_VERIFY(m_mirror->link().problem.contains("Welcome"));
        m_mirror.reset();
        m_machine->setScript("echo 'sh: 1: atelier: not found' >&2\nexit 127\n");
        m_mirror = std::make_unique<launcher::Mirror>(m_machine->mirrorHome(), m_machine->host());
        QTRY_VERIFY(m_mirror->link().problem.contains("Atelier was not found there"));
    }

    void E13_serverAnswersWhatMakesNoSense()
    {
        there().addFinishedRun("first-20261121-101500-x3k9", 5);
        const auto server = there().start({"serve"});
        QByteArray output;
        const auto answers = [&] {
            output += server->readAllStandardOutput();
            return output.count("\"ok\":false");
        };
        const QByteArrayList requests = {"evil", "[1]", "{}", "{\"cmd\":\"look\",\"run\":\"../..\",\"depth\":\"logs\"}",
            "{\"cmd\":\"look\",\"run\":\"first-20261121-101500-x3k9\",\"depth\":\"evil\"}", "{\"id\":[[]],\"cmd\":\"stop\",\"run\":\"none\"}",
            "{\"v\":1,\"cmd\":\"evil\",\"run\":\"first-20261121-101500-x3k9\"}", "{\"cmd\":\"do\",\"arguments\":\"resume\"}",
            "{\"cmd\":\"do\",\"arguments\":[\"stop\",1]}", "{\"cmd\":\"do\",\"arguments\":[\"run\",\"/etc/passwd\"],\"input\":7}",
            "{\"cmd\":\"do\",\"arguments\":[\"rm\",\"--yes\",\"../..\"]}", QByteArray(100000, '{'), QByteArray(1000000, 'x')};
        for (const QByteArray& request : requests)
            server->write(request + "\n");
        QTRY_COMPARE(answers(), requests.size());
        server->write("{\"cmd\":\"have\",\"run\":\"first-20261121-101500-x3k9\",\"files\":[1,[],[\"../x\",1,1],[\"origin.json\",-1,\"\"],[\"journal/rank-0.jsonl\",-5,\"\"]]}\n"
                      "{\"cmd\":\"look\",\"run\":\"first-20261121-101500-x3k9\",\"depth\":\"records\"}\n");
        QTRY_VERIFY((answers(), output.contains("\"outcome\":\"finished\"")));
        server->closeWriteChannel();
        QVERIFY(server->waitForFinished(5000));
        QCOMPARE(server->exitCode(), 0);
    }

    void E13_serverSaysOnlyOfWhatIsLookedAtThatItIsCopied()
    {
        there().addFinishedRun("first-20261121-101500-x3k9", 5);
        const auto server = there().start({"serve"});
        server->write("{\"cmd\":\"look\",\"run\":\"first-20261121-101500-x3k9\",\"depth\":\"logs\"}\n");
        QByteArray output;
        const auto isSaid = [&](const char* depth) {
            output += server->readAllStandardOutput();
            return output.contains(QByteArray("\"depth\":\"") + depth + "\"");
        };
        QTRY_VERIFY2(isSaid("logs"), output.constData());
        server->closeWriteChannel();
        QVERIFY(server->waitForFinished(5000));
        QVERIFY(isSaid("records"));
        QVERIFY2(!isSaid("samples"), output.constData());
    }
};

QTEST_GUILESS_MAIN(RemoteTest)
#include "tst_remote.moc"
