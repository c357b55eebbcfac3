#include "app/cli/remote_command.h"

#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/text.h"
#include "launcher/base/shell_word.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace app {
namespace {

constexpr std::size_t kMostBytes = 64 * 1024;  // of a command line

/// The positions of the experiment files among the arguments of a command that takes such files.
std::vector<std::size_t> localFiles(const std::vector<std::string>& arguments)
{
    constexpr const char* kTaking[] = {"run", "plan", "prepare", "queue", "presets"};
    std::vector<std::size_t> files;
    if (std::ranges::find(kTaking, arguments.front()) == std::end(kTaking))
        return files;
    for (std::size_t at = 1; at < arguments.size(); ++at) {
        std::error_code error;
        if (arguments[at].ends_with(".toml") && std::filesystem::is_regular_file(arguments[at], error))
            files.push_back(at);
    }
    return files;
}

/// The experiment in @p file. @throws Failure when it gives a path relative to itself, which there would be another file, or none.
std::string contentForThere(const std::string& file)
{
    std::string content = contract::fileContent(file, kMostBytes);
    const auto one = contract::parseExperiment(content, "/1").experiment, other = contract::parseExperiment(content, "/2").experiment;
    if (const auto relative = contract::differingOptions(one, other); !relative.empty())
        throw Failure(contract::shortened(file, 1000) + ": " + std::string(relative.front()->key)
            + " is a relative path, and the folder of this file is not on the other machine; give an absolute path there");
    return content;
}

/// A line for the shell there that writes the files into a temporary folder, executes the command on them and removes the folder.
std::string lineWithFiles(const launcher::RemoteHost& host, const std::vector<std::string>& arguments, const std::vector<std::size_t>& files)
{
    std::string writing, command = launcher::remoteLine(host, {});
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < arguments.size(); ++at) {
        if (std::ranges::find(files, at) == files.end()) {
            command += " " + launcher::shellWord(arguments[at]);
            continue;
        }
        const std::string content = contentForThere(arguments[at]);
        bytes += content.size();
        // Each in a folder of its own: two may have the same name.
        const std::string folder = "\"$d\"/" + std::to_string(at);
        const std::string file = folder + "/" + launcher::shellWord(std::filesystem::path(arguments[at]).filename().string());
        writing += "mkdir " + folder + " && printf %s " + launcher::shellWord(content) + " > " + file + " && ";
        command += " " + file;
    }
    if (bytes > kMostBytes)
        throw Failure("the experiment files have " + std::to_string(bytes) + " bytes in all; at most " + std::to_string(kMostBytes)
            + " are passed along: name fewer files in a command");
    return "sh -c " + launcher::shellWord("d=$(mktemp -d) && " + writing + command + "; s=$?; rm -rf \"$d\"; exit $s");
}

}  // namespace

ExitCode executeThere(const launcher::RemoteHost& host, const std::vector<std::string>& arguments)
{
    const std::vector<std::size_t> files = localFiles(arguments);
    const std::string line = files.empty() ? launcher::remoteLine(host, arguments) : lineWithFiles(host, arguments, files);
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
