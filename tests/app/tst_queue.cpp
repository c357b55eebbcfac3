// The queue (E1): real schedulers, supervisors and, in place of the engine, fake ranks.
#include "tests/app/atelier_program.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/run/start_lock.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/state/run_state.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/paths.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>
#include <unistd.h>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;

namespace {

QByteArray experiment(const QByteArray& name, int steps) 
{
    return "[run]\nname = \"" + name + "\"\ntotal_steps = " + QByteArray::number(steps) + "\n[launch]\nranks = 2\n[data]\npath = \"" ATELIER_SOURCE_DIR
           "/resources/digits.csv.gz\"\n";
}

int linesWith(const std::filesystem::path& file, const QByteArray& part)
{
    QFile stream(QString::fromStdString(file.string()));
    return stream.open(QIODevice::ReadOnly) ? int(stream.readAll().count(part)) : 0;
}

}  // namespace

class QueueTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    contract::RunFolder folderOf(const QString& id) const { return contract::RunFolder(m_atelier->home().runs() / id.toStdString()); }
    RunState stateOf(const QString& id) const { return launcher::inspectRun(folderOf(id)).state; }

    /// Queues experiments of so many steps; returns their runs.
    QStringList add(const QList<int>& steps, const QStringList& options = {})
    {
        QStringList arguments = {"queue", "add", "--json"};
        for (int i = 0; i < steps.size(); ++i)
            arguments << m_atelier->writeFile(QString("run%1.toml").arg(i), experiment("run" + QByteArray::number(i), steps[i]));
        QStringList ids;
        for (const QJsonValue& each : m_atelier->runWell(arguments + options).json().array())
            ids << each["run"].toString();
        return ids;
    }

    QJsonObject list() { return m_atelier->runWell({"queue", "--json"}).json().object(); }
    QStringList waiting()
    {
        QStringList ids;
        for (const QJsonValue& each : list()["waiting"].toArray())
            ids << each["run"].toString();
        return ids;
    }
    QString reason(int place) { return list()["waiting"].toArray().at(place)["waits_for"].toString(); }
    pid_t scheduler() const { return launcher::schedulerProcess(m_atelier->home()); }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }
    void cleanup()
    {
        // Without a queue no run that ends starts another scheduler.
        std::filesystem::remove(m_atelier->home().state / "queue.json");
        if (const pid_t process = scheduler())
            ::kill(process, SIGKILL);
        m_atelier.reset();
    }

    void e01_runsStartOneAfterTheOtherAsTheyWereQueued()
    {
        const QStringList ids = add({30, 20, 10});
        // What the files say from now on does not matter.
        m_atelier->writeFile("run1.toml", experiment("run1", 1'000'000));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[2]), RunState::Finished, kTimeoutMs);
        for (const QString& id : ids)
            QCOMPARE(stateOf(id), RunState::Finished);
        QCOMPARE(launcher::inspectRun(folderOf(ids[1])).step, 20);
        for (int i = 1; i < 3; ++i) {  // each began after the one before it had ended
            const QString log = QString::fromStdString((m_atelier->home().state / "queue.log").string());
            QFile file(log);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray text = file.readAll();
            QVERIFY(text.indexOf(("run " + ids[i - 1] + " is finished").toUtf8()) < text.indexOf(("run " + ids[i] + " was started").toUtf8()));
        }
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isSchedulerAlive(m_atelier->home()), kTimeoutMs);
        QVERIFY(m_atelier->runWell({"queue"}).output.startsWith("The queue is empty"));
    }

    void N12_thePlanSaysWhenRunsStartAndEnd()
    {
        const QStringList former = add({200}, {"--name", "known"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(former[0]), RunState::Finished, kTimeoutMs);
        const QStringList ids = add({100'000'000, 1000, 10}, {"--name", "known"});
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folderOf(ids[0])).step > 5, kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), ids.mid(1), kTimeoutMs);
        m_atelier->runWell({"queue", "hold", ids[2]});
        const QJsonArray bars = m_atelier->runWell({"queue", "--plan", "--json"}).json().array();
        QCOMPARE(bars.size(), 3);
        QCOMPARE(bars[0]["run"].toString(), ids[0]);
        QCOMPARE(bars[0]["kind"].toString(), QString("active"));
        QVERIFY(bars[0]["start_seconds"].toDouble() < 0);
        QCOMPARE(bars[0]["basis"].toString(), QString("by its steps so far"));
        QCOMPARE(bars[1]["kind"].toString(), QString("waiting"));
        QCOMPARE(bars[1]["start_seconds"].toDouble(), bars[0]["end_seconds"].toDouble());
        QVERIFY2(bars[1]["basis"].toString().startsWith("as run known-"), qPrintable(bars[1]["basis"].toString()));
        const double duration = bars[1]["end_seconds"].toDouble() - bars[1]["start_seconds"].toDouble();
        QVERIFY2(duration >= 5 && duration < 100, qPrintable(QString::number(duration)));  // 1,000 steps of 5 ms, on a machine that may be busy
        QCOMPARE(bars[2]["kind"].toString(), QString("held"));
        const QByteArray text = m_atelier->runWell({"queue", "--plan"}).output;
        QVERIFY2(text.startsWith("RUN ") && text.contains("by its steps so far") && text.contains("held") && text.contains("===="), text);
    }

    void e01_theOrderIsTheUsers()
    {
        const QStringList ids = add({100'000'000, 10, 10, 10});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Running, kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), ids.mid(1), kTimeoutMs);
        QCOMPARE(reason(0), QString("the active run to end"));
        QCOMPARE(reason(1), QString("the run before it to start"));
        QCOMPARE(reason(2), QString("the 2 runs before it to start"));
        QCOMPARE(m_atelier->runWell({"list", "--json"}).json().array().at(0)["state"].toString(), QString("queued"));

        m_atelier->runWell({"queue", "move", ids[3]});
        QCOMPARE(waiting(), (QStringList {ids[3], ids[1], ids[2]}));
        m_atelier->runWell({"queue", "move", ids[3], "--to", "2"});
        QCOMPARE(waiting(), (QStringList {ids[1], ids[3], ids[2]}));
        // Several stand together from the place on, or at the end when fewer others come before.
        const Outcome moved = m_atelier->runWell({"queue", "move", ids[2], ids[1], "--to", "2"});
        QCOMPARE(waiting(), (QStringList {ids[3], ids[2], ids[1]}));
        QVERIFY2(moved.output.contains(ids[2].toUtf8() + " is at place 2.") && moved.output.contains(ids[1].toUtf8() + " is at place 3."), moved.report());
        const Outcome last = m_atelier->runWell({"queue", "move", ids[3], ids[2], "--to", "9"});
        QCOMPARE(waiting(), (QStringList {ids[1], ids[3], ids[2]}));
        QVERIFY2(last.output.contains(ids[3].toUtf8() + " is at place 2.") && last.output.contains(ids[2].toUtf8() + " is at place 3."), last.report());
        m_atelier->runWell({"queue", "hold", "run1", ids[2]});
        QCOMPARE(reason(0), QString("you: it is held"));
        const Outcome removed = m_atelier->runWell({"queue", "remove", ids[3]});
        QVERIFY2(removed.output.contains("it stays prepared"), removed.report());
        QCOMPARE(stateOf(ids[3]), RunState::Prepared);

        m_atelier->runWell({"stop", ids[0], "--wait"});
        m_atelier->runWell({"queue", "release", ids[2]});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[2]), RunState::Finished, kTimeoutMs);
        QCOMPARE(stateOf(ids[1]), RunState::Queued);
        QCOMPARE(waiting(), QStringList {ids[1]});
        const Outcome none = m_atelier->run({"queue", "hold", ids[3]});
        QVERIFY2(none.exitCode == 1 && none.errors.contains("does not wait in the queue"), none.report());
    }

    void M4_e01_theQueueWaitsForTheGpusThatWereChosen()
    {
        const FakeGpus gpus;
        m_atelier = std::make_unique<AtelierProgram>();  // inherits them
        gpus.set("", std::to_string(::getpid()) + ":1000000000");
        const QStringList ids = add({100'000'000}, {"--set", "launch.gpus=GPU-22", "--set", "launch.ranks=1"});
        QTRY_COMPARE_WITH_TIMEOUT(reason(0), QString("its GPU to be free"), kTimeoutMs);
        gpus.set("", "");
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Running, kTimeoutMs);
        QCOMPARE(list()["started"].toArray().at(0)["given_gpus"].toArray(), QJsonArray {FakeGpus::kSecond});
    }

    void M4_aDryRunSaysWhichGpusTheRanksWouldGet()
    {
        const FakeGpus gpus;
        m_atelier = std::make_unique<AtelierProgram>();
        gpus.set(std::to_string(::getpid()) + ":1000000000", "");
        const QStringList dryRun = {"run", "digits", "--dry-run", "--set", "launch.ranks=1", "--set"};
        Outcome shown = m_atelier->runWell(dryRun + QStringList {"launch.gpus=free"});
        QVERIFY2(shown.output.contains("Devices: free now: GPU 1 (NVIDIA H200)\n"), shown.report());
        shown = m_atelier->runWell(dryRun + QStringList {"launch.gpus=0"});
        QVERIFY2(shown.output.contains("Devices: GPU 0 is used by ") && shown.output.contains(" is slower [warning]\n"), shown.report());
        shown = m_atelier->run(dryRun + QStringList {"launch.gpus=2"});
        QVERIFY2(shown.exitCode == 1 && shown.output.contains("Devices: launch.gpus: this machine has no 2; choose other GPUs [error]\n"), shown.report());
        QVERIFY(m_atelier->runs().isEmpty());
    }

    void e01_startNowAndSeveralAtOnce()
    {
        const QStringList ids = add({100'000'000, 100'000'000, 100'000'000, 100'000'000});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Running, kTimeoutMs);
        m_atelier->runWell({"queue", "start", ids[2]});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[2]), RunState::Running, kTimeoutMs);
        QCOMPARE(stateOf(ids[1]), RunState::Queued);
        m_atelier->runWell({"queue", "start", "--at-once", "3"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[1]), RunState::Running, kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(reason(0), QString("one of 3 active runs to end"), kTimeoutMs);
        QCOMPARE(stateOf(ids[3]), RunState::Queued);
    }

    void e01_aFailedRun_data()
    {
        QTest::addColumn<QString>("onError");
        QTest::newRow("the next one starts") << "continue";
        QTest::newRow("all others are held") << "hold";
    }
    void e01_aFailedRun()
    {
        QFETCH(QString, onError);
        m_atelier->home().create();
        m_atelier->runWell({"queue", "start", "--on-error", onError});
        m_atelier->setVariable("FAKE_DO", "exit");
        m_atelier->setVariable("FAKE_STEP", "5");
        const QStringList ids = add({10, 4});  // the second one ends before the fake misbehaves
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Failed, kTimeoutMs);
        if (onError == "continue") {
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[1]), RunState::Finished, kTimeoutMs);
            return;
        }
        QTRY_COMPARE_WITH_TIMEOUT(list()["waiting"].toArray().at(0)["held"].toBool(), true, kTimeoutMs);
        QCOMPARE(stateOf(ids[1]), RunState::Queued);
    }

    /// The scheduler is killed again and again, wherever it happens to be; whoever edits the queue or ends a run starts another one.
    void e01_noRunStartsTwiceHoweverOftenTheSchedulerIsKilled()
    {
        const QStringList ids = add({3, 3, 3, 3, 3, 3});
        for (int kills = 0; !waiting().isEmpty(); ++kills) {
            QVERIFY(kills < 200);
            if (const pid_t process = scheduler()) {
                QTest::qSleep(kills * 37 % 400);  // any moment of a turn
                ::kill(process, SIGKILL);
            }
            m_atelier->runWell({"queue", "start"});
        }
        for (const QString& id : ids) {
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), RunState::Finished, kTimeoutMs);
            QCOMPARE(folderOf(id).attempts(), std::vector<int> {1});
            QCOMPARE(linesWith(folderOf(id).journal(0), "\"attempt\":1"), 1);
        }
    }

    void e01_anAttemptIsStartedOnce()
    {
        const QStringList ids = add({3});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Finished, kTimeoutMs);
        const Outcome again = m_atelier->run({"supervise", QString::fromStdString(folderOf(ids[0]).root().string())});
        QVERIFY2(again.exitCode == 1 && again.errors.contains("attempt 1 of run " + ids[0].toUtf8() + " has been started before"), again.report());
    }

    void e01_oneSchedulerThatOutlivesALogin()
    {
        add({100'000'000, 10});
        const pid_t process = scheduler();
        QVERIFY(process > 0);
        QCOMPARE(::getsid(process), ::getpgid(process));
        QVERIFY(::getsid(process) != ::getsid(0));
        const Outcome second = m_atelier->run({"schedule"});
        QVERIFY2(second.exitCode == 1 && second.errors.contains("the queue has a scheduler already"), second.report());
        QCOMPARE(scheduler(), process);
    }

    /// Between the choice of the scheduler and the start of the supervisor.
    void e01_aRunThatIsBeingStartedIsNotChanged()
    {
        const QStringList ids = add({100'000'000, 10});
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), ids.mid(1), kTimeoutMs);
        contract::StartLock lock;
        QCOMPARE(lock.take(folderOf(ids[1])), std::string());
        for (const QStringList& words : {QStringList {"hold"}, QStringList {"remove"}, QStringList {"move"}, QStringList {"set", "--gpus", "1"}}) {
            const Outcome outcome = m_atelier->run(QStringList {"queue"} + words + QStringList {ids[1]});
            QVERIFY2(outcome.exitCode == 1 && outcome.errors.contains("is being started; `atelier stop " + ids[1].toUtf8() + "` stops it"), outcome.report());
        }
        lock.release();
        m_atelier->runWell({"queue", "remove", ids[1]});
        QVERIFY(waiting().isEmpty());
    }

    void e01_aRunIsResumedFromTheQueue()
    {
        const QStringList ids = add({100'000'000});
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folderOf(ids[0])).step > 3, kTimeoutMs);
        m_atelier->runWell({"stop", ids[0], "--wait"});
        m_atelier->setVariable("FAKE_DO", "hang");  // of the run that is in the way
        const QStringList blocker = add({100'000'000});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(blocker[0]), RunState::Running, kTimeoutMs);
        QCOMPARE(m_atelier->runWell({"queue", "add", ids[0], ids[0], "--json"}).json().array().size(), 1);
        QCOMPARE(folderOf(ids[0]).attempts(), (std::vector<int> {1, 2}));
        const Outcome twice = m_atelier->run({"queue", "add", ids[0]});
        QVERIFY2(twice.exitCode == 1 && twice.errors.contains("waits in the queue already"), twice.report());
        // What is refused changes nothing of the run that waits.
        const Outcome resumed = m_atelier->run({"resume", ids[0], "--queue", "--set", "run.total_steps=160"});
        QVERIFY2(resumed.exitCode == 1 && resumed.errors.contains("waits in the queue already"), resumed.report());
        QCOMPARE(contract::experimentOf(folderOf(ids[0]), 2).integer("run.total_steps"), std::int64_t(100'000'000));
        m_atelier->runWell({"queue", "remove", ids[0]});
        QCOMPARE(stateOf(ids[0]), RunState::Stopped);  // as before
        m_atelier->runWell({"resume", ids[0], "--queue", "--set", "run.total_steps=100000001"});
        m_atelier->runWell({"stop", blocker[0], "--kill", "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(folderOf(ids[0])).totalSteps, std::int64_t(100'000'001), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(launcher::isActive(stateOf(ids[0])), kTimeoutMs);
    }

    void whatIsHeldIsNotResumedAndLeavesTheQueueWhenItWasStartedAllTheSame()
    {
        const QStringList ids = add({100'000'000, 10});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(ids[0]), RunState::Running, kTimeoutMs);
        m_atelier->runWell({"queue", "hold", ids[1]});
        m_atelier->runWell({"stop", ids[0], "--wait"});
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isSchedulerAlive(m_atelier->home()), kTimeoutMs);
        const Outcome refused = m_atelier->run({"resume", ids[1]});
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("waits in the queue; `atelier queue start` starts it now"), refused.report());
        QCOMPARE(stateOf(ids[1]), RunState::Queued);
        m_atelier->runWell({"supervise", QString::fromStdString(folderOf(ids[1]).root().string())});
        QCOMPARE(stateOf(ids[1]), RunState::Finished);
        QVERIFY2(waiting().isEmpty(), qPrintable(waiting().join(' ')));
    }

    /// E15: lists of values make a run for each combination; a text with a comma is one value.
    void e15_listedValuesMakeSeveralRuns()
    {
        m_atelier->home().create();
        m_atelier->setVariable("FAKE_DO", "hang");
        const Outcome outcome = m_atelier->runWell({"run", "digits", "--queue", "--json", "--set", "optim.lr=1e-4, 3e-4", "--set", "run.total_steps=5,6,7", "--set",
            "sample.prompts=a | b, c"});
        QStringList names;
        for (const QJsonValue& each : outcome.json().array()) {
            const auto chosen = contract::experimentOf(folderOf(each["run"].toString()), 1);
            names << QString::fromStdString(chosen.text("run.name"));
            QCOMPARE(chosen.text("sample.prompts"), std::string("a | b, c"));
            QVERIFY(names.last().endsWith(QString("total_steps=%1").arg(chosen.integer("run.total_steps"))));
        }
        QCOMPARE(names.size(), 6);
        QCOMPARE(names.front(), QString("digits lr=1e-4 total_steps=5"));
        QCOMPARE(names.back(), QString("digits lr=3e-4 total_steps=7"));
        const Outcome wrong = m_atelier->run({"queue", "add", "digits", "--set", "optim.lr=1e-4,fast"});
        QVERIFY2(wrong.exitCode == 1 && wrong.errors.contains("optim.lr"), wrong.report());
        QCOMPARE(m_atelier->runs().size(), 6);
    }

    void e01_theGpusThatARunWaitsForAreChanged()
    {
        m_atelier->runWell({"queue", "add", "digits", "--set", "run.total_steps=100000000"});
        m_atelier->runWell({"queue", "add", "digits", "--set", "run.total_steps=1"});
        QTRY_COMPARE_WITH_TIMEOUT(waiting().size(), 1, kTimeoutMs);
        const QString id = waiting().back();
        m_atelier->runWell({"queue", "set", id, "--gpus", "3"});
        QCOMPARE(m_atelier->run({"queue", "--json"}).json()["waiting"][0]["gpus"].toInt(), 3);
        const Outcome unknown = m_atelier->run({"queue", "set", "nothing", "--gpus", "3"});
        QVERIFY2(unknown.exitCode == 1 && unknown.errors.count('\n') == 1, unknown.report());
        QVERIFY(m_atelier->run({"queue", "set", id}).exitCode != 0);
    }

    void m15_aBadQueueIsOneSentence()
    {
        m_atelier->runWell({"queue", "add", "digits", "--set", "run.total_steps=100000000"});
        m_atelier->runWell({"queue", "add", "digits", "--set", "run.total_steps=1"});
        const std::string lost = waiting().back().toStdString();
        m_atelier->runWell({"rm", QString::fromStdString(lost), "--yes"});
        QTRY_VERIFY_WITH_TIMEOUT(waiting().isEmpty(), kTimeoutMs);  // a run in the trash waits for nothing
        QCOMPARE(stateOf(QString::fromStdString(lost)), RunState::Missing);

        QFile file(QString::fromStdString((m_atelier->home().state / "queue.json").string()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("{\"v\":1,") > 0);
        file.close();
        const Outcome damaged = m_atelier->run({"queue"});
        QVERIFY2(damaged.exitCode == 1 && damaged.errors.contains("cannot be parsed; move the file away") && damaged.errors.count('\n') == 1, damaged.report());
    }

    void m15_whatCannotBeStartedIsHeldWithTheReason()
    {
        m_atelier->setVariable("ATELIER_WORKER", "/nowhere/atelier-worker");
        const Outcome refused = m_atelier->run({"queue", "add", "digits"});
        QVERIFY2(refused.exitCode == 1 && refused.errors.contains("/nowhere/atelier-worker"), refused.report());
        QVERIFY(m_atelier->runs().isEmpty());
    }
};

QTEST_GUILESS_MAIN(QueueTest)
#include "tst_queue.moc"
