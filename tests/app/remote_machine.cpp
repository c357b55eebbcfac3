#include "tests/app/remote_machine.h"

#include "tests/paths.h"

#include <QDir>
#include <QFile>

namespace tests {
namespace {

// The last argument is the command that ssh would hand to the shell there.
constexpr char kExecute[] = "for last; do :; done\nexec sh -c \"$last\"\n";

}  // namespace

RemoteMachine::RemoteMachine()
{
    qputenv("ATELIER_SSH", m_folder.filePath(QStringLiteral("ssh")).toUtf8());
    qputenv("ATELIER_WORKER", FAKE_WORKER);
    qputenv("FAKE_STEP_MS", "5");
    setScript(kExecute);
    mirrorHome().create();
}

RemoteMachine::~RemoteMachine()
{
    for (const char* name : {"ATELIER_SSH", "ATELIER_WORKER", "FAKE_STEP_MS"})
        qunsetenv(name);
}

launcher::RemoteHost RemoteMachine::host() const
{
    return {.destination = "box", .home = m_program.home().data.string(), .program = m_program.program().toStdString()};
}

launcher::DataHome RemoteMachine::laptop() const
{
    return launcher::DataHome::under(m_folder.filePath(QStringLiteral("laptop")).toStdString());
}

launcher::DataHome RemoteMachine::mirrorHome() const
{
    return launcher::mirrorHome(laptop(), host());
}

Outcome RemoteMachine::runOnMirror(const QStringList& arguments)
{
    AtelierProgram laptop;
    laptop.setVariable(QStringLiteral("ATELIER_HOME"), QString::fromStdString(mirrorHome().data.string()));
    return laptop.runWell(arguments);
}

std::vector<pid_t> RemoteMachine::servers() const
{
    std::vector<pid_t> found;
    for (const QString& process : QDir(QStringLiteral("/proc")).entryList(QDir::Dirs)) {
        const QByteArray command = contentOf("/proc/" + process.toStdString() + "/cmdline");
        const QByteArray environment = contentOf("/proc/" + process.toStdString() + "/environ");
        if (command == m_program.program().toUtf8() + '\0' + "serve" + '\0'
            && environment.contains("ATELIER_HOME=" + QByteArray::fromStdString(m_program.home().data.string()) + '\0'))
            found.push_back(process.toInt());
    }
    return found;
}

void RemoteMachine::setScript(const QByteArray& script)
{
    QFile file(m_folder.filePath(QStringLiteral("ssh.new")));
    if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + script) < 0)
        qFatal("%s cannot be written", qPrintable(file.fileName()));
    file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    file.close();
    std::filesystem::rename(file.fileName().toStdString(), m_folder.filePath(QStringLiteral("ssh")).toStdString());
}

void RemoteMachine::setReachable(bool isReachable)
{
    setScript(isReachable ? QByteArray(kExecute) : QByteArray("echo 'ssh: connect to host box port 22: Connection refused' >&2\nexit 255\n"));
}

void RemoteMachine::setEnvironment(const QByteArray& assignments) { setScript("export " + assignments + "\n" + kExecute); }

}  // namespace tests
