// What a supervisor does for its run, rank 0 does where there is none: rules act (N7), and a web address is told how runs end (E9). The ranks and
// the server are real.
#include "tests/app/atelier_program.h"
#include "tests/app/rank_process.h"
#include "tests/paths.h"
#include "tests/support/notice_server.h"
#include "tests/support/whole_test.h"

#include "engine/contract/run/journal.h"
#include "engine/contract/run/notice.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/webhook.h"

#include <QJsonArray>
#include <QJsonObject>
#include <QtTest>

#include <algorithm>
#include <csignal>
#include <memory>
#include <vector>

using launcher::RunState;
using tests::AtelierProgram;
using tests::NoticeServer;
using tests::kTimeoutMs;
using tests::kWorker;

class UnsupervisedTest : public QObject {
    Q_OBJECT

    /// The folder of a run of the smallest model, with more settings.
    static contract::RunFolder prepare(AtelierProgram& atelier, const QStringList& settings)
    {
        QStringList arguments = {"prepare", "digits", "--json"};
        QStringList all = {"model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4", "engine.compute_dtype=fp32", "sample.per_label=1",
            "sample.steps=2", "sample.judge=0", "sample.every=0", "checkpoint.every=0", "validation.every=0", "schedule.warmup_steps=0", "run.threads=1",
            "launch.ranks=1", "run.name=lone"};
        for (const QString& each : all + settings)
            arguments << "--set" << each;
        return contract::RunFolder(atelier.runWell(arguments).json()["folder"].toString().toStdString());
    }

    /// Runs the ranks of @p folder, one, while the server answers. @return its exit code
    static int train(const AtelierProgram& atelier, const contract::RunFolder& folder)
    {
        QProcess worker;
        worker.setEnvironment(atelier.environment());
        worker.setProcessChannelMode(QProcess::ForwardedErrorChannel);
        worker.start(kWorker, {"--run", QString::fromStdString(folder.root().string())});
        return QTest::qWaitFor([&] { return worker.state() == QProcess::NotRunning; }, kTimeoutMs) ? worker.exitCode() : -1;
    }

    using Ranks = std::vector<std::unique_ptr<QProcess>>;

    /// Starts the ranks of @p folder, one for each of @p zones: each on a host of its own or all on one, as they see it.
    static Ranks start(const AtelierProgram& atelier, const contract::RunFolder& folder, bool areHosts, const QStringList& zones = {"UTC", "UTC"})
    {
        QTcpServer port;
        port.listen(QHostAddress::LocalHost);
        const QString master = QString::number(port.serverPort());
        port.close();
        Ranks ranks;
        const QString count = QString::number(zones.size());
        for (qsizetype i = 0; i < zones.size(); ++i) {
            const QString rank = QString::number(i);
            ranks.push_back(std::make_unique<QProcess>());
            ranks.back()->setEnvironment(atelier.environment() + QStringList {"RANK=" + rank, "WORLD_SIZE=" + count, "LOCAL_RANK=" + (areHosts ? "0" : rank),
                "LOCAL_WORLD_SIZE=" + (areHosts ? "1" : count), "MASTER_ADDR=127.0.0.1", "MASTER_PORT=" + master,
                "TZ=" + zones[i]});
            ranks.back()->setProcessChannelMode(QProcess::MergedChannels);
            ranks.back()->start(kWorker, {"--run", QString::fromStdString(folder.root().string())});
        }
        return ranks;
    }

