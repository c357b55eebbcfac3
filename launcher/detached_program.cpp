#include "launcher/base/detached_program.h"

#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/file_end.h"
#include "launcher/base/ready_pipe.h"
#include "launcher/runs/launch.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kStartTimeout = std::chrono::seconds(30);

/// Owns a file descriptor and closes it on destruction.
class Descriptor {
public:
    explicit Descriptor(int number = -1)
        : m_number(number)
    {
    }
    ~Descriptor() { reset(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const { return m_number; }
    void reset(int number = -1)
    {
        if (m_number >= 0)
            ::close(m_number);
        m_number = number;
    }

private:
    int m_number;
};

/// Strings, and the null-terminated array of pointers to them that execve() needs.
class StringList {
public:
    explicit StringList(std::vector<std::string> strings)
        : m_strings(std::move(strings))
    {
        for (std::string& each : m_strings)
            m_pointers.push_back(each.data());
        m_pointers.push_back(nullptr);
    }
    char* const* data() const { return m_pointers.data(); }

private:
    std::vector<std::string> m_strings;
    std::vector<char*> m_pointers;
};

std::vector<std::string> environmentWith(const std::map<std::string, std::string>& variables)
{
    std::vector<std::string> result;
    for (char** each = environ; *each; ++each) {
        const std::string entry = *each;
        if (!variables.contains(entry.substr(0, entry.find('='))))
            result.push_back(entry);
    }
    for (const auto& [name, value] : variables)
        result.push_back(name + "=" + value);
    return result;
}

struct Launch {
    std::string program;
    const StringList& arguments;
    const StringList& environment;
    int log;
    int ready;
};

/// Replaces the process by the program. Runs in the grandchild between fork and exec of a multi-threaded program, so it
/// makes only async-signal-safe calls.
[[noreturn]] void execProgram(const Launch& launch)
{
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    for (int number = 1; number < 32; ++number)
        ::sigaction(number, &standard, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);

    const int nothing = ::open("/dev/null", O_RDONLY);
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(launch.log, STDOUT_FILENO);
    ::dup2(launch.log, STDERR_FILENO);
    // It must not inherit other open files, such as a database or a display connection.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::fcntl(launch.ready, F_SETFD, 0);
    ::execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
    ::_exit(127);
}

/// Starts the program in its own session, so that neither a closed terminal nor Ctrl+C reaches it, and as a child of
/// init, so that this process does not have to reap it.
bool spawnDetached(const Launch& launch)
{
    const pid_t middle = ::fork();
    if (middle < 0)
        return false;
    if (middle == 0) {
        ::setsid();
        const pid_t program = ::fork();
        if (program == 0)
            execProgram(launch);
        ::_exit(program < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(middle, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Returns what the program reports: "ready" or a problem; empty when it exits without a report or @p deadline passes.
std::string readReport(int descriptor, Clock::time_point deadline)
{
    std::string report;
    while (report.find('\n') == std::string::npos) {
        const auto left
            = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
        pollfd waited {.fd = descriptor, .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waited, 1, left > 0 ? static_cast<int>(left) : 0);
        if (ready < 0 && errno == EINTR)
            continue;
        char bytes[512];
        const ssize_t count = ready > 0 ? ::read(descriptor, bytes, sizeof bytes) : 0;
        if (count <= 0)
            return {};
        report.append(bytes, static_cast<std::size_t>(count));
    }
    return report.substr(0, report.find('\n'));
}

std::string lastLine(const std::filesystem::path& log, std::int64_t offset)
{
    constexpr std::int64_t kMostBytes = 4096;
    std::string text = readFileEnd(log, offset, kMostBytes).text;
    while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
        text.pop_back();
    return text.substr(text.rfind('\n') + 1);
}

}  // namespace

void startDetached(const DetachedProgram& what)
{
    const std::string program = programPath("atelier");
    if (::access(program.c_str(), X_OK) != 0)
        throw std::runtime_error(contract::cannotBe("executed", program, errno));
    contract::createFolder(what.log.parent_path());
    const std::int64_t logOffset = readFileEnd(what.log, 0, 0).size;
    const Descriptor log(contract::openRegularFile(what.log, O_WRONLY | O_APPEND | O_CREAT, contract::Links::Refuse));
    if (log.get() < 0)
        throw std::runtime_error(contract::cannotBe("written", what.log, errno));
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(contract::cannotBe("started", what.name, errno));
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);

    std::vector<std::string> words = {program};
    words.insert(words.end(), what.arguments.begin(), what.arguments.end());
    const StringList arguments(words);
    std::map<std::string, std::string> variables = what.variables;
    variables[kReadyDescriptor] = std::to_string(writing.get());
    const StringList environment(environmentWith(variables));
    const Launch launch {.program = program,
        .arguments = arguments,
        .environment = environment,
        .log = log.get(),
        .ready = writing.get()};
    if (!spawnDetached(launch))
        throw std::runtime_error(what.name + " could not be started: the system has no free process or memory");
    writing.reset();
    const auto deadline = Clock::now() + kStartTimeout;
    const std::string report = readReport(reading.get(), deadline);
    if (report == "ready")
        return;
    if (!report.empty())
        throw std::runtime_error(report);
    const std::string last = lastLine(what.log, logOffset);
    throw std::runtime_error(what.name + (Clock::now() < deadline ? " ended at once" : " did not start within 30 s")
        + (last.empty() ? "; see its log " + what.log.string() : ": " + last));
}

}  // namespace launcher
