// Ranks on two hosts with a network of their own, followed and stopped from a third one: this machine.
#include "tests/app/atelier_program.h"
#include "tests/app/network_hosts.h"
#include "tests/app/torch_python.h"
#include "tests/paths.h"

#include "engine/contract/run/journal_parser.h"
#include "launcher/state/run_state.h"

#include <QJsonObject>
#include <QtTest>

#include <fstream>
#include <memory>
#include <optional>

using launcher::RunState;
using tests::AtelierProgram;
using tests::NetworkHosts;
using tests::contentOf;
using tests::kTimeoutMs;
using tests::kWorker;

namespace {

std::string hostOf(const contract::RunFolder& folder, int rank)
{
    std::ifstream journal(folder.journal(rank));
    std::string line;
    std::getline(journal, line);
    contract::JournalParser parser;
    return parser.parse(line).header.host;
}

}  // namespace

class HostsTest : public QObject {
    Q_OBJECT

    AtelierProgram m_atelier;
    std::optional<NetworkHosts> m_hosts;
    std::vector<std::unique_ptr<QProcess>> m_started;
    QString m_python;
    int m_port = 0;

    contract::RunFolder prepare()
    {
        QStringList arguments = {"prepare", "digits", "--json"};
        for (const char* setting : {"run.total_steps=100000000", "model.width=16", "model.depth=1", "model.heads=2", "batch.micro=4",
                 "engine.compute_dtype=fp32", "sample.per_label=1", "sample.steps=2", "sample.judge=0", "sample.every=0", "checkpoint.every=0",
                 "validation.every=0", "schedule.warmup_steps=0", "run.threads=1", "launch.ranks=4", "launch.timeout=60", "launch.stall_after=5"})
            arguments << "--set" << setting;
        return contract::RunFolder(m_atelier.runWell(arguments).json()["folder"].toString().toStdString());
    }

    void start(NetworkHosts::Host host, const QStringList& command, const QMap<QString, QString>& variables = {})
    {
        m_started.push_back(std::make_unique<QProcess>());
        QProcess& process = *m_started.back();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (auto each = variables.begin(); each != variables.end(); ++each)
            environment.insert(each.key(), each.value());
        process.setProcessEnvironment(environment);
        process.setProcessChannelMode(QProcess::MergedChannels);
        const QStringList line = m_hosts->on(host, command);
        process.start(line.first(), line.mid(1));
    }

    /// Starts two ranks on @p host. @p how: "torchrun", or by hand with the variables that it sets
    void startRanks(const QString& how, NetworkHosts::Host host, const contract::RunFolder& folder)
    {
        const QString port = QString::number(m_port), master = NetworkHosts::address(NetworkHosts::A), node = QString::number(int(host));
        const QStringList worker = {kWorker, "--run", QString::fromStdString(folder.root().string())};
        if (how == "torchrun")
            return start(host, QStringList {m_python, "-m", "torch.distributed.run", "--nnodes", "2", "--node-rank", node, "--master-addr", master,
                "--master-port", port, "--nproc-per-node", "2", "--no-python", "--"} + worker);
        for (int local = 0; local < 2; ++local)
            start(host, worker, {{"RANK", QString::number(2 * int(host) + local)}, {"WORLD_SIZE", "4"}, {"LOCAL_RANK", QString::number(local)},
                {"LOCAL_WORLD_SIZE", "2"}, {"MASTER_ADDR", master}, {"MASTER_PORT", port}});
    }

    void waitForAll()
    {
        for (const auto& process : m_started)
            QVERIFY2(process->state() == QProcess::NotRunning || process->waitForFinished(kTimeoutMs), process->readAll());
        m_started.clear();
        ++m_port;
    }

    static bool isTraining(const contract::RunFolder& folder, int attempt = 1)
    {
        const auto status = launcher::inspectRun(folder);
        const std::int64_t begin = status.attempt > 1 ? folder.readStart(status.attempt).parentStep : 0;
        return status.state == RunState::Running && status.attempt == attempt && status.step > begin + 2;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_hosts.emplace();
        if (!m_hosts->isReady())
            QSKIP("network namespaces need root and Debian's iproute2");
        m_python = tests::pythonWithTorch();
        m_port = 29511;
    }
    void cleanupTestCase() { m_hosts.reset(); }
    void cleanup()
    {
        m_hosts->setConnected(true);
        for (const auto host : {NetworkHosts::A, NetworkHosts::B})
            m_hosts->killAll(host);
        waitForAll();
    }

