// End to end: the real program, supervisor, ranks over Gloo, and database.
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal_parser.h"
#include "launcher/state/run_state.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>
#include <fstream>
#include <set>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kEndless;
using tests::kTimeoutMs;

namespace {

/// The smallest model that can be trained.
QStringList tiny(int steps)
{
    QStringList arguments = {"run", "digits", "--set", "run.total_steps=" + QString::number(steps)};
    for (const char* setting : {"model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4",
             "engine.compute_dtype=fp32", "sample.per_label=1", "sample.steps=2", "sample.judge=0",
             "sample.every=10", "checkpoint.every=10", "validation.every=0", "schedule.warmup_steps=0"})
        arguments << "--set" << setting;
    return arguments;
}

/// "metric,rank,attempt,step,t_ms,value" of every number in the step, metrics and host records of a journal.
std::multiset<QByteArray> journalledValues(const contract::RunFolder& folder, int rank)
{
    std::multiset<QByteArray> values;
    std::ifstream stream(folder.journal(rank), std::ios::binary);
    contract::JournalParser parser;
    int attempt = 0;
    for (std::string text; std::getline(stream, text);) {
        const contract::JournalLine& line = parser.parse(text);
        if (line.kind == contract::JournalLine::Kind::Header)
            attempt = line.header.attempt;
        if (line.type != contract::record::kStep && line.type != contract::record::kMetrics && line.type != contract::record::kHost)
            continue;
        for (const contract::JournalField& field : line.fields())
            values.insert(QByteArray::fromStdString(field.name + "," + std::to_string(rank) + ","
                + std::to_string(attempt) + "," + std::to_string(line.step) + ","
                + contract::shortestText(line.tMs) + "," + contract::shortestText(field.number)));
    }
    return values;
}

}  // namespace

class RealRanksTest : public QObject {
    Q_OBJECT

