// E9, E1: what goes wrong in the queue while nobody looks is told: by `atelier alerts`, in the queue's list and to a web address. Schedulers,
// supervisors and the server of the address are real; fake ranks stand for the engine.
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/webhook.h"
#include "tests/app/atelier_program.h"
#include "tests/launcher/fakes/fake_gpus.h"
#include "tests/paths.h"
#include "tests/support/notice_server.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using launcher::RunState;
using tests::AtelierProgram;
using tests::kEndless;
using tests::kTimeoutMs;

namespace fs = std::filesystem;

class QueueAlertsTest : public QObject {
    Q_OBJECT

    std::unique_ptr<AtelierProgram> m_atelier;
    std::unique_ptr<tests::NoticeServer> m_address;

    contract::RunFolder folderOf(const QString& id) const { return contract::RunFolder(m_atelier->home().runs() / id.toStdString()); }
    RunState stateOf(const QString& id) const { return launcher::inspectRun(folderOf(id)).state; }

    /// Queues a run; returns its id.
    QString add(const char* name, int steps, const QStringList& options = {})
    {
        const QStringList arguments = {"queue", "add", "digits", "--json", "--name", name, "--set", "launch.ranks=1", "--set", QStringLiteral("run.total_steps=%1").arg(steps)};
        return m_atelier->runWell(arguments + options).json().array().at(0)["run"].toString();
    }
    QJsonArray waiting() { return m_atelier->runWell({"queue", "--json"}).json()["waiting"].toArray(); }
    QJsonArray alerts(const QStringList& options = {}) { return m_atelier->runWell(QStringList {"alerts", "--json"} + options).json().array(); }
    /// Those of the queue: "second: not started".
    QStringList told()
    {
        QStringList all;
        for (const QJsonValue& alert : alerts()) {
            if (alert["alert"] == "not started" || alert["alert"] == "queue held")
                all << alert["name"].toString() + ": " + alert["alert"].toString();
        }
        return all;
    }
    QString heldFor(int place) { return waiting().at(place)["problem"].toString(); }
    const QJsonObject* notice(const QString& state) const
    {
        const auto found = std::ranges::find_if(m_address->documents, [&](const QJsonObject& each) { return each["state"] == state; });
        return found == m_address->documents.end() ? nullptr : &*found;
    }

private Q_SLOTS:
    void init()
    {
        m_atelier = std::make_unique<AtelierProgram>();
        m_address = std::make_unique<tests::NoticeServer>();
        m_atelier->home().create();
        launcher::setWebhook(m_atelier->home(), m_address->url());
    }
    void cleanup()
    {
        fs::remove(m_atelier->home().state / "queue.json");
        if (const pid_t process = launcher::schedulerProcess(m_atelier->home()))
            ::kill(process, SIGKILL);
        m_atelier.reset();
        m_address.reset();
    }

