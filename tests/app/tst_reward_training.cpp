// Training by a reward as a user starts it: the model to begin from is made once, and the end says what was gained.
#include "tests/app/atelier_program.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include "launcher/state/run_state.h"

#include <QDir>
#include <QDirIterator>
#include <QJsonObject>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QtTest>

using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;

namespace {

/// A small model, and rounds of few samples.
QStringList rewarded(const QStringList& more = {})
{
    QStringList arguments = {"run", "digits-flow-grpo"};
    for (const char* setting : {"run.total_steps=4", "model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4",
             "engine.compute_dtype=fp32", "rollout.prompts=4", "rollout.samples_per_prompt=4", "rollout.steps=4", "rollout.window_end=3",
             "rollout.window_size=2", "sample.per_label=1", "sample.steps=2", "sample.judge=20", "sample.every=0"})
        arguments << "--set" << setting;
    return arguments + more;
}

/// The journal of the first rank of @p run.
QByteArray rankJournal(const contract::RunFolder& run)
{
    QFile journal(QString::fromStdString(run.journal(0).string()));
    return journal.open(QIODevice::ReadOnly) ? journal.readAll() : QByteArray();
}

}  // namespace

class RewardTrainingTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void theBaseIsTrainedOnce()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        const Outcome first = atelier.runWell(rewarded());
        QVERIFY(rankJournal(atelier.onlyRun()).contains("trains the base model, step 0 of 800"));
        QVERIFY2(first.output.contains("; their mean reward is ") && first.output.contains(", before training it was "), first.report());

        const QByteArray log = tests::contentOf(atelier.onlyRun().log(0));
        static const QRegularExpression verdict("recognises the requested label in \\d+\\.\\d % of 20 samples");
        QVERIFY2(verdict.match(QString::fromUtf8(log)).hasMatch(), log.constData());

        const Outcome second = atelier.runWell(rewarded({"--json"}));
        const QJsonObject result = second.json().object();
        QByteArray journal = rankJournal(contract::RunFolder(result["folder"].toString().toStdString()));
        QVERIFY2(!journal.isEmpty() && !journal.contains("trains the base model") && !journal.contains("trains the classifier"), journal);
        const QJsonObject metrics = result["metrics"].toObject();
        for (const char* name : {"critic/rewards/mean", "actor/ratio_mean", "judge/reward", "judge/base_reward"})
            QVERIFY2(metrics.contains(name), name);
        const QDir cache(QString::fromStdString((atelier.home().runs().parent_path() / "cache").string()));
        QCOMPARE(cache.entryList({"digits-base-*"}, QDir::Dirs).size(), 1);

        // Whatever became of what is kept, a run does what it would do without.
        for (QDirIterator file(cache.filePath("digit-judges"), QDir::Files, QDirIterator::Subdirectories); file.hasNext();) {
            QFile damaged(file.next());
            QVERIFY(damaged.open(QIODevice::WriteOnly) && damaged.write("no classifier") > 0);
        }
        const Outcome third = atelier.runWell(rewarded({"--json"}));
        for (const char* name : {"critic/rewards/mean", "judge/reward", "judge/base_reward"})
            QCOMPARE(third.json()["metrics"][name].toDouble(), metrics[name].toDouble());
        journal = rankJournal(contract::RunFolder(third.json()["folder"].toString().toStdString()));
        QVERIFY2(journal.contains("trains the classifier"), journal);
    }

    void emojiHaveABaseToo_data() { tests::onlyInTheWholeTest(); }
    void emojiHaveABaseToo()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        QStringList arguments = {"run", "emoji-flow-grpo", "--json"};
        for (const char* setting : {"run.total_steps=2", "model.width=16", "model.depth=1", "model.heads=2", "data.resolution=16", "batch.micro=4",
                 "rollout.prompts=4", "rollout.samples_per_prompt=4", "rollout.steps=4", "rollout.window_end=3", "rollout.window_size=2",
                 "sample.steps=2", "sample.every=0", "validation.every=0", "checkpoint.every=0"})
            arguments << "--set" << setting;
        const Outcome outcome = atelier.runWell(arguments);
        QVERIFY2(outcome.json()["metrics"].toObject().contains("actor/ratio_mean"), outcome.report());
        QVERIFY(rankJournal(atelier.onlyRun()).contains("trains the base model, step 0 of 1200"));
        const QDir cache(QString::fromStdString((atelier.home().runs().parent_path() / "cache").string()));
        QCOMPARE(cache.entryList({"emoji-base-*"}, QDir::Dirs).size(), 1);
    }

    void aStopActsWhileTheBaseIsTrained()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        atelier.runWell(rewarded({"--set", "model.width=256", "--set", "model.depth=12", "--detach"}));  // minutes of training
        const contract::RunFolder folder = atelier.onlyRun();
        QTRY_VERIFY_WITH_TIMEOUT(rankJournal(folder).contains("trains the base model"), kTimeoutMs);
        atelier.runWell({"stop", "latest", "--wait"});
        const auto seen = launcher::inspectRun(folder);
        QCOMPARE(seen.state, launcher::RunState::Stopped);
        QVERIFY2(atelier.runWell({"show", "latest"}).output.contains("stopped before the base model was trained"), seen.cause.c_str());
        const QDir cache(QString::fromStdString((atelier.home().runs().parent_path() / "cache").string()));
        QVERIFY(cache.entryList({"digits-base-*"}, QDir::Dirs).isEmpty());
    }

    /// A stop does not wait for a reward program that thinks for an hour: neither when drawing waits for it, nor at the round's end.
    void aStopDoesNotWaitForScores_data()
    {
        QTest::addColumn<int>("prompts");
        QTest::newRow("at the round's end") << 2;
        QTest::newRow("while samples are drawn") << 12;
    }
    void aStopDoesNotWaitForScores()
    {
        QFETCH(int, prompts);
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        const QTemporaryDir folder;
        const QString asked = folder.filePath("asked");
        const auto write = [&](const char* name, const QByteArray& content) {
            QFile file(folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        };
        QVERIFY(write("prompts.txt", "a fox\na hen\n") && write("score.sh", "#!/bin/sh\nread -r request\ntouch '" + asked.toUtf8() + "'\nsleep 3600\n"));
        QStringList arguments = {"run", atelier.writeFile("slow.toml", "[run]\nname = \"slow\"\n"), "--detach"};
        for (const QString& setting : {QStringLiteral("algorithm.name=flow_grpo"), QStringLiteral("model.name=diffusers"),
                 QStringLiteral("model.folder=" ATELIER_SOURCE_DIR "/tests/goldens/models/pipeline_sd3/pipeline"), QStringLiteral("data.resolution=32"),
                 QStringLiteral("run.device=cpu"), QStringLiteral("launch.ranks=2"), QStringLiteral("batch.micro=2"), QStringLiteral("policy.mini_batches=1"),
                 "rollout.prompts=" + QString::number(prompts), QStringLiteral("rollout.samples_per_prompt=2"), QStringLiteral("rollout.steps=4"),
                 QStringLiteral("rollout.window_end=3"), QStringLiteral("rollout.window_size=2"), QStringLiteral("lora.rank=2"), QStringLiteral("sample.every=0"),
                 QStringLiteral("run.total_steps=2"), "rollout.prompt_file=" + folder.filePath("prompts.txt"),
                 "reward.functions=program:" + folder.filePath("score.sh") + ":1", QStringLiteral("reward.timeout=3600")})
            arguments << "--set" << setting;
        atelier.runWell(arguments);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(asked), kTimeoutMs);
        atelier.runWell({"stop", "latest", "--wait"});
        const auto seen = launcher::inspectRun(atelier.onlyRun());
        QVERIFY2(seen.state == launcher::RunState::Stopped, seen.cause.c_str());
    }

    /// A round of thousands of updates: what acts, acts within it. Later runs do not draw its samples again.
    void stopCheckpointAndResumeActWithinARound_E133()
    {
        AtelierProgram atelier;
        atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        atelier.runWell(rewarded({"--set", "policy.epochs=1000", "--set", "policy.mini_batches=2", "--set", "run.total_steps=1000000", "--set", "checkpoint.every=0",
            "--set", "sample.judge=0", "--detach"}));
        const contract::RunFolder folder = atelier.onlyRun();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > 2, kTimeoutMs);
        atelier.runWell({"checkpoint", "latest"});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t {1}, kTimeoutMs);
        atelier.runWell({"stop", "latest", "--wait"});
        QCOMPARE(launcher::inspectRun(folder).state, launcher::RunState::Stopped);
        const std::int64_t stopped = folder.checkpointSteps().back();
        QVERIFY2(stopped < 2000, QByteArray::number(stopped));
        QVERIFY(QFile::exists(QString::fromStdString((folder.checkpoint(stopped) / "data-1.safetensors").string())));
        atelier.runWell({"checkpoints", "verify", "latest"});

        const Outcome resumed = atelier.runWell({"resume", "latest", "--set", "run.total_steps=" + QString::number(stopped + 3), "--json"});
        QCOMPARE(resumed.json()["step"].toInteger(), stopped + 3);
        QCOMPARE(rankJournal(folder).count("draws and scores samples"), 1);
        const QTemporaryDir weights;
        atelier.runWell({"checkpoints", "export", "latest", "--to", weights.path()});
        QVERIFY(QFile::exists(weights.filePath("model.safetensors")));
    }

    void whatCannotTrainByARewardIsRefusedBeforeARunExists_A112()
    {
        AtelierProgram atelier;
        const Outcome uneven = atelier.run(rewarded({"--set", "batch.micro=3"}));
        QVERIFY2(uneven.exitCode != 0 && uneven.errors.contains("= 16 is not a multiple of batch.micro = 3 times the 2 data-parallel ranks"),
            uneven.report());
        QVERIFY(atelier.runs().isEmpty());
    }
};

QTEST_GUILESS_MAIN(RewardTrainingTest)
#include "tst_reward_training.moc"
