// SIGKILL to a real rank in every phase of a run: it is started again, and what it has trained at the end is what an unbroken run
// trains, byte by byte.
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"
#include "tests/paths.h"
#include "tests/support/whole_test.h"

#include "launcher/state/run_state.h"

#include <QDir>
#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QThread>
#include <QtTest>

#include <csignal>
#include <functional>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;

namespace {

constexpr int kRestartSteps = 60;

QStringList arguments(int restarts)
{
    QStringList arguments = {"run", "digits", "--set", "run.total_steps=" + QString::number(kRestartSteps), "--set", "launch.restarts=" + QString::number(restarts)};
    for (const char* setting : {"model.width=32", "model.depth=2", "model.heads=2", "batch.micro=16", "sample.per_label=2", "sample.steps=8",
             "sample.judge=0", "sample.every=20", "checkpoint.every=9", "validation.every=15", "run.deterministic=true", "run.threads=1", "launch.ranks=2"})
        arguments << "--set" << setting;
    return arguments;
}

/// The files of a checkpoint that hold tensors, by name.
QMap<QString, QByteArray> tensorsOf(const contract::RunFolder& run, std::int64_t step)
{
    const QDir folder(QString::fromStdString(run.checkpoint(step).string()));
    QMap<QString, QByteArray> files;
    for (const QString& name : folder.entryList({"*.safetensors"}))
        files[name] = tests::contentOf(folder.filePath(name));
    return files;
}

QByteArray journalOf(const contract::RunFolder& run, int rank) { return tests::contentOf(QString::fromStdString(run.journal(rank).string())); }

}  // namespace

class RestartTrainingTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;
    QMap<QString, QByteArray> m_unbroken;

    contract::RunFolder started(int restarts, const QStringList& more = {})
    {
        const Outcome outcome = m_atelier.runWell(arguments(restarts) << more << "--detach" << "--json");
        return contract::RunFolder(outcome.json()["folder"].toString().toStdString());
    }

    /// Kills @p rank as soon as @p isReached. Some phases take a few milliseconds.
    static bool killWhen(const contract::RunFolder& run, int rank, const std::function<bool()>& isReached)
    {
        QElapsedTimer timer;
        timer.start();
        while (!isReached()) {
            if (timer.elapsed() > kTimeoutMs)
                return false;
            QThread::usleep(500);
        }
        const auto process = tests::rankProcess(run, rank);
        return process && ::kill(*process, SIGKILL) == 0;
    }

    void checkEnd(const contract::RunFolder& run, std::size_t attempts)
    {
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(run).state, RunState::Finished, kTimeoutMs);
        QCOMPARE(run.attempts().size(), attempts);
        QVERIFY(tensorsOf(run, kRestartSteps) == m_unbroken);
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_atelier.setVariable("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        const contract::RunFolder run = started(0);
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(run).state, RunState::Finished, kTimeoutMs);
        m_unbroken = tensorsOf(run, kRestartSteps);
        QCOMPARE(m_unbroken.size(), 2);
    }

    void i19_aRankKilledInAnyPhaseChangesNothingOfWhatIsTrained_data()
    {
        QTest::addColumn<int>("rank");
        QTest::addColumn<QByteArray>("phase");  // in the rank's journal
        QTest::addColumn<int>("step");
        QTest::newRow("rank 1 trains") << 1 << QByteArray("\"step\":13,") << 13;
        QTest::newRow("rank 1 writes a checkpoint") << 1 << QByteArray("\"step\":18,") << 18;
        if (tests::isWhole()) {
            QTest::newRow("rank 1 builds the model") << 1 << QByteArray("builds the model") << 0;
            QTest::newRow("rank 1 waits for the others") << 1 << QByteArray("waits for the other ranks") << 0;
            QTest::newRow("rank 0 loads data") << 0 << QByteArray("loads data") << 0;
            QTest::newRow("rank 0 trains, without a checkpoint yet") << 0 << QByteArray("\"step\":3,") << 3;
            QTest::newRow("rank 0 validates") << 0 << QByteArray("\"step\":15,") << 15;
            QTest::newRow("rank 0 draws samples") << 0 << QByteArray("\"step\":20,") << 20;
        }
        QTest::newRow("rank 0 finishes") << 0 << QByteArray("\"finishes\"") << 60;
    }
    void i19_aRankKilledInAnyPhaseChangesNothingOfWhatIsTrained()
    {
        QFETCH(int, rank);
        QFETCH(QByteArray, phase);
        QFETCH(int, step);
        // A rank finishes in a millisecond, unless it has samples to draw.
        const bool isFinishing = phase == "\"finishes\"";
        const contract::RunFolder run = started(3, isFinishing ? QStringList {"--set", "sample.every=0", "--set", "sample.steps=200"} : QStringList());
        QVERIFY(killWhen(run, rank, [&] { return journalOf(run, rank).contains(phase); }));
        checkEnd(run, 2);
        QVERIFY(journalOf(run, -1).contains("; started again from "));
        const QJsonDocument shown = m_atelier.runWell({"show", QString::fromStdString(run.id()), "--json"}).json();
        QCOMPARE(shown["attempts"].toArray().size(), 2);
        // N2: what both attempts recorded has the same bits.
        for (const QJsonValue proof : shown["resume_proofs"].toArray()) {
            QVERIFY2(proof["identical"].toBool(), QJsonDocument(proof.toObject()).toJson());
            QVERIFY(proof["metrics"].toInt() >= 3);
        }
        QVERIFY(!shown["resume_proofs"].toArray().isEmpty() || step % 9 == 0 || step < 3 || step == kRestartSteps);
    }

    void i19_aCheckpointThatIsBeingWrittenIsNotBegunFrom()
    {
        // A busy machine may let a run write all its checkpoints while this process waits for a processor.
        bool isKilled = false;
        for (int tries = 0; tries < 5 && !isKilled; ++tries) {
            const contract::RunFolder run = started(3);
            const QDir checkpoints(QString::fromStdString(run.checkpoints().string()));
            const QString last = QStringLiteral("step-%1").arg(kRestartSteps);
            bool isWriting = false;
            isKilled = killWhen(run, 0, [&] {
                isWriting = !checkpoints.entryList({".unfinished-*"}, QDir::Dirs | QDir::Hidden).isEmpty();
                return isWriting || checkpoints.exists(last);
            }) && isWriting;
            QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(run).state, RunState::Finished, kTimeoutMs);
            if (!isKilled)
                continue;
            checkEnd(run, 2);
            QCOMPARE(m_atelier.run({"checkpoints", "verify", QString::fromStdString(run.id())}).exitCode, 0);
        }
        QVERIFY2(isKilled, "no checkpoint was seen while it was written");
    }

    void i19_atelierRunFollowsThroughARestart()
    {
        const QStringList before = m_atelier.runs();
        const auto process = m_atelier.start(arguments(3));
        QTRY_COMPARE_WITH_TIMEOUT(m_atelier.runs().size(), before.size() + 1, kTimeoutMs);
        QStringList now = m_atelier.runs();
        for (const QString& run : before)
            now.removeOne(run);
        const contract::RunFolder run(m_atelier.home().runs() / now.front().toStdString());
        QVERIFY(killWhen(run, 1, [&] { return !run.checkpointSteps().empty(); }));
        QVERIFY(process->waitForFinished(kTimeoutMs));
        const QByteArray output = process->readAllStandardOutput();
        QVERIFY2(process->exitCode() == 0, output + process->readAllStandardError());
        const QRegularExpression message(
            "warning: supervisor, step \\d+: Rank 1 was killed \\(signal 9\\) after step \\d+; started again from step \\d+, restart 1 of 3\n");
        QVERIFY2(message.match(QString::fromUtf8(output)).hasMatch(), output);
        QVERIFY2(output.contains("Finished after step 60"), output);
        QVERIFY2(!output.contains("error: "), output);
        checkEnd(run, 2);
    }
};

QTEST_GUILESS_MAIN(RestartTrainingTest)
#include "tst_restart_training.moc"
