#include "tests/app/ssh_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTcpServer>
#include <QTcpSocket>

#include <pwd.h>
#include <unistd.h>

namespace tests {
namespace {

constexpr int kTimeoutMs = 10'000;

QByteArray contentOf(const QString& file)
{
    QFile in(file);
    return in.open(QIODevice::ReadOnly) ? in.readAll() : QByteArray();
}

void write(const QString& file, const QByteArray& content, bool isExecutable = false)
{
    QFile out(file);
    if (!out.open(QIODevice::WriteOnly) || out.write(content) != content.size())
        qFatal("%s cannot be written", qPrintable(file));
    out.setPermissions(QFile::ReadOwner | QFile::WriteOwner | (isExecutable ? QFile::ExeOwner : QFile::Permission()));
}

QString userName()
{
    const passwd* const user = ::getpwuid(::geteuid());
    return user ? QString::fromLocal8Bit(user->pw_name) : QString();
}

bool isListening(quint16 port)
{
    QTcpSocket socket;
    socket.connectToHost(QStringLiteral("127.0.0.1"), port);
    return socket.waitForConnected(200);
}

}  // namespace

SshServer::~SshServer()
{
    stop();
    qunsetenv("ATELIER_SSH");
}

QString SshServer::start()
{
    m_program = QStandardPaths::findExecutable(QStringLiteral("sshd"), {QStringLiteral("/usr/sbin"), QStringLiteral("/sbin")});
    if (m_program.isEmpty() || QStandardPaths::findExecutable(QStringLiteral("ssh")).isEmpty())
        return QStringLiteral("sshd is not installed: Debian's openssh-server and openssh-client");
    // As root, sshd wants the folder into which it confines the part of it that strangers reach.
    if (::geteuid() == 0 && !QDir().mkpath(QStringLiteral("/run/sshd")))
        return QStringLiteral("/run/sshd cannot be created");
    for (const char* key : {"host_key", "key"}) {
        if (QProcess::execute(QStringLiteral("ssh-keygen"), {"-q", "-t", "ed25519", "-N", "", "-f", path(key)}) != 0)
            return QStringLiteral("ssh-keygen has made no key");
    }
    write(path("authorized_keys"), contentOf(path("key.pub")));
    QTcpServer free;
    free.listen(QHostAddress::LocalHost);
    m_port = free.serverPort();
    free.close();
    write(path("sshd_config"),
        "Port " + QByteArray::number(m_port) + "\nListenAddress 127.0.0.1\nHostKey " + path("host_key").toUtf8() + "\nPidFile none\nAuthorizedKeysFile "
            + path("authorized_keys").toUtf8()
            + "\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nUsePAM no\nPermitRootLogin yes\nPrintMotd no\n");
    connectThrough(m_port);
    write(path("ssh"), "#!/bin/sh\nexec ssh -F " + path("ssh_config").toUtf8() + " \"$@\"\n", true);
    qputenv("ATELIER_SSH", path("ssh").toUtf8());
    return startAgain();
}

void SshServer::connectThrough(quint16 port)
{
    write(path("ssh_config"),
        "Host box\n  HostName 127.0.0.1\n  Port " + QByteArray::number(port) + "\n  User " + userName().toUtf8() + "\n  IdentityFile "
            + path("key").toUtf8() + "\n  IdentitiesOnly yes\n  UserKnownHostsFile " + path("known_hosts").toUtf8()
            + "\n  StrictHostKeyChecking accept-new\n  LogLevel ERROR\n");
}

QString SshServer::startAgain()
{
    m_daemon.setProcessChannelMode(QProcess::MergedChannels);
    m_daemon.start(m_program, {"-D", "-e", "-f", path("sshd_config")});
    QElapsedTimer waited;
    waited.start();
    while (m_daemon.state() != QProcess::NotRunning && waited.elapsed() < kTimeoutMs) {
        if (isListening(m_port))
            return {};
        m_daemon.waitForReadyRead(10);
    }
    return QStringLiteral("sshd has not started: ") + QString::fromUtf8(m_daemon.readAll());
}

void SshServer::stop()
{
    m_daemon.kill();
    m_daemon.waitForFinished(kTimeoutMs);
}

std::vector<pid_t> SshServer::connections() const
{
    std::vector<pid_t> found;
    if (m_daemon.state() == QProcess::NotRunning)
        return found;
    for (const QString& process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        const QByteArray stat = contentOf("/proc/" + process + "/stat");  // "12 (name) S 11 …"
        if (process.toInt() > 0 && stat.mid(stat.lastIndexOf(')') + 4).split(' ').first().toLongLong() == m_daemon.processId())
            found.push_back(process.toInt());
    }
    return found;
}

}  // namespace tests