    /// The messages of the events of @p kind that `atelier show` lists.
    static QStringList events(AtelierProgram& atelier, const contract::RunFolder& folder, const QString& kind)
    {
        QStringList messages;
        for (const QJsonValue& each : atelier.runWell({"show", QString::fromStdString(folder.id()), "--json"}).json()["events"].toArray()) {
            if (each["kind"].toString() == kind)
                messages << each["message"].toString();
        }
        return messages;
    }

private Q_SLOTS:
    void N7_rulesActWithoutASupervisor()
    {
        AtelierProgram atelier;
        NoticeServer server;
        launcher::setWebhook(atelier.home(), server.url());
        const auto folder = prepare(atelier,
            {"run.total_steps=100000000", "run.rules=loss > 0: notify, sample | grad_norm > 0 for 5 steps: checkpoint | loss > 0 for 20 steps: stop"});
        QCOMPARE(train(atelier, folder), 0);

        const launcher::RunStatus status = launcher::inspectRun(folder);
        QCOMPARE(int(status.state), int(RunState::Stopped));
        QVERIFY(!status.isSupervised);
        QVERIFY2(status.rule.starts_with("loss > 0 for 20 steps: stop (loss is "), status.rule.c_str());
        QCOMPARE(status.cause, "stopped by the rule " + status.rule);
        QVERIFY(status.ruleUnixMs > 0);
        QCOMPARE(status.step, 21);  // the command is read before the next step
        QCOMPARE(folder.checkpointSteps(), (std::vector<std::int64_t> {6, 21}));
        QVERIFY(!std::filesystem::is_empty(folder.samples()));

        QTRY_COMPARE(server.documents.size(), 2);
        // Both were waiting for the server, which takes them in any order.
        std::ranges::sort(server.documents, {}, [](const QJsonObject& document) { return document["state"].toString(); });
        QCOMPARE(server.states(), (QStringList {"rule", "stopped"}));
        QVERIFY(server.documents[0]["text"].toString().startsWith("lone: a rule has fired at step 1: loss > 0: notify, sample (loss is "));
        QCOMPARE(server.documents[1]["cause"].toString().toStdString(), status.cause);
        QVERIFY(!contract::takeUnreported(folder, 1));

        // The events are the same as those of a supervisor.
        QStringList rules;
        for (const QJsonValue& each : atelier.runWell({"show", QString::fromStdString(folder.id()), "--json"}).json()["events"].toArray()) {
            if (each["kind"].toString() == "rule") {
                rules << each["message"].toString().section(':', 0, 0);
                QCOMPARE(each["level"].toString(), "warning");
                QCOMPARE(each["rank"].toInt(), contract::kSupervisorRank);
            }
        }
        rules.sort();
        QCOMPARE(rules, (QStringList {"grad_norm > 0 for 5 steps", "loss > 0", "loss > 0 for 20 steps"}));
    }