    void E9_E1_aRunWhoseFolderIsGoneIsToldAndStartsWhenItIsBack()
    {
        const QString first = add("first", kEndless), lost = add("lost", 5), last = add("last", 5);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first), RunState::Running, kTimeoutMs);
        m_atelier->runWell({"alerts", "--read"});
        const fs::path elsewhere = m_atelier->home().data / "elsewhere";
        fs::rename(folderOf(lost).root(), elsewhere);
        m_atelier->runWell({"stop", first, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(last), RunState::Finished, kTimeoutMs);  // the queue goes on
        QVERIFY2(heldFor(0).endsWith("is not there any more: moved, deleted, or on a disk that is not mounted"), qPrintable(heldFor(0)));
        QVERIFY(waiting().at(0)["held"].toBool());
        QCOMPARE(told(), QStringList {lost + ": not started"});  // nobody knows its name any more
        const QJsonObject alert = alerts({"--unread"}).last().toObject();
        QCOMPARE(alert["run"].toString(), lost);
        QCOMPARE(alert["details"].toString(), heldFor(0) + "; when that is mended, release the run in the queue (`atelier queue release " + lost + "`)");
        const QByteArray text = m_atelier->runWell({"alerts"}).output;
        QVERIFY2(text.contains("not started, unread") && text.contains("moved, deleted"), text.constData());
        QTRY_VERIFY_WITH_TIMEOUT(notice("not started"), kTimeoutMs);
        QCOMPARE((*notice("not started"))["run"].toString(), lost);
        QVERIFY((*notice("not started"))["text"].toString().startsWith(lost + " could not be started: " + heldFor(0)));
        m_atelier->runWell({"alerts", "--read"});
        QCOMPARE(alerts({"--unread"}), QJsonArray());
        QCOMPARE(told(), QStringList {lost + ": not started"});  // what was read stays in the list

        fs::rename(elsewhere, folderOf(lost).root());
        QCOMPARE(stateOf(lost), RunState::Queued);
        m_atelier->runWell({"queue", "release", lost});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(lost), RunState::Finished, kTimeoutMs);
        QCOMPARE(told(), QStringList {"lost: not started"});
        QCOMPARE(alerts({"--unread"}).at(0)["alert"].toString(), QString("finished"));
        QCOMPARE(m_address->states().count("not started"), 1);
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isSchedulerAlive(m_atelier->home()), kTimeoutMs);
    }

    void E9_E1_aRunThatTheUserHasRemovedIsNotTold()
    {
        const QString first = add("first", kEndless), trashed = add("trashed", 5), gone = add("gone", 5), last = add("last", 5);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first), RunState::Running, kTimeoutMs);
        m_atelier->runWell({"rm", trashed, "--yes"});
        QCOMPARE(stateOf(trashed), RunState::Missing);
        fs::remove_all(folderOf(gone).root());
        m_atelier->runWell({"stop", first, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(last), RunState::Finished, kTimeoutMs);
        QCOMPARE(told(), QStringList {gone + ": not started"});
        m_atelier->runWell({"queue", "remove", gone});
        QCOMPARE(told(), QStringList());  // nothing is left of it
        QCOMPARE(waiting(), QJsonArray());
    }

    /// Nothing was begun, so the run waits: it neither runs nor has failed.
    void E9_E1_aRunWhoseSupervisorCannotBeLaunchedIsTold()
    {
        const QString first = add("first", kEndless), refused = add("refused", 5);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first), RunState::Running, kTimeoutMs);
        fs::remove_all(folderOf(refused).root() / "logs");
        std::ofstream(folderOf(refused).root() / "logs") << "in the way";
        m_atelier->runWell({"stop", first, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(told(), QStringList {"refused: not started"}, kTimeoutMs);
        QCOMPARE(stateOf(refused), RunState::Queued);
        QTRY_VERIFY_WITH_TIMEOUT(notice("not started"), kTimeoutMs);
        const QString text = (*notice("not started"))["text"].toString();
        QVERIFY2(text.startsWith("refused could not be started: ") && text.contains("/logs"), qPrintable(text));
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isSchedulerAlive(m_atelier->home()), kTimeoutMs);  // and has not gone before the address knew
        fs::remove(folderOf(refused).root() / "logs");
        m_atelier->runWell({"queue", "start", refused});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(refused), RunState::Finished, kTimeoutMs);
    }

    /// The supervisor has begun the attempt, so it has failed, and its own journal says so.
    void E9_E1_aRunWhoseRanksCannotBeLaunchedHasFailed()
    {
        const QString worker = m_atelier->writeFile("worker", {});
        fs::remove(worker.toStdString());
        fs::copy_file(FAKE_WORKER, worker.toStdString());
        m_atelier->setVariable("ATELIER_WORKER", worker);
        m_atelier->runWell({"queue", "start", "--on-error", "hold"});
        const QString first = add("first", kEndless), refused = add("refused", 5), last = add("last", 5);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(first), RunState::Running, kTimeoutMs);
        fs::remove(worker.toStdString());
        m_atelier->runWell({"stop", first, "--wait"});
        QTRY_COMPARE_WITH_TIMEOUT(told(), QStringList {"refused: queue held"}, kTimeoutMs);
        QCOMPARE(stateOf(refused), RunState::Failed);
        QCOMPARE(stateOf(last), RunState::Queued);
        const QJsonArray all = alerts();
        QVERIFY(std::ranges::any_of(all, [&](const QJsonValue& each) { return each["run"] == refused && each["alert"] == "failed"; }));
        QTRY_VERIFY_WITH_TIMEOUT(notice("not started") && notice("queue held"), kTimeoutMs);
        QVERIFY((*notice("not started"))["cause"].toString().endsWith("; when that is mended, resume the run (`atelier resume " + refused + "`)"));
    }

    void E9_E1_aRunWhoseGpusAreNotThereAnyMoreIsTold()
    {
        const FakeGpus gpus;
        m_atelier = std::make_unique<AtelierProgram>();  // inherits them
        m_atelier->home().create();
        launcher::setWebhook(m_atelier->home(), m_address->url());
        const std::string ours = std::to_string(::getpid()) + ":1000000000";
        gpus.set(ours, ours);
        const QString chosen = add("chosen", 5, {"--set", "launch.gpus=GPU-22"}), two = add("two", 5, {"--gpus", "2"}), one = add("one", 5);
        QTRY_COMPARE_WITH_TIMEOUT(waiting().at(0)["waits_for"].toString(), QString("its GPU to be free"), kTimeoutMs);
        gpus.setLines(std::string(FakeGpus::kFirst) + "|NVIDIA H200|150000000000|149000000000|\n");  // the second one fell off the bus
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(one), RunState::Finished, kTimeoutMs);
        QCOMPARE(told(), QStringList({"two: not started", "chosen: not started"}));
        QCOMPARE(heldFor(0), QString("GPU-22bb, which launch.gpus names, is not among the GPUs that this machine can use now (`atelier doctor` shows them)"));
        QCOMPARE(heldFor(1), QString("it waits for 2 GPUs, and this machine can use 1 now (`atelier doctor` shows them)"));
        QCOMPARE(stateOf(chosen), RunState::Queued);
        QCOMPARE(stateOf(two), RunState::Queued);
        gpus.set("", "");
        m_atelier->runWell({"queue", "release", chosen, two});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(chosen), RunState::Finished, kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(two), RunState::Finished, kTimeoutMs);
    }

    void E9_E1_aQueueThatIsHeldBecauseOfAFailureIsTold()
    {
        m_atelier->runWell({"queue", "start", "--on-error", "hold"});
        m_atelier->setVariable("FAKE_DO", "exit");
        m_atelier->setVariable("FAKE_STEP", "5");
        m_atelier->setVariable("FAKE_AWAITS", m_atelier->path("all are queued"));
        const QString bad = add("bad", 10), next = add("next", 4), last = add("last", 4);
        m_atelier->writeFile("all are queued", {});
        QTRY_COMPARE_WITH_TIMEOUT(told(), QStringList {"bad: queue held"}, kTimeoutMs);
        const auto queueHeld = [&] {
            for (const QJsonValue& each : alerts()) {
                if (each["alert"] == "queue held")
                    return each.toObject();
            }
            return QJsonObject();
        };
        QCOMPARE(queueHeld()["run"].toString(), bad);
        const QString details = queueHeld()["details"].toString();
        const QString cause = QString::fromStdString(launcher::inspectRun(folderOf(bad)).cause);
        QVERIFY(!cause.isEmpty());
        QCOMPARE(details, "the run has failed: " + cause + "; the runs that wait are held until you release them in the queue (`atelier queue release`)");
        QCOMPARE(stateOf(next), RunState::Queued);
        QTRY_VERIFY_WITH_TIMEOUT(notice("queue held") && notice("failed"), kTimeoutMs);
        QVERIFY((*notice("queue held"))["text"].toString().startsWith("The queue is held after bad: the run has failed: "));
        m_atelier->runWell({"queue", "release", next, last});
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(last), RunState::Finished, kTimeoutMs);
        QCOMPARE(told(), QStringList {"bad: queue held"});  // once
    }

    /// A queue that nobody but the user holds, and one with nothing left to hold.
    void E9_E1_nothingIsToldWhereNothingIsHeld()
    {
        m_atelier->runWell({"queue", "start", "--on-error", "hold"});
        m_atelier->setVariable("FAKE_DO", "exit");
        m_atelier->setVariable("FAKE_STEP", "5");
        const QString bad = add("bad", 10);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(bad), RunState::Failed, kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isSchedulerAlive(m_atelier->home()), kTimeoutMs);
        QCOMPARE(told(), QStringList());
    }

    /// The file of an earlier version has no alerts, that of a later one may have others.
    void E9_alertsOfOtherVersions()
    {
        const auto file = m_atelier->home().state / "queue.json";
        std::ofstream(file) << R"({"v":1,"at_once":1,"stops_on_error":false,"waiting":[],"started":[]})";
        QVERIFY(launcher::readQueue(m_atelier->home()).alerts.empty());
        std::ofstream(file) << R"({"v":1,"at_once":1,"stops_on_error":false,"waiting":[],"started":[],"alerts":[)"
                               R"({"kind":"later","run":"a"},{"kind":"held","run":"b","attempt":2,"unix_ms":5,"message":"m"}]})";
        launcher::editQueue(m_atelier->home(), [](launcher::Queue& queue) {
            const launcher::QueueAlert held {.kind = launcher::QueueAlert::Kind::Held, .run = "b", .attempt = 2, .unixMs = 5, .message = "m"};
            QVERIFY(queue.alerts == std::vector {held});
            for (int i = 0; i < 150; ++i)
                launcher::addAlert(queue, {.run = "c", .attempt = i, .message = {}});
        });
        const auto kept = launcher::readQueue(m_atelier->home()).alerts;
        QCOMPARE(kept.size(), std::size_t(100));
        QCOMPARE(kept.back().attempt, 149);
        QVERIFY(m_atelier->runWell({"alerts"}).output.startsWith("Nothing has happened yet"));  // runs that were removed
        std::ofstream(file) << "{";
        const tests::Outcome damaged = m_atelier->runWell({"alerts"});
        QVERIFY2(damaged.errors.contains("cannot be parsed") && damaged.errors.count('\n') == 1, damaged.report());
    }
};

QTEST_GUILESS_MAIN(QueueAlertsTest)
#include "tst_queue_alerts.moc"
