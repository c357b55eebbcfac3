// Commands about runs: what they show, find, delete and refuse.
#include "tests/app/atelier_program.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "launcher/state/run_state.h"
#include "tests/launcher/fakes/fake_gpus.h"

#include <QDirIterator>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>
#include <filesystem>
#include <fstream>

using tests::AtelierProgram;
using tests::kExampleSteps;
using tests::linesOf;
using tests::Outcome;

class RunCommandsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void supersededCheckpointsAreShown_data()
    {
        QTest::addColumn<bool>("isDamaged");
        QTest::newRow("defect-3: whole") << false;
        QTest::newRow("defect-3: damaged") << true;
    }
    void supersededCheckpointsAreShown()
    {
        QFETCH(bool, isDamaged);
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        for (const auto& folder : {run.checkpoint(20), run.formerCheckpoint(20, 1)}) {
            std::filesystem::create_directories(folder);
            contract::CheckpointManifest manifest;
            manifest.step = 20;
            contract::writeManifest(folder, manifest);
        }
        std::ofstream(run.formerCheckpoint(20, 1) / contract::kPinFile) << "\n";
        if (isDamaged)
            std::filesystem::resize_file(run.formerCheckpoint(20, 1) / contract::kManifestFile, 9);
        const QJsonArray rows = atelier.run({"checkpoints", "list", "latest", "--json"}).json().array();
        QCOMPARE(rows.size(), 2);
        QCOMPARE(rows[0]["folder"].toString().toStdString(), run.checkpoint(20).string());
        QCOMPARE(rows[0]["superseded"].toBool(true), false);
        QCOMPARE(rows[1]["folder"].toString().toStdString(), run.formerCheckpoint(20, 1).string());
        QVERIFY(rows[1]["superseded"].toBool() && rows[1]["step"].toInt() == 20 && rows[1]["pinned"].toBool());
        const Outcome listed = atelier.run({"checkpoints", "latest"});
        QVERIFY2(listed.output.contains(isDamaged ? "damaged, superseded" : "pinned, superseded"), listed.report());
        const Outcome verified = atelier.run({"checkpoints", "verify", "latest"});
        QVERIFY2(verified.exitCode == (isDamaged ? 1 : 0), verified.report());
        QVERIFY2((verified.output + verified.errors).contains(isDamaged ? "1 of 2 checkpoints" : "2 checkpoints"), verified.report());
        const Outcome document = atelier.run({"checkpoints", "verify", "latest", "--json"});
        QCOMPARE(document.exitCode, isDamaged ? 1 : 0);
        QCOMPARE(document.errors, QByteArray());
        const QJsonArray checked = document.json()["checkpoints"].toArray();
        QCOMPARE(checked.size(), 2);
        QCOMPARE(checked[0]["damage"].toString(), QString());
        QCOMPARE(checked[1]["damage"].toString().isEmpty(), !isDamaged);
        QVERIFY(checked[1]["superseded"].toBool());
    }

    void M11_tensorsAreListedAndTheBestIsMarked()
    {
        AtelierProgram atelier;
        const auto run = atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        for (const std::int64_t step : {10, 20, 30}) {
            std::filesystem::create_directories(run.checkpoint(step));
            contract::CheckpointManifest manifest;
            manifest.step = step;
            manifest.metrics = {{"loss", step == 10 ? 0.125 : 0.5}, {"validation/loss", step == 20 ? 0.25 : 0.5}};
            manifest.fileBytes["rank-0.safetensors"] = 24;
            manifest.tensors.push_back({.name = "model.proj", .dtype = "F32", .shape = {2, 3}, .pieces = {{.file = "rank-0.safetensors", .offset = 0, .begin = 0, .count = 6}}});
            contract::writeManifest(run.checkpoint(step), manifest);
            std::ofstream(run.checkpoint(step) / "rank-0.safetensors") << std::string(24, 'x');
        }
        const Outcome listed = atelier.runWell({"checkpoints", "latest"});
        const auto lines = tests::linesOf(listed.output);
        QVERIFY2(!lines[1].contains("best") && lines[2].contains("  best  ") && lines[3].contains("  latest  "), listed.report());
        const Outcome text = atelier.runWell({"checkpoints", "tensors", "latest"});
        QVERIFY2(text.output.contains("model.proj  2 × 3  F32          6   24 B\n"), text.report());
        const QJsonObject tensors = atelier.runWell({"checkpoints", "tensors", "latest", "--step", "10", "--json"}).json().object();
        QCOMPARE(tensors["step"].toInt(), 10);
        QCOMPARE(tensors["tensors"].toArray(),
            QJsonArray({QJsonObject {{"name", "model.proj"}, {"shape", QJsonArray {2, 3}}, {"dtype", "F32"}, {"elements", 6}, {"bytes", 24}, {"pieces", 1}}}));
        QVERIFY(atelier.runWell({"checkpoints", "tensors", "latest", "--text", "conv"}).output.contains("has no such tensors"));
        const Outcome none = atelier.run({"checkpoints", "tensors", "latest", "--step", "11"});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("has no checkpoint of step 11"), none.report());
    }

    /// The tensor is so large that the signal comes before it has been written.
    void anExportThatIsInterruptedLeavesNothing_data()
    {
        QTest::addColumn<int>("signal");
        QTest::newRow("Ctrl+C") << SIGINT;
        QTest::newRow("terminated") << SIGTERM;
        QTest::newRow("hung up") << SIGHUP;
    }
    void anExportThatIsInterruptedLeavesNothing()
    {
        QFETCH(int, signal);
        constexpr std::uint64_t kElements = std::uint64_t {1} << 32;
        AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps).checkpoint(20);
        std::filesystem::create_directories(folder);
        std::ofstream(folder / "rank-0.safetensors") << "head";
        std::filesystem::resize_file(folder / "rank-0.safetensors", 4 * kElements + 4);  // takes no room
        contract::CheckpointManifest manifest;
        manifest.step = 20;
        manifest.model = "dit";
        manifest.fileBytes = {{"rank-0.safetensors", 4 * kElements + 4}};
        manifest.tensors = {{"model/weight", "F32", {std::int64_t(kElements)}, {{"rank-0.safetensors", 4, 0, kElements}}}};
        contract::writeManifest(folder, manifest);
        const QTemporaryDir target;
        const auto files = [&] { return QDir(target.path()).entryList(QDir::Files | QDir::Hidden); };
        const auto process = atelier.start({"checkpoints", "export", "latest", "--to", target.path()});
        QTRY_VERIFY(!files().isEmpty());
        QCOMPARE(process->state(), QProcess::Running);
        ::kill(static_cast<pid_t>(process->processId()), signal);
        QVERIFY(process->waitForFinished());
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        const QByteArray errors = process->readAllStandardError();
        QVERIFY2(process->exitCode() != 0 && errors.contains("the export was cancelled"), errors);
        QCOMPARE(files(), QStringList());
    }

    void aFolderWithControlCharactersIsShownAsText_defect_32()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("red\033[31m-20261121-101500-aaaa", kExampleSteps);
        const Outcome shown = atelier.run({"show", "latest"});
        QVERIFY2(shown.exitCode == 0 && !shown.output.contains('\033'), shown.report());
    }

    void E9_theWebAddressIsToldByItsHost()
    {
        AtelierProgram atelier;
        QCOMPARE(atelier.runWell({"notify", "--json"}).json().object(), (QJsonObject {{"host", QJsonValue()}}));
        const Outcome chosen = atelier.runWell({"notify", "https://chat.example/as-good-as-a-password", "--json"});
        QCOMPARE(chosen.json().object(), (QJsonObject {{"host", "chat.example"}}));
        QVERIFY(!chosen.output.contains("password"));
        atelier.runWell({"notify", "--off"});
        QVERIFY(atelier.runWell({"notify", "--json"}).json()["host"].isNull());
    }

    void doctorTellsWhatEachFindingMeans()
    {
        AtelierProgram atelier;
        const Outcome outcome = atelier.run({"doctor", "--json"});
        QStringList seen;
        for (const QJsonValue& each : outcome.json().array()) {
            seen << each["what"].toString();
            QVERIFY2(!each["found"].toString().isEmpty() && !each["meaning"].toString().isEmpty(), outcome.report());
        }
        for (const char* what : {"NCCL", "LibTorch", "Worker", "Data home", "Disk", "Database", "Display"})
            QVERIFY2(seen.contains(what), what);
    }

    void doctorChecksTheKernelsOfGpus_data()
    {
        QTest::addColumn<QByteArray>("report");  // of the worker
        QTest::addColumn<QByteArray>("level");
        QTest::addColumn<QByteArray>("found");
        const QByteArray gpu = R"({"v":1,"visible":1,"gpus":[{"name":"NVIDIA H200","kernels":%1,"problems":[%2],"attention":[]}]})";
        const auto reportOf = [&](const char* kernels, const char* problems) { return QByteArray(gpu).replace("%1", kernels).replace("%2", problems); };
        QTest::newRow("right") << reportOf("60", "") << QByteArray("good") << QByteArray("60 compiled for NVIDIA H200; they agree with LibTorch's operators");
        QTest::newRow("wrong") << reportOf("60", R"("norm (float32): off by 0.2")") << QByteArray("problem") << QByteArray("NVIDIA H200: norm (float32): off by 0.2");
        QTest::newRow("no compiler") << reportOf("0", "") << QByteArray("note") << QByteArray("cannot be compiled for NVIDIA H200");
        QTest::newRow("hidden") << QByteArray(R"({"v":1,"visible":0,"gpus":[]})") << QByteArray("note") << QByteArray("CUDA shows the worker no GPU");
        QTest::newRow("broken") << QByteArray(R"({"v":1,"gpus":[{"name":7}]})") << QByteArray("problem") << QByteArray("the worker's report cannot be read");
        QTest::newRow("nothing") << QByteArray("Segmentation fault") << QByteArray("problem") << QByteArray("the worker could not check them");
    }
    void doctorChecksTheKernelsOfGpus()
    {
        QFETCH(QByteArray, report);
        QFETCH(QByteArray, level);
        QFETCH(QByteArray, found);
        const FakeGpus gpus;
        const QTemporaryDir folder;
        const QString worker = folder.filePath("worker");
        QFile script(worker);
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("#!/bin/sh\n[ \"$1\" = --check-gpus ] && echo '" + report + "' || echo 0.1.0\n");
        script.close();
        QVERIFY(script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner));
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", worker);
        const Outcome outcome = atelier.run({"doctor", "--json"});
        const QJsonArray all = outcome.json().array();
        const QJsonObject built {{"what", "CUDA module"}, {"level", "good"}, {"found", "built"}, {"meaning", "workers load it on machines with GPUs"}};
        if (!all.contains(built))
            QSKIP("This LibTorch is for CPUs only.");
        for (const QJsonValue& each : all) {
            if (each["what"].toString() != QStringLiteral("GPU kernels"))
                continue;
            QCOMPARE(each["level"].toString().toUtf8(), level);
            QVERIFY2(each["found"].toString().toUtf8().startsWith(found), outcome.report());
            return;
        }
        QFAIL(outcome.report());
    }

    void E11_theIndexIsWhereTheUserWantsIt()
    {
        const QTemporaryDir local;
        qputenv("ATELIER_INDEX", local.path().toUtf8());
        const auto unset = qScopeGuard([] { qunsetenv("ATELIER_INDEX"); });
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        QCOMPARE(atelier.run({"list", "--json"}).json()[0]["step"].toInt(), kExampleSteps);
        QDirIterator files(local.path(), {"atelier.db"}, QDir::Files, QDirIterator::Subdirectories);
        QVERIFY(files.hasNext());
        const QFileInfo database(files.next());
        QVERIFY(!std::filesystem::exists(atelier.home().data / "atelier.db"));
        const Outcome doctor = atelier.run({"doctor"});
        QVERIFY2(doctor.output.contains(database.absolutePath().toUtf8()), doctor.report());
        const auto usage = atelier.run({"disk", "--json"}).json();
        QVERIFY(usage["database"].toInteger() >= database.size());
        // It is made again from the runs.
        QVERIFY(QDir(database.path()).removeRecursively());
        QCOMPARE(atelier.run({"list", "--json"}).json()[0]["step"].toInt(), kExampleSteps);
    }

    void listAndShowTellTheFinishedRun()
    {
        AtelierProgram atelier;
        const auto folder = atelier.addFinishedRun("digits-20261121-101500-aaaa", kExampleSteps);
        const QJsonObject row = atelier.run({"list", "--json"}).json()[0].toObject();
        QCOMPARE(row["id"].toString().toStdString(), folder.id());
        QCOMPARE(row["state"].toString(), "finished");
        QCOMPARE(row["step"].toInt(), kExampleSteps);
        const Outcome shown = atelier.run({"show", "digits"});
        QVERIFY2(shown.output.contains("State:       finished"), shown.report());
        QVERIFY2(shown.output.contains("Step:        25 of 25"), shown.report());
    }

    void runsAreFoundByIdPrefixNameAndLatest_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("found");  // the run's id, or a part of the error message
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
            QVERIFY2(outcome.errors.contains(found), outcome.report());
    }

    /// What can be undone is not asked about.
    void rmMovesToTheTrashAndSaysHowToUndoIt()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        const Outcome removed = atelier.runWell({"rm", "latest"});
        QVERIFY(atelier.runs().isEmpty());
        QVERIFY(!std::filesystem::is_empty(atelier.home().trash()));
        QCOMPARE(atelier.run({"list", "--json"}).json().array().size(), 0);
        const QString undo = QString::fromUtf8(removed.output).trimmed().section('\n', -1).trimmed();
        QCOMPARE(undo, "atelier trash restore digits-20261121-101500-aaaa");
        atelier.runWell(undo.split(' ').mid(1));
        QCOMPARE(atelier.runs().size(), 1);
        atelier.runWell({"rm", "latest", "--yes"});  // as scripts may say it
    }

    void defect16_theTrashIsListedRestoredAndEmptied()
    {
        AtelierProgram atelier;
        const std::string run = "digits-20261121-101500-aaaa";
        const auto folder = atelier.addFinishedRun(run, 20);
        atelier.addFinishedRun("faces-20261121-101500-cccc", 20);
        const auto checkpoint = atelier.home().trash() / "checkpoints" / run / "step-20-1795255200000";  // as the window moves it
        std::filesystem::create_directories(checkpoint);
        std::ofstream(checkpoint / "manifest.json") << std::string(1000, ' ');
        const auto listed = [&] {
            QStringList names;
            for (const auto& item : atelier.run({"trash", "--json"}).json().array())
                names << item.toObject()["name"].toString();
            names.sort();
            return names;
        };
        const QByteArray before = atelier.run({"export", "digits", "--csv"}).output;
        QCOMPARE(atelier.run({"rm", "digits", "--yes"}).exitCode, 0);
        QCOMPARE(listed(), QStringList({"digits-20261121-101500-aaaa", "digits-20261121-101500-aaaa/step-20"}));

        const Outcome tooEarly = atelier.run({"trash", "restore", "digits-20261121-101500-aaaa/step-20"});
        QVERIFY2(tooEarly.exitCode == 1 && tooEarly.errors.contains("restore the run first"), tooEarly.report());
        const Outcome restored = atelier.run({"trash", "restore", "digits-20261121-101500-aaaa", "digits-20261121-101500-aaaa/step-20"});
        QVERIFY2(restored.exitCode == 0, restored.report());
        QCOMPARE(atelier.run({"export", "digits", "--csv"}).output, before);
        QCOMPARE(folder.checkpointSteps(), std::vector<std::int64_t> {20});
        QVERIFY(listed().isEmpty());

        QCOMPARE(atelier.run({"rm", "digits", "faces", "--yes"}).exitCode, 0);
        const Outcome asked = atelier.run({"trash", "empty"});
        QVERIFY2(asked.exitCode == 2 && asked.errors.contains("--yes"), asked.report());
        const Outcome young = atelier.run({"trash", "empty", "--older-than", "1", "--yes"});
        QVERIFY2(young.exitCode == 0 && young.output.contains("Deleted 0 items"), young.report());
        QCOMPARE(listed().size(), 2);
        const Outcome one = atelier.run({"trash", "empty", "faces", "--yes"});
        QVERIFY2(one.exitCode == 0 && one.output.contains("Deleted 1 items"), one.report());
        QCOMPARE(listed(), QStringList({"digits-20261121-101500-aaaa"}));
        std::filesystem::rename(atelier.home().trash() / run, atelier.home().trash() / (".erased-" + run));  // as an interrupted deletion leaves it
        QCOMPARE(atelier.run({"trash", "empty", "--yes"}).exitCode, 0);
        QVERIFY(!std::filesystem::exists(atelier.home().trash() / (".erased-" + run)));
        QVERIFY(listed().isEmpty());
        const Outcome gone = atelier.run({"trash", "restore", "faces"});
        QVERIFY2(gone.exitCode == 1 && gone.errors.contains("\"faces\" is not in the trash"), gone.report());
    }

    void steeringARunThatIsOverSaysSo()
    {
        AtelierProgram atelier;
        atelier.addFinishedRun("digits-20261121-101500-aaaa", 1);
        for (const char* command : {"stop", "checkpoint", "sample"}) {
            const Outcome outcome = atelier.run({command, "latest"});
            QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("is not running: it is finished"),
                outcome.report());
        }
    }

    /// One that has ended does not keep the command from the others.
    void M16_severalRunsAreSteeredAtOnce()
    {
        AtelierProgram atelier;
        const auto over = atelier.addFinishedRun("over-20261121-101500-aaaa", 1);
        QStringList ids;
        for (int i = 0; i < 2; ++i) {
            ids << atelier.runWell({"run", "digits", "--detach", "--json", "--set", "run.total_steps=100000000"}).json()["run"].toString();
            QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(contract::RunFolder(atelier.home().runs() / ids.last().toStdString())).step > 0, 20'000);
        }
        const Outcome outcome = atelier.run({"stop", ids[0], QString::fromStdString(over.id()), ids[1], "--wait"});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("is not running: it is finished") && outcome.errors.count('\n') == 1, outcome.report());
        for (const QString& id : ids) {
            QVERIFY2(outcome.output.contains("Run " + id.toUtf8() + " is stopped.\n"), outcome.report());
            const QJsonObject shown = atelier.run({"show", id, "--json"}).json().object();
            QCOMPARE(shown["status"]["state"].toString(), QStringLiteral("stopped"));
            QVERIFY(shown["events"].toArray().size() > atelier.run({"show", id, "--json", "--events", "1"}).json()["events"].toArray().size());
        }
    }
};

QTEST_GUILESS_MAIN(RunCommandsTest)
#include "tst_run_commands.moc"
