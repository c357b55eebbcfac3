#include "tests/ui/support/processes.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ui_test {
namespace {

std::string contentOf(pid_t process, const char* name)
{
    // A process that ends meanwhile has nothing to say, and that is no error.
    std::ostringstream text;
    text << std::ifstream("/proc/" + std::to_string(process) + "/" + name, std::ios::binary).rdbuf();
    return text.str();
}

/// Words of a command line or an environment, each with a zero before and behind.
bool hasWord(const std::string& words, const std::string& word)
{
    return ('\0' + words).find('\0' + word + '\0') != std::string::npos;
}

}  // namespace

std::vector<pid_t> processes(const std::string& text)
{
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        const pid_t process = std::stoi(name);
        if (process != ::getpid() && contentOf(process, "cmdline").find(text) != std::string::npos)
            found.push_back(process);
    }
    return found;
}

std::optional<pid_t> rankProcess(const contract::RunFolder& run, int rank)
{
    for (const pid_t process : processes(run.root().string())) {
        if (hasWord(contentOf(process, "environ"), "RANK=" + std::to_string(rank))
            && !hasWord(contentOf(process, "cmdline"), "supervise"))
            return process;
    }
    return std::nullopt;
}

std::optional<pid_t> supervisorProcess(const contract::RunFolder& run)
{
    for (const pid_t process : processes(run.root().string())) {
        if (hasWord(contentOf(process, "cmdline"), "supervise"))
            return process;
    }
    return std::nullopt;
}

}  // namespace ui_test