    static void useRealWorker(AtelierProgram& atelier)
    {
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
    }

private Q_SLOTS:
    void m08_runStopResumeAndExportAreOnePiece()
    {
        AtelierProgram atelier;
        useRealWorker(atelier);
        const auto process = atelier.start(tiny(kEndless));
        QTRY_COMPARE_WITH_TIMEOUT(atelier.runs().size(), 1, kTimeoutMs);
        const contract::RunFolder folder = atelier.onlyRun();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 12, kTimeoutMs);
        QVERIFY(process->state() == QProcess::Running);
        ::kill(static_cast<pid_t>(process->processId()), SIGINT);
        QVERIFY(process->waitForFinished(kTimeoutMs));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError());
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);

        const std::int64_t stopped = folder.checkpointSteps().back();
        const QString end = QString::number(stopped + 15);
        const Outcome resumed = atelier.run({"resume", "latest", "--set", "run.total_steps=" + end, "--json"});
        QVERIFY2(resumed.exitCode == 0, resumed.report());
        const QJsonObject document = resumed.json().object();
        QCOMPARE(document["outcome"].toString(), "finished");
        QCOMPARE(document["step"].toInteger(), stopped + 15);
        QVERIFY(QFile::exists(QString::fromStdString(folder.root().string()) + "/"
            + document["last_sample"].toString()));
        for (const char* metric : {"loss", "grad_norm", "images_per_s"})
            QVERIFY2(document["metrics"].toObject().contains(metric), metric);
        QCOMPARE(atelier.run({"checkpoints", "verify", "latest"}).exitCode, 0);
        const QTemporaryDir weights;
        const Outcome exportedWeights = atelier.run({"checkpoints", "export", "latest", "--to", weights.path(), "--weights", "ema", "--dtype", "bf16"});
        QVERIFY2(exportedWeights.exitCode == 0, exportedWeights.report());
        QVERIFY(QFile::exists(weights.filePath("model.safetensors")));
        // Defect 44: nothing is overwritten unless told. Defect 50: a run without an adapter has none to export.
        const QStringList again = {"checkpoints", "export", "latest", "--to", weights.path()};
        const Outcome kept = atelier.run(again);
        QVERIFY2(kept.exitCode == 1 && kept.errors.contains("exists and is not empty; choose a new folder, or use --overwrite"), kept.report());
        const Outcome replaced = atelier.run(again + QStringList {"--weights", "ema", "--dtype", "bf16", "--overwrite"});
        QVERIFY2(replaced.exitCode == 0 && replaced.output == exportedWeights.output, replaced.report());
        for (const char* format : {"peft", "kohya", "merged"}) {
            const Outcome none = atelier.run({"checkpoints", "export", "latest", "--to", weights.filePath("adapter"), "--format", format});
            QVERIFY2(none.exitCode == 2 && none.errors.contains("the run trained the whole model, without a LoRA adapter"), none.report());
        }
        // Stands for the folder of the model from which the training started, for the diffusers formats.
        QFile config(weights.filePath("config.json"));
        QVERIFY(config.open(QIODevice::WriteOnly) && config.write("{\"_class_name\": \"SomeTransformer2DModel\"}") > 0);
        config.close();
        const QString component = weights.filePath("transformer");
        const Outcome parted = atelier.run({"checkpoints", "export", "latest", "--to", component, "--format", "diffusers", "--model", weights.path(), "--max-file-size", "20KB"});
        QVERIFY2(parted.exitCode == 0 && parted.output.contains("diffusion_pytorch_model-00001-of-"), parted.report());
        QVERIFY(QFile::exists(component + "/config.json") && QFile::exists(component + "/diffusion_pytorch_model.safetensors.index.json"));
        const Outcome nameless = atelier.run({"checkpoints", "export", "latest", "--to", weights.path(), "--format", "diffusers"});
        QVERIFY2(nameless.exitCode == 2 && nameless.errors.contains("needs --model"), nameless.report());
        const Outcome missing = atelier.run({"checkpoints", "export", "latest", "--to", weights.path(), "--step", "1234567"});
        QVERIFY2(missing.exitCode == 1 && missing.errors.contains("step-1234567"), missing.report());

        std::multiset<QByteArray> expected = journalledValues(folder, 0);
        for (const int other : {1, contract::kHostRank})
            expected.merge(journalledValues(folder, other));
        std::multiset<QByteArray> exported;
        for (const QByteArray& line : atelier.run({"export", "latest", "--csv"}).output.trimmed().split('\n').mid(1))
            exported.insert(line.left(line.lastIndexOf(',')));
        QVERIFY(expected.size() > 100);
        QVERIFY(exported == expected);
    }

    void profilesTheStepsNamedOnTheCommandLine()
    {
        AtelierProgram atelier;
        useRealWorker(atelier);
        const Outcome wrong = atelier.run(tiny(3) << "--profile-steps" << "4..2");
        QCOMPARE(wrong.exitCode, 1);
        QVERIFY2(wrong.errors.contains("run.profile_steps = \"4..2\": must be a range of steps"), wrong.report());
        const Outcome outcome = atelier.run(tiny(3) << "--profile-steps" << "2..2");
        QVERIFY2(outcome.exitCode == 0, outcome.report());
        for (const char* file : {"/profile/steps-2-2-rank-0.json", "/profile/steps-2-2-rank-1.json"})
            QVERIFY2(QFile::exists(QString::fromStdString(atelier.onlyRun().root().string()) + file), file);
    }

    void samplesAndCheckpointsOnDemand()
    {
        AtelierProgram atelier;
        useRealWorker(atelier);
        QStringList arguments = tiny(kEndless);
        arguments << "--set" << "sample.every=0" << "--set" << "checkpoint.every=0" << "--detach";
        const Outcome started = atelier.run(arguments);
        QVERIFY2(started.exitCode == 0, started.report());
        const contract::RunFolder folder = atelier.onlyRun();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 2, kTimeoutMs);
        QVERIFY(folder.checkpointSteps().empty());
        QCOMPARE(atelier.run({"checkpoint", "latest"}).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        QCOMPARE(atelier.run({"sample", "latest"}).exitCode, 0);
        QTRY_COMPARE_WITH_TIMEOUT(
            atelier.run({"show", "latest", "--json"}).json()["samples"].toArray().size(), 10, kTimeoutMs);
        QCOMPARE(atelier.run({"stop", "latest", "--wait"}).exitCode, 0);
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
    }

    void aDamagedCheckpointIsNeverUsed_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<bool>("isVerified");
        QTest::newRow("defect-28: a weight of the newest checkpoint") << "rank-0.safetensors" << true;
        QTest::newRow("defect-28: a weight, found by the ranks that load it") << "rank-0.safetensors" << false;
        if (tests::isWhole())
            QTest::newRow("defect-28, defect-29: the newest manifest") << "manifest.json" << true;
    }
    void aDamagedCheckpointIsNeverUsed()
    {
        QFETCH(QString, file);
        QFETCH(bool, isVerified);
        AtelierProgram atelier;
        useRealWorker(atelier);
        const Outcome trained = atelier.run(tiny(20));
        QVERIFY2(trained.exitCode == 0, trained.report());
        const contract::RunFolder folder = atelier.onlyRun();
        QCOMPARE(folder.checkpointSteps(), (std::vector<std::int64_t> {10, 20}));
        const auto damaged = folder.checkpoint(20) / file.toStdString();
        std::streamoff place = 100;
        for (const auto& tensor : contract::readManifest(folder.checkpoint(20)).tensors) {
            if (tensor.name.starts_with("model/") && tensor.pieces.front().file == file.toStdString())
                place = static_cast<std::streamoff>(tensor.pieces.front().offset);
        }
        std::fstream stream(damaged, std::ios::binary | std::ios::in | std::ios::out);
        stream.seekg(place);
        const int byte = stream.get();
        stream.seekp(place);
        stream.put(static_cast<char>(byte ^ 1));
        stream.close();

        const auto refusal = [&](const QStringList& arguments) {
            const Outcome outcome = atelier.run(arguments);
            QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains(QByteArray::fromStdString(damaged.string())), outcome.report());
            QVERIFY2(outcome.errors.contains("damaged") && outcome.errors.trimmed().count('\n') == 0, outcome.report());
        };
        const QTemporaryDir weights;
        const QStringList resume = {"resume", "latest", "--set", "run.total_steps=25"};
        if (isVerified) {
            refusal({"checkpoints", "verify", "latest"});
            refusal({"checkpoints", "export", "latest", "--to", weights.path()});
        } else {
            const Outcome found = atelier.run(resume);
            QVERIFY2(found.exitCode == 1 && found.errors.contains(QByteArray::fromStdString(damaged.string()) + ": a checksum does not match"), found.report());
            QVERIFY2(found.output.contains("continues from step 10."), found.report());
        }
        QVERIFY2(atelier.run({"checkpoints", "latest"}).output.contains("damaged"), "the list says so");
        const std::size_t attempts = isVerified ? 1 : 2;
        refusal(resume + QStringList {"--from", "20"});
        QCOMPARE(folder.attempts().size(), attempts);
        const Outcome resumed = atelier.run(resume);
        const QByteArray said = "the checkpoint of step 20 is damaged, so the run goes on from step 10: ";
        QVERIFY2(resumed.exitCode == 0 && resumed.errors.startsWith("warning: " + said), resumed.report());
        QFile journal(QString::fromStdString(folder.journal(0).string()));
        QVERIFY(journal.open(QIODevice::ReadOnly) && journal.readAll().contains(said));
        QCOMPARE(launcher::inspectRun(folder).step, 25);
        const Outcome older = atelier.run({"checkpoints", "export", "latest", "--step", "10", "--to", weights.path()});
        QVERIFY2(older.exitCode == 0, older.report());
    }

    void dataThatCannotBeReadIsNamedByTheRank()
    {
        AtelierProgram atelier;
        useRealWorker(atelier);
        const QString data = atelier.writeFile("broken.csv.gz", "this is no gzip");
        const Outcome outcome = atelier.run(tiny(5) + QStringList {"--set", "data.path=" + data});
        QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("broken.csv.gz"), outcome.report());
    }

    void N5_theReportNamesTheRankThatWasKilled()
    {
        AtelierProgram atelier;
        useRealWorker(atelier);
        const Outcome started = atelier.run(tiny(kEndless) << "--set" << "sample.every=0" << "--set" << "checkpoint.every=0" << "--detach");
        QVERIFY2(started.exitCode == 0, started.report());
        const contract::RunFolder folder = atelier.onlyRun();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 2, kTimeoutMs);
        const Outcome early = atelier.run({"report", "latest"});
        QVERIFY2(early.exitCode == 1 && early.errors.contains("has not failed"), early.report());
        const auto process = tests::rankProcess(folder, 1);
        QVERIFY(process && ::kill(*process, SIGKILL) == 0);
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(folder).state, RunState::Failed, kTimeoutMs);

        const QJsonDocument page = atelier.runWell({"report", "latest", "--json"}).json();
        QCOMPARE(page["first_rank"].toInt(), 1);
        const QJsonObject killed = page["ranks"][1].toObject(), other = page["ranks"][0].toObject();
        QVERIFY2(killed["end"].toString().startsWith("Rank 1 was killed (signal 9"), qPrintable(killed["end"].toString()));
        QVERIFY(killed["step"].toInt() > 2);
        QVERIFY(killed["memory"][QLatin1String(contract::metric::kResident)].toDouble() > 1e6);
        // The other rank says what it waited in, unless it was stopped first.
        const QString end = other["end"].toString();
        QVERIFY2(other["ended_by_supervisor"].toBool() || end.contains("lost its peers"), qPrintable(end));
        QVERIFY(!page["last_lines"].toArray().isEmpty());
        const QByteArray text = atelier.runWell({"report", folder.id().c_str()}).output;
        QVERIFY2(text.contains("First: rank 1") && text.contains("Rank 0: step"), text);
    }
};

QTEST_GUILESS_MAIN(RealRanksTest)
#include "tst_real_ranks.moc"
