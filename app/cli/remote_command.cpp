#include "app/cli/remote_command.h"

#include "engine/contract/formats/file_content.h"
#include "launcher/base/shell_word.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>

namespace app {
namespace {

/// The position of the experiment file among the arguments of a command that takes one.
std::optional<std::size_t> localFile(const std::vector<std::string>& arguments)
{
    constexpr const char* kTaking[] = {"run", "plan", "prepare"};
    if (std::ranges::find(kTaking, arguments.front()) == std::end(kTaking))
        return std::nullopt;
    for (std::size_t at = 1; at < arguments.size(); ++at) {
        std::error_code error;
        if (arguments[at].ends_with(".toml") && std::filesystem::is_regular_file(arguments[at], error))
            return at;
    }
    return std::nullopt;
}

/// A line for the shell there that writes the file into a temporary folder, executes the command on it and removes the folder.
std::string lineWithFile(const launcher::RemoteHost& host, std::vector<std::string> arguments, std::size_t at)
{
    constexpr std::uint64_t kMostBytes = 64 * 1024;  // of a command line
    const std::string content = contract::fileContent(arguments[at], kMostBytes);
    const std::string name = std::filesystem::path(arguments[at]).filename().string();
    const std::string file = "\"$d\"/" + launcher::shellWord(name);
    const std::vector<std::string> before(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(at));
    std::string command = launcher::remoteLine(host, before) + " " + file;
    for (++at; at < arguments.size(); ++at)
        command += " " + launcher::shellWord(arguments[at]);
    return "sh -c "
        + launcher::shellWord("d=$(mktemp -d) && printf %s " + launcher::shellWord(content) + " > " + file + " && " + command
            + "; s=$?; rm -rf \"$d\"; exit $s");
}

}  // namespace

ExitCode executeThere(const launcher::RemoteHost& host, const std::vector<std::string>& arguments)
{
    const auto file = localFile(arguments);
    const std::string line = file ? lineWithFile(host, arguments, *file) : launcher::remoteLine(host, arguments);
    const bool isInTerminal = ::isatty(STDIN_FILENO) == 1 && ::isatty(STDOUT_FILENO) == 1;
    const std::vector<std::string> words = launcher::sshCommand(host, line, isInTerminal ? launcher::Terminal::Theirs : launcher::Terminal::None);
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    ::execvp(pointers.front(), pointers.data());
    throw Failure(words.front() + " cannot be started: " + std::strerror(errno) + "; install OpenSSH's client");
}

}  // namespace app