    void hosts_areReplicasAndTheirRanksAreOneRun_data()
    {
        QTest::addColumn<QString>("how");
        QTest::newRow("torchrun's variables") << "torchrun's variables";
        QTest::newRow("torchrun") << "torchrun";
    }
    void hosts_areReplicasAndTheirRanksAreOneRun()
    {
        QFETCH(QString, how);
        if (how == "torchrun" && m_python.isEmpty())
            QSKIP("torchrun needs the LibTorch of `app/setup --gpu` or tests/peers/environment");
        const contract::RunFolder folder = prepare();
        const QString id = QString::fromStdString(folder.id());
        startRanks(how, NetworkHosts::B, folder);  // they wait for the first host, which is slow
        QVERIFY(m_started.back()->waitForStarted());
        startRanks(how, NetworkHosts::A, folder);
        QTRY_VERIFY2_WITH_TIMEOUT(isTraining(folder), m_started.back()->readAll() + contentOf(folder.log(0)), kTimeoutMs);
        QCOMPARE(hostOf(folder, 0), std::string("host-a"));
        QCOMPARE(hostOf(folder, 3), std::string("host-b"));
        QVERIFY2(contentOf(folder.log(0)).contains("2 shards, 2 replicas"), contentOf(folder.log(0)));
        QCOMPARE(m_atelier.runWell({"show", id, "--json"}).json()["status"]["state"].toString(), "running");

        m_atelier.runWell({"stop", id});
        waitForAll();
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
        QCOMPARE(folder.checkpointSteps().size(), std::size_t(1));
    }

    void hosts_aNetworkThatFailsForAWhileOnlyDelaysTheRun()
    {
        const contract::RunFolder folder = prepare();
        for (const auto host : {NetworkHosts::A, NetworkHosts::B})
            startRanks("torchrun's variables", host, folder);
        QTRY_VERIFY_WITH_TIMEOUT(isTraining(folder), kTimeoutMs);
        m_hosts->setConnected(false);
        // The ranks journal nothing; from here nobody can know whether they will again.
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).state == RunState::CutOff, kTimeoutMs);
        const std::int64_t step = launcher::inspectRun(folder).step;
        m_hosts->setConnected(true);
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(folder).step > step + 10, kTimeoutMs);
        QTRY_COMPARE(launcher::inspectRun(folder).state, RunState::Running);  // rank 0 takes back that the run hangs
        QCOMPARE(launcher::inspectRun(folder).attempt, 1);
        m_atelier.runWell({"stop", QString::fromStdString(folder.id())});
        waitForAll();
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Stopped);
    }

    void hosts_aHostThatDiesEndsTheRunAndTheSameLinesContinueIt()
    {
        const contract::RunFolder folder = prepare();
        const auto startAll = [&] {
            for (const auto host : {NetworkHosts::A, NetworkHosts::B})
                startRanks("torchrun's variables", host, folder);
        };
        startAll();
        QTRY_VERIFY_WITH_TIMEOUT(isTraining(folder), kTimeoutMs);
        m_atelier.runWell({"checkpoint", QString::fromStdString(folder.id())});
        QTRY_COMPARE_WITH_TIMEOUT(folder.checkpointSteps().size(), std::size_t(1), kTimeoutMs);
        m_hosts->killAll(NetworkHosts::B);
        waitForAll();
        QCOMPARE(launcher::inspectRun(folder).state, RunState::Failed);
        QVERIFY2(!launcher::inspectRun(folder).cause.empty(), launcher::inspectRun(folder).cause.c_str());
        startAll();
        QTRY_VERIFY_WITH_TIMEOUT(isTraining(folder, 2), kTimeoutMs);
        QCOMPARE(folder.readStart(2).parentStep, folder.checkpointSteps().back());
    }
};

QTEST_GUILESS_MAIN(HostsTest)
#include "tst_hosts.moc"