    void E9_rankZeroTellsHowTheRunEnds_data()
    {
        QTest::addColumn<QStringList>("changes");
        QTest::addColumn<QStringList>("states");
        QTest::addColumn<bool>("isLeftToTell");
        const QString broken = "device = \"auto\"|device = \"cuda\"";
        QTest::newRow("E9 finished") << QStringList() << QStringList {"finished"} << false;
        QTest::newRow("E9 failed") << QStringList {broken} << QStringList {"failed"} << false;
        QTest::newRow("E9 Slurm may go on") << QStringList {broken, "target = \"local\"|target = \"slurm\"", "restarts = 0|restarts = 1"} << QStringList() << true;
    }
    void E9_rankZeroTellsHowTheRunEnds()
    {
        QFETCH(QStringList, changes);
        QFETCH(QStringList, states);
        AtelierProgram atelier;
        NoticeServer server;
        launcher::setWebhook(atelier.home(), server.url());
        const auto folder = prepare(atelier, {"run.total_steps=3"});
        // As if the experiment were for another machine.
        QByteArray config = tests::contentOf(QString::fromStdString(folder.config(1).string()));
        for (const QString& change : changes) {
            QVERIFY2(config.contains(change.section('|', 0, 0).toUtf8()), config);
            config.replace(change.section('|', 0, 0).toUtf8(), change.section('|', 1).toUtf8());
        }
        QFile file(QString::fromStdString(folder.config(1).string()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(config) == config.size());
        file.close();
        QCOMPARE(train(atelier, folder) != 0, !changes.isEmpty());
        QCOMPARE(server.states(), states);
        if (!states.isEmpty())
            QCOMPARE(server.documents[0]["name"].toString(), "lone");
        QTEST(contract::takeUnreported(folder, 1), "isLeftToTell");
    }

    /// Two hosts of one rank each, as the ranks see it.
    void aSequenceThatLeavesItsHostIsSaid()
    {
        AtelierProgram atelier;
        const auto folder = prepare(atelier, {"run.total_steps=2", "launch.ranks=2", "engine.ulysses=2"});
        const auto ranks = start(atelier, folder, true);
        for (const auto& rank : ranks) {
            QVERIFY(rank->waitForFinished(kTimeoutMs));
            const QByteArray output = rank->readAll();
            QVERIFY2(rank->exitCode() == 0, output);
        }
        const QByteArray log = tests::contentOf(QString::fromStdString(folder.log(0).string()));
        QVERIFY2(log.contains("[warning] [rank 0] [step 0] engine.ulysses = 2: a host has 1 rank"), log);
    }

    void M13_logsOfHostsInSeveralTimeZonesAreInOrder()
    {
        AtelierProgram atelier;
        const auto folder = prepare(atelier, {"run.total_steps=3", "launch.ranks=2"});
        const Ranks ranks = start(atelier, folder, true, {"JST-9", "NST3:30"});  // as POSIX has it: nine hours ahead, three and a half behind
        for (const auto& rank : ranks)
            QVERIFY(rank->waitForFinished(kTimeoutMs) && rank->exitCode() == 0);
        QVERIFY(tests::contentOf(QString::fromStdString(folder.log(0).string())).contains("+09:00 [info] [rank 0]"));
        QVERIFY(tests::contentOf(QString::fromStdString(folder.log(1).string())).contains("-03:30 [info] [rank 1]"));
        QStringList times;
        for (const QByteArray& line : tests::linesOf(atelier.runWell({"logs", QString::fromStdString(folder.id())}).output))
            times << QString::fromUtf8(line.left(23));
        QVERIFY(std::ranges::is_sorted(times));
        const auto at = [](const QString& time) { return QDateTime::fromString(time, "yyyy-MM-dd HH:mm:ss.zzz"); };
        QVERIFY2(std::abs(at(times.first()).secsTo(QDateTime::currentDateTime())) < 120, qPrintable(times.first()));
        QVERIFY(at(times.first()).msecsTo(at(times.last())) < kTimeoutMs);
    }

    /// A rank stands still, and rank 0 waits for it in a collective operation.
    void E9_rankZeroTellsThatTheRunHangs_data()
    {
        QTest::addColumn<bool>("areHosts");
        QTest::newRow("E9 shared memory") << false;
        if (tests::isWhole())
            QTest::newRow("E9 Gloo") << true;
    }
    void E9_rankZeroTellsThatTheRunHangs()
    {
        QFETCH(bool, areHosts);
        AtelierProgram atelier;
        NoticeServer server;
        launcher::setWebhook(atelier.home(), server.url());
        const auto folder = prepare(atelier, {"run.total_steps=100000000", "launch.ranks=2", "launch.stall_after=5"});
        const Ranks ranks = start(atelier, folder, areHosts);
        const auto state = [&] { return launcher::inspectRun(folder).state; };
        for (qsizetype hang = 1; hang <= 2; ++hang) {
            QTRY_COMPARE_WITH_TIMEOUT(int(state()), int(RunState::Running), kTimeoutMs);
            const auto stopped = static_cast<pid_t>(ranks[1]->processId());
            QCOMPARE(::kill(stopped, SIGSTOP), 0);
            QTRY_COMPARE_WITH_TIMEOUT(server.documents.size(), hang, kTimeoutMs);
            const QJsonObject notice = server.documents.last();
            QCOMPARE(notice["state"].toString(), "stalled");
            QCOMPARE(notice["run"].toString().toStdString(), folder.id());
            QVERIFY2(notice["text"].toString().startsWith("lone hangs at step " + QString::number(notice["step"].toInt()) + ": No rank has written a record for "),
                qPrintable(notice["text"].toString()));
            // What is shown agrees at once.
            const launcher::RunStatus status = launcher::inspectRun(folder);
            QCOMPARE(int(status.state), int(RunState::Stalled));
            QVERIFY2(status.cause.starts_with("No rank has written a record for "), status.cause.c_str());
            QCOMPARE(notice["step"].toInteger(), status.step);
            QCOMPARE(atelier.runWell({"list", "--json"}).json().array().first().toObject()["state"].toString(), "stalled");
            QCOMPARE(::kill(stopped, SIGCONT), 0);
            QTRY_COMPARE_WITH_TIMEOUT(int(events(atelier, folder, "recovered").size()), int(hang), kTimeoutMs);
        }
        QTRY_COMPARE_WITH_TIMEOUT(int(state()), int(RunState::Running), kTimeoutMs);
        QCOMPARE(events(atelier, folder, "stalled").size(), 2);
        for (const auto& rank : ranks)
            ::kill(static_cast<pid_t>(rank->processId()), SIGTERM);
        for (const auto& rank : ranks) {
            QVERIFY(QTest::qWaitFor([&] { return rank->state() == QProcess::NotRunning; }, kTimeoutMs));
            QVERIFY2(rank->exitCode() == 0, rank->readAll());
        }
        QCOMPARE(int(state()), int(RunState::Stopped));
        QCOMPARE(server.states(), (QStringList {"stalled", "stalled"}));  // one for each hang
    }

    /// All of rank 0's process stands still, or those of the first two, so another tells.
    void E9_aDeputyTellsThatRankZeroHangs_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::newRow("E9 rank 1") << 2;
        if (tests::isWhole())
            QTest::newRow("E9 last rank") << 4;
    }
    void E9_aDeputyTellsThatRankZeroHangs()
    {
        QFETCH(int, ranks);
        const int still = ranks / 2;
        AtelierProgram atelier;
        NoticeServer server;
        launcher::setWebhook(atelier.home(), server.url());
        const auto folder = prepare(atelier, {"run.total_steps=100000000", "launch.ranks=" + QString::number(ranks), "launch.stall_after=5"});
        const Ranks processes = start(atelier, folder, false, QStringList(ranks, "UTC"));
        for (qsizetype hang = 1; hang <= 2; ++hang) {
            QTRY_COMPARE_WITH_TIMEOUT(int(launcher::inspectRun(folder).state), int(RunState::Running), kTimeoutMs);
            const auto signalFirst = [&](int number) {
                for (int rank = 0; rank < still; ++rank)
                    ::kill(static_cast<pid_t>(processes[rank]->processId()), number);
            };
            signalFirst(SIGSTOP);
            QTRY_COMPARE_WITH_TIMEOUT(server.documents.size(), hang, kTimeoutMs);
            QCOMPARE(server.documents.last()["state"].toString(), "stalled");
            QVERIFY(server.documents.last()["step"].toInteger() > 0);
            QCOMPARE(int(launcher::inspectRun(folder).state), int(RunState::Stalled));
            signalFirst(SIGCONT);
            QTRY_COMPARE_WITH_TIMEOUT(int(events(atelier, folder, "recovered").size()), int(hang), kTimeoutMs);
        }
        QCOMPARE(events(atelier, folder, "stalled").size(), 2);  // the first ones, awake again, do not say it once more
        for (const auto& rank : processes)
            ::kill(static_cast<pid_t>(rank->processId()), SIGTERM);
        for (const auto& rank : processes) {
            QVERIFY(QTest::qWaitFor([&] { return rank->state() == QProcess::NotRunning; }, kTimeoutMs));
            QVERIFY2(rank->exitCode() == 0, rank->readAll());
        }
        QCOMPARE(int(launcher::inspectRun(folder).state), int(RunState::Stopped));
        QCOMPARE(server.states(), (QStringList {"stalled", "stalled"}));
    }

    /// The window may reach the address where the rank cannot.
    void E9_whatTheAddressDidNotTakeIsLeftToTell()
    {
        AtelierProgram atelier;
        NoticeServer server("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
        launcher::setWebhook(atelier.home(), server.url());
        const auto folder = prepare(atelier, {"run.total_steps=3"});
        QCOMPARE(train(atelier, folder), 0);
        QCOMPARE(server.states(), QStringList {"finished"});
        QVERIFY(contract::takeUnreported(folder, 1));
        QVERIFY(!contract::takeUnreported(folder, 1));
    }
};

QTEST_GUILESS_MAIN(UnsupervisedTest)
#include "tst_unsupervised.moc"
