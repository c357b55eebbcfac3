#include "launcher/remote/remote_host.h"

#include "engine/contract/formats/text.h"
#include "launcher/base/shell_word.h"

#include <cstdlib>
#include <stdexcept>

namespace launcher {
namespace {

/// Whether ssh can take nothing in @p text for an option and no shell anything for a command.
bool isDestination(const std::string& text)
{
    constexpr char kPlain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-@:%[]+";
    return !text.empty() && text.front() != '-' && text.size() <= 255 && text.find_first_not_of(kPlain) == std::string::npos;
}

}  // namespace

std::string RemoteHost::text() const { return home.empty() ? destination : destination + ":" + home; }

RemoteHost parseRemoteHost(const std::string& text)
{
    const std::size_t separator = text.find(":/");
    RemoteHost host {.destination = text.substr(0, separator)};
    if (separator != std::string::npos)
        host.home = text.substr(separator + 1);
    if (!isDestination(host.destination) || !contract::isUtf8(host.home) || contract::escapedBytes(host.home) != host.home)
        throw std::runtime_error(contract::inQuotes(contract::shortened(text))
            + " names no machine; write HOST or USER@HOST as for ssh, and :/PATH behind it where the data home there is not the usual one");
    return host;
}

std::string remoteLine(const RemoteHost& host, const std::vector<std::string>& arguments)
{
    // "env" sets the variable whatever shell the user has there.
    std::string line = host.home.empty() ? std::string() : "env " + shellWord("ATELIER_HOME=" + host.home) + " ";
    line += shellWord(host.program);
    for (const std::string& argument : arguments)
        line += " " + shellWord(argument);
    return line;
}

std::vector<std::string> sshCommand(const RemoteHost& host, const std::string& line, Terminal terminal)
{
    const char* chosen = std::getenv("ATELIER_SSH");
    return {chosen && *chosen ? chosen : "ssh", "-C", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=5", "-o",
        "ServerAliveCountMax=3", terminal == Terminal::Theirs ? "-t" : "-T", "--", host.destination, line};
}

}  // namespace launcher
