#include "tests/app/network_hosts.h"

#include <QFile>
#include <QProcess>
#include <QStandardPaths>

#include <signal.h>
#include <unistd.h>

namespace tests {
namespace {

QString ipProgram() { return QStandardPaths::findExecutable("ip", {"/usr/sbin", "/sbin", "/usr/bin", "/bin"}); }

}  // namespace

NetworkHosts::NetworkHosts()
{
    if (::getuid() != 0 || ipProgram().isEmpty())
        return;
    QFile names(m_folder.filePath("hosts"));
    if (!names.open(QIODevice::WriteOnly))
        return;
    names.write("127.0.0.1 localhost\n");
    m_isReady = run({"netns", "add", space(A)}) && run({"netns", "add", space(B)})
        && run({"link", "add", "cable", "netns", space(A), "type", "veth", "peer", "name", "cable", "netns", space(B)});
    for (const Host host : {A, B}) {
        names.write((address(host) + " " + name(host) + "\n").toUtf8());
        m_isReady = m_isReady && run({"-n", space(host), "address", "add", address(host) + "/24", "dev", "cable"})
            && run({"-n", space(host), "link", "set", "lo", "up"}) && run({"-n", space(host), "link", "set", "cable", "up"});
    }
}

NetworkHosts::~NetworkHosts()
{
    for (const Host host : {A, B}) {
        killAll(host);
        run({"netns", "delete", space(host)});
    }
}

bool NetworkHosts::run(const QStringList& ipArguments) const
{
    QProcess process;
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(ipProgram(), ipArguments);
    return process.waitForFinished() && process.exitCode() == 0;
}

QString NetworkHosts::space(Host host) const { return QStringLiteral("atelier-%1-%2").arg(::getpid()).arg(name(host)); }

QStringList NetworkHosts::on(Host host, const QStringList& command) const
{
    const QString script = "hostname " + name(host) + " && mount --bind '" + m_folder.filePath("hosts") + "' /etc/hosts && exec \"$@\"";
    return QStringList {ipProgram(), "netns", "exec", space(host), "unshare", "--uts", "--mount", "sh", "-c", script, "--"} + command;
}

void NetworkHosts::killAll(Host host)
{
    QProcess process;
    process.start(ipProgram(), {"netns", "pids", space(host)});
    process.waitForFinished();
    for (const QByteArray& id : process.readAllStandardOutput().split('\n')) {
        if (id.toInt() > 1)
            ::kill(id.toInt(), SIGKILL);
    }
}

void NetworkHosts::setConnected(bool isConnected) { run({"-n", space(A), "link", "set", "cable", isConnected ? "up" : "down"}); }

}  // namespace tests
