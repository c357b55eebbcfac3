// A real sshd on this machine's loopback, with keys of its own; an ordinary process, which ends with this object.
#pragma once
#include <QProcess>
#include <QString>
#include <QTemporaryDir>

#include <sys/types.h>

#include <vector>

namespace tests {

class SshServer {
public:
    SshServer() = default;
    ~SshServer();

    /// Starts sshd and makes $ATELIER_SSH the ssh program with the configuration and the key for it, in which the host is "box".
    /// @return why it cannot be started; empty when it was.
    QString start();
    /// Starts it again on the same port.
    QString startAgain();
    void stop();

    quint16 port() const { return m_port; }
    /// Lets ssh connect to another port on loopback, which leads to this one.
    void connectThrough(quint16 port);

    /// The processes that serve connections. @return their ids
    std::vector<pid_t> connections() const;

private:
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }

    QTemporaryDir m_folder;
    QProcess m_daemon;
    QString m_program;
    quint16 m_port = 0;
};

}  // namespace tests
