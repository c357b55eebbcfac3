// Changing a run that waits in the queue (E1): the real command, schedulers and supervisors over fake ranks.
#include "tests/app/atelier_program.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/scheduler/edit_queued.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>

using launcher::RunState;
using tests::AtelierProgram;
using tests::Outcome;
using tests::kTimeoutMs;

class QueueEditTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;

    contract::RunFolder folderOf(const QString& id) const { return contract::RunFolder(m_atelier->home().runs() / id.toStdString()); }
    RunState stateOf(const QString& id) const { return launcher::inspectRun(folderOf(id)).state; }
    contract::Experiment experimentOf(const QString& id) const { return contract::experimentOf(folderOf(id), 1); }

    QString add(int steps, const QStringList& options = {})
    {
        const QStringList words = {"queue", "add", "digits", "--json", "--set", "launch.ranks=2", "--set", QString("run.total_steps=%1").arg(steps)};
        return m_atelier->runWell(words + options).json().array().at(0)["run"].toString();
    }
    /// Queues a run that trains until it is stopped, and waits until it does.
    QString block()
    {
        const QString id = add(100'000'000);
        return QTest::qWaitFor([&] { return stateOf(id) == RunState::Running; }, kTimeoutMs) ? id : QString();
    }
    QJsonArray waiting() { return m_atelier->runWell({"queue", "--json"}).json()["waiting"].toArray(); }
    QStringList order()
    {
        QStringList ids;
        for (const QJsonValue& each : waiting())
            ids << each["run"].toString();
        return ids;
    }

