// Another machine whose runs are watched and controlled from here, and how ssh starts a program there.
#pragma once
#include <string>
#include <vector>

namespace launcher {

struct RemoteHost {
    std::string destination;          ///< as ssh takes it: "gpu1", "me@gpu1", a Host of ~/.ssh/config
    std::string home = {};            ///< ATELIER_HOME there; empty: the user's data home
    std::string program = "atelier";  ///< the program there, by path or by name

    std::string text() const;  ///< "me@gpu1:/data/atelier", as parseRemoteHost() takes it
};

/// Reads "HOST", "USER@HOST" or either with ":/PATH" of the data home there.
/// @throws std::runtime_error in one sentence when it is none of them; nothing that ssh could take for an option is accepted.
RemoteHost parseRemoteHost(const std::string& text);

enum class Terminal { None, Theirs };  ///< whether the program there gets a terminal, as `ssh -t` gives one

/// The line for a shell on the host that starts `atelier ARGUMENTS` there.
std::string remoteLine(const RemoteHost& host, const std::vector<std::string>& arguments);

/// The ssh program and its arguments that execute @p line on the host. $ATELIER_SSH replaces the program `ssh`.
/// It never asks for a password or a passphrase: keys and agents are ssh's own matter.
std::vector<std::string> sshCommand(const RemoteHost& host, const std::string& line, Terminal terminal = Terminal::None);

}  // namespace launcher
