// A machine whose runs are watched from another data home: the data home of an AtelierProgram, which `ssh` reaches without a network.
#pragma once
#include "launcher/remote/mirror.h"
#include "tests/app/atelier_program.h"

#include <QTemporaryDir>

#include <string>
#include <vector>

namespace tests {

class RemoteMachine {
public:
    /// $ATELIER_SSH becomes a script that executes the command here.
    RemoteMachine();
    ~RemoteMachine();

    AtelierProgram& program() { return m_program; }
    launcher::RemoteHost host() const;
    /// The data home of the machine from which it is watched.
    launcher::DataHome laptop() const;
    /// The home of the mirror, whose folders exist.
    launcher::DataHome mirrorHome() const;
    contract::RunFolder mirrored(const contract::RunFolder& run) const { return contract::RunFolder(mirrorHome().runs() / run.id()); }

    /// Executes a command of `atelier` over the mirror.
    Outcome runOnMirror(const QStringList& arguments);

    /// The serve processes of the machine. @return their ids
    std::vector<pid_t> servers() const;
    /// Replaces the script by one that executes @p script in place of the command.
    void setScript(const QByteArray& script);
    void setReachable(bool isReachable);
    /// Sets environment variables for what is executed there: "NAME=VALUE NAME=VALUE", as a shell reads them.
    void setEnvironment(const QByteArray& assignments);

private:
    QTemporaryDir m_folder;
    AtelierProgram m_program;
};

}  // namespace tests