private Q_SLOTS:
    void init() { m_atelier = std::make_unique<AtelierProgram>(); }
    void cleanup()
    {
        // Without a queue no run that ends starts another scheduler.
        std::filesystem::remove(m_atelier->home().state / "queue.json");
        if (const pid_t process = launcher::schedulerProcess(m_atelier->home()))
            ::kill(process, SIGKILL);
        m_atelier.reset();
    }

    void E1_aWaitingRunIsChangedInItsPlace()
    {
        const QString blocker = block();
        const QString first = add(50), second = add(60), third = add(70);
        QTRY_COMPARE_WITH_TIMEOUT(order(), (QStringList {first, second, third}), kTimeoutMs);
        m_atelier->runWell({"queue", "hold", second});
        m_atelier->runWell({"queue", "set", second, "--gpus", "3"});
        const std::int64_t since = folderOf(second).readStart(1).startUnixMs;
        const Outcome edited = m_atelier->runWell({"queue", "edit", second, "--set", "run.total_steps=7", "--set", "launch.ranks=1", "--name", "shorter"});
        QVERIFY2(edited.output.contains("run.total_steps: 60 → 7"), edited.report());
        QCOMPARE(order(), (QStringList {first, second, third}));
        QVERIFY(waiting().at(1)["held"].toBool());
        QCOMPARE(waiting().at(1)["gpus"].toInt(), 3);
        QCOMPARE(experimentOf(second).integer("run.total_steps"), 7);
        QCOMPARE(folderOf(second).readStart(1).startUnixMs, since);  // it has waited since then
        QVERIFY(m_atelier->runWell({"list", "--json"}).output.contains("\"shorter\""));

        // Another experiment as a whole; what a --set says then is on top.
        m_atelier->runWell({"queue", "edit", third, m_atelier->writeFile("other.toml", "[run]\nname = \"other\"\n[optim]\nlr = 0.5\n[data]\npath = \""
            ATELIER_SOURCE_DIR "/resources/digits.csv.gz\"\n"), "--set", "run.total_steps=8"});
        QCOMPARE(experimentOf(third).real("optim.lr"), 0.5);
        QCOMPARE(experimentOf(third).integer("run.total_steps"), 8);

        m_atelier->runWell({"queue", "set", second, "--gpus", "0"});
        m_atelier->runWell({"queue", "release", second});
        m_atelier->runWell({"stop", blocker, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(third), RunState::Finished, kTimeoutMs);
        QCOMPARE(launcher::inspectRun(folderOf(second)).step, 7);
        QVERIFY(std::filesystem::exists(folderOf(second).journal(0)) && !std::filesystem::exists(folderOf(second).journal(1)));
        QCOMPARE(launcher::inspectRun(folderOf(third)).step, 8);
    }

    void E1_whatCannotBeChangedIsOneSentence_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<QByteArray>("sentence");
        QTest::newRow("nothing to change") << QStringList {"WAITING"} << QByteArray("nothing to change: give --set KEY=VALUE");
        QTest::newRow("an unknown option") << QStringList {"WAITING", "--set", "optim.speed=3"} << QByteArray("optim.speed");
        QTest::newRow("a list") << QStringList {"WAITING", "--set", "optim.lr=0.1,0.2"} << QByteArray("must be a number");
        QTest::newRow("a file that is not there") << QStringList {"WAITING", "--set", "data.path=/nowhere.csv"} << QByteArray("/nowhere.csv");
        QTest::newRow("a run that has started") << QStringList {"STARTED", "--set", "optim.lr=0.5"} << QByteArray("has started, so its experiment stays as it is");
        QTest::newRow("no such run") << QStringList {"nobody", "--set", "optim.lr=0.5"} << QByteArray("nobody");
    }
    void E1_whatCannotBeChangedIsOneSentence()
    {
        QFETCH(QStringList, words);
        QFETCH(QByteArray, sentence);
        const QString blocker = block(), id = add(60);
        QTRY_COMPARE_WITH_TIMEOUT(order(), QStringList {id}, kTimeoutMs);
        words.replaceInStrings("WAITING", id).replaceInStrings("STARTED", blocker);
        const auto before = experimentOf(id), started = experimentOf(blocker);
        const Outcome outcome = m_atelier->run(QStringList {"queue", "edit"} + words);
        QVERIFY2(outcome.exitCode != 0 && outcome.errors.contains(sentence) && outcome.errors.count('\n') == 1, outcome.report());
        QVERIFY(experimentOf(id) == before && experimentOf(blocker) == started);
    }

    /// Two edits that began from the same experiment: the second one is refused.
    void E1_anEditDoesNotUndoAnother()
    {
        const QString blocker = block(), id = add(60);
        const auto before = experimentOf(id);
        auto after = before;
        after.setText("optim.lr", "0.5");
        m_atelier->runWell({"queue", "edit", id, "--set", "run.seed=9"});
        QVERIFY_EXCEPTION_THROWN(launcher::editQueued(m_atelier->home(), id.toStdString(), before, after), std::runtime_error);
        QCOMPARE(experimentOf(id).integer("run.seed"), 9);
        QVERIFY(experimentOf(id).real("optim.lr") != 0.5);
    }

    /// Runs are changed again and again, as fast as can be, while the scheduler starts them: each starts as the last change left it, and no
    /// edit stands in the way of a start.
    void E1_aRunStartsAsTheLastEditLeftIt()
    {
        m_atelier->setVariable("FAKE_STEP_MS", "1");
        const QString blocker = block();
        QStringList ids;
        for (int i = 0; i < 6; ++i)
            ids << add(3);
        QTRY_COMPARE_WITH_TIMEOUT(order(), ids, kTimeoutMs);
        m_atelier->runWell({"stop", blocker, "--wait"});
        for (const QString& id : ids) {
            contract::Experiment last = experimentOf(id);
            std::string refusal;
            for (int i = 0; refusal.empty(); ++i) {
                contract::Experiment next = last;
                next.setText("launch.ranks", i % 2 == 0 ? "1" : "2");
                next.setText("run.total_steps", std::to_string(3 + i % 5));
                try {
                    launcher::editQueued(m_atelier->home(), id.toStdString(), last, next);
                    last = next;
                } catch (const std::runtime_error& error) {
                    refusal = error.what();
                }
                QVERIFY(i < 1'000'000);
            }
            QVERIFY2(refusal.find("has started") != std::string::npos, refusal.c_str());
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), RunState::Finished, kTimeoutMs);
            QVERIFY(experimentOf(id) == last);
            QCOMPARE(launcher::inspectRun(folderOf(id)).step, last.integer("run.total_steps"));
            QCOMPARE(std::filesystem::exists(folderOf(id).journal(1)), last.integer("launch.ranks") == 2);
            QCOMPARE(folderOf(id).attempts(), std::vector<int> {1});
        }
    }

    /// A program that is killed between the two files of an attempt leaves the new experiment, and the run starts with its ranks.
    void E1_anEditThatWasKilledHalfWay()
    {
        const QString blocker = block(), id = add(5);
        QTRY_COMPARE_WITH_TIMEOUT(order(), QStringList {id}, kTimeoutMs);
        contract::Experiment next = experimentOf(id);
        next.setText("launch.ranks", "1");
        contract::writeFileAtomically(folderOf(id).config(1), next.toToml(contract::Experiment::Write::Everything));
        QCOMPARE(folderOf(id).readStart(1).ranks, 2);
        m_atelier->runWell({"stop", blocker, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), RunState::Finished, kTimeoutMs);
        QCOMPARE(folderOf(id).readStart(1).ranks, 1);
        QVERIFY(!std::filesystem::exists(folderOf(id).journal(1)));
    }
};

QTEST_GUILESS_MAIN(QueueEditTest)
#include "tst_queue_edit.moc"
