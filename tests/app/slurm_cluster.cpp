#include "tests/app/slurm_cluster.h"

#include "launcher/base/program_path.h"
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QHostInfo>
#include <QRandomGenerator>
#include <QStandardPaths>
#include <QTcpServer>
#include <QThread>

#include <pwd.h>
#include <signal.h>
#include <unistd.h>

namespace tests {
namespace {

constexpr int kTimeoutMs = 30'000;

QString programPath(const char* name)
{
    const QString found = QStandardPaths::findExecutable(QLatin1String(name));
    return found.isEmpty() ? QStandardPaths::findExecutable(QLatin1String(name), {"/usr/sbin", "/sbin"}) : found;
}

QByteArray freePort()
{
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return QByteArray::number(server.serverPort());
}

void write(const QString& file, const QByteArray& content)
{
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
        qFatal("%s cannot be written", qPrintable(file));
    out.setPermissions(QFile::ReadOwner | QFile::WriteOwner);
}

QByteArray contentOf(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

int parentOf(const QString& process)
{
    const QByteArray stat = contentOf("/proc/" + process + "/stat");  // "12 (name) S 11 …"
    return stat.mid(stat.lastIndexOf(')') + 4).split(' ').first().toInt();
}

bool isStepDaemon(int process) { return contentOf(QStringLiteral("/proc/%1/cmdline").arg(process)).startsWith("slurmstepd"); }

template <typename Predicate>
bool awaited(const Predicate& isSo)
{
    QElapsedTimer time;
    time.start();
    while (!isSo()) {
        if (time.elapsed() > kTimeoutMs)
            return false;
        QThread::yieldCurrentThread();
    }
    return true;
}

}  // namespace

SlurmCluster::SlurmCluster()
    : m_configuration(m_folder.filePath("slurm.conf"))
{
}

SlurmCluster::~SlurmCluster()
{
    if (m_daemons.count("slurmctld")) {
        ask("scancel", {"--state=PENDING", "--user=" + QString::number(::getuid())});
        ask("scancel", {"--user=" + QString::number(::getuid())});
    }
    for (const char* node : {"n1", "n2"})
        killNode(node);
    while (!m_daemons.empty())
        stop(m_daemons.begin()->first);
}

bool SlurmCluster::isInstalled()
{
    for (const char* name : {"munged", "slurmctld", "slurmd", "sbatch", "srun"}) {
        if (programPath(name).isEmpty())
            return false;
    }
    return true;
}

void SlurmCluster::writeConfiguration()
{
    const QByteArray folder = m_folder.path().toUtf8();
    const QByteArray user = ::getpwuid(::getuid())->pw_name;
    const QByteArray host = QHostInfo::localHostName().toUtf8();
    QByteArray text = "ClusterName=test\nSlurmctldHost=" + host + "(127.0.0.1)\nSlurmctldPort=" + freePort() + "\nSlurmUser=" + user
        + "\nSlurmdUser=" + user + "\nAuthType=auth/munge\n"
        // Slurm starts a requeued job again when the credentials of its last run are out of date, by default after two minutes.
        + "AuthInfo=socket=" + folder + "/munge.socket,cred_expire=6\nCredType=cred/munge\nStateSaveLocation=" + folder
        + "/state\nSlurmdSpoolDir=" + folder + "/%n\nSlurmctldPidFile=" + folder + "/slurmctld.pid\nSlurmdPidFile=" + folder
        + "/%n.pid\nSlurmctldLogFile=" + folder + "/slurmctld.log\nSlurmdLogFile=" + folder + "/%n.log\n"
        + "ProctrackType=proctrack/linuxproc\nTaskPlugin=task/none\nSelectType=select/cons_tres\nSelectTypeParameters=CR_CPU\n"
        + "SlurmdParameters=config_overrides\nMpiDefault=none\nReturnToService=2\nSlurmdTimeout=8\nKillWait=2\n"
        + "SchedulerParameters=sched_interval=2,bf_interval=2,batch_sched_delay=1\n";
    for (const char* node : {"n1", "n2"}) {
        QDir().mkpath(m_folder.filePath(node));
        text += "NodeName=" + QByteArray(node) + " NodeHostname=" + host + " NodeAddr=127.0.0.1 Port=" + freePort() + " CPUs=2 RealMemory=1000\n";
    }
    write(m_configuration, text + "PartitionName=both Nodes=n1,n2 Default=YES MaxTime=INFINITE\n");
}

QString SlurmCluster::startDaemon(const QString& name, const QString& program, const QStringList& arguments)
{
    auto daemon = std::make_unique<QProcess>();
    daemon->setProcessChannelMode(QProcess::MergedChannels);
    daemon->setStandardOutputFile(m_folder.filePath(name + ".out"));
    daemon->start(programPath(program.toUtf8().constData()), arguments);
    if (!daemon->waitForStarted())
        return program + " does not start: " + daemon->errorString();
    m_daemons[name] = std::move(daemon);
    return {};
}

void SlurmCluster::stop(const QString& name)
{
    const auto daemon = std::move(m_daemons.at(name));
    m_daemons.erase(name);
    if (name == "slurmctld")
        daemon->terminate();  // it saves what it knows of the jobs
    else
        daemon->kill();
    if (!daemon->waitForFinished())
        daemon->kill();
}

QString SlurmCluster::start()
{
    QDir().mkpath(m_folder.filePath("state"));
    QByteArray key(1024, '\0');
    QRandomGenerator::system()->generate(key.begin(), key.end());
    write(m_folder.filePath("munge.key"), key);
    writeConfiguration();
    qputenv("SLURM_CONF", m_configuration.toUtf8());
    const QString problem = startDaemon("munged", "munged",
        {"--foreground", "--force", "--key-file=" + m_folder.filePath("munge.key"), "--socket=" + m_folder.filePath("munge.socket"),
            "--pid-file=" + m_folder.filePath("munged.pid"), "--seed-file=" + m_folder.filePath("munge.seed"),
            "--log-file=" + m_folder.filePath("munged.log")});
    if (!problem.isEmpty())
        return problem;
    if (!awaited([&] { return QFile::exists(m_folder.filePath("munge.socket")); }))
        return "munged makes no socket: " + contentOf(m_folder.filePath("munged.out"));
    for (const QString& each : {startController(), startNode("n1"), startNode("n2")}) {
        if (!each.isEmpty())
            return each;
    }
    return awaitIdleNodes();
}

QString SlurmCluster::startController()
{
    return m_daemons.count("slurmctld") ? QString() : startDaemon("slurmctld", "slurmctld", {"-D", "-f", m_configuration});
}

QString SlurmCluster::startNode(const QString& node) { return startDaemon(node, "slurmd", {"-D", "-N", node, "-f", m_configuration}); }

QString SlurmCluster::awaitIdleNodes()
{
    QString nodes;
    const bool isIdle = awaited([&] {
        nodes = ask("sinfo", {"--noheader", "--Node", "--format=%T"});
        return nodes == "idle\nidle";
    });
    return isIdle ? QString() : "the nodes are not idle but " + nodes + "\n" + contentOf(m_folder.filePath("slurmctld.log"));
}

void SlurmCluster::killNode(const QString& node)
{
    if (m_daemons.count(node))
        stop(node);
    // A process of a job knows its node. The daemon that started it would tell the controller of its end, so it dies first.
    const QByteArray cluster = "SLURM_CONF=" + m_configuration.toUtf8() + '\0', here = "SLURMD_NODENAME=" + node.toUtf8() + '\0';
    for (const QString& id : QDir("/proc").entryList(QDir::Dirs)) {
        const QByteArray environment = id.toInt() > 1 ? contentOf("/proc/" + id + "/environ") : QByteArray();
        if (!environment.contains(cluster) || !environment.contains(here))
            continue;
        if (const int parent = parentOf(id); isStepDaemon(parent))
            ::kill(parent, SIGKILL);
        ::kill(id.toInt(), SIGKILL);
    }
}

QString SlurmCluster::ask(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program, arguments);
    process.waitForFinished(kTimeoutMs);
    return QString::fromUtf8(process.readAll()).trimmed();
}

QString SlurmCluster::stateOf(const QString& job)
{
    return ask("squeue", {"--noheader", "--states=all", "--jobs=" + job, "--format=%T"});
}

}  // namespace tests
