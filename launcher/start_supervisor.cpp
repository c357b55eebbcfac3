// Starts a supervisor as a detached process that outlives the program that starts it.
#include "engine/contract/formats/open_file.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/run_folder.h"
#include "launcher/file_end.h"
#include "launcher/folders.h"
#include "launcher/launch.h"
#include "launcher/ready_pipe.h"
#include "launcher/sentence.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <filesystem>
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

std::vector<std::string> environmentWith(const std::string& name, const std::string& value)
{
    std::vector<std::string> result;
    for (char** each = environ; *each; ++each) {
        const std::string entry = *each;
        if (!entry.starts_with(name + "="))
            result.push_back(entry);
    }
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

/// Replaces the process by the supervisor. Runs in the grandchild between fork and exec of a multi-threaded program, so it
/// makes only async-signal-safe calls.
[[noreturn]] void execSupervisor(const Launch& launch)
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
    // The supervisor must not inherit other open files, such as a database or a display connection.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::fcntl(launch.ready, F_SETFD, 0);
    ::execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
    ::_exit(127);
}

/// Starts the supervisor in its own session, so that neither a closed terminal nor Ctrl+C reaches it, and as a child of
/// init, so that this process does not have to reap it.
bool spawnDetached(const Launch& launch)
{
    const pid_t middle = ::fork();
    if (middle < 0)
        return false;
    if (middle == 0) {
        ::setsid();
        const pid_t supervisor = ::fork();
        if (supervisor == 0)
            execSupervisor(launch);
        ::_exit(supervisor < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(middle, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// Returns what the supervisor reports: "ready" or a problem; empty when it exits without a report or @p deadline passes.
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

void startSupervisor(const contract::RunFolder& folder)
{
    const std::string program = programPath("atelier");
    if (::access(program.c_str(), X_OK) != 0)
        throw std::runtime_error("the supervisor program " + cannotBe("executed", program, errno));
    createFolder(folder.logs());
    const auto logFile = folder.log(contract::kSupervisorRank);
    const std::int64_t logOffset = readFileEnd(logFile, 0, 0).size;
    const Descriptor log(contract::openRegularFile(logFile, O_WRONLY | O_APPEND | O_CREAT, contract::Links::Refuse));
    if (log.get() < 0)
        throw std::runtime_error(cannotBe("written", logFile, errno));
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::runtime_error(cannotBe("started", "the supervisor of run " + folder.id(), errno));
    const Descriptor reading(ends[0]);
    Descriptor writing(ends[1]);

    const StringList arguments({program, "supervise", std::filesystem::absolute(folder.root()).string()});
    const StringList environment(environmentWith(kReadyDescriptor, std::to_string(writing.get())));
    const Launch launch {.program = program,
        .arguments = arguments,
        .environment = environment,
        .log = log.get(),
        .ready = writing.get()};
    if (!spawnDetached(launch))
        throw std::runtime_error("the supervisor of run " + folder.id()
            + " could not be started: the system has no free process or memory");
    writing.reset();
    const auto deadline = Clock::now() + kStartTimeout;
    const std::string report = readReport(reading.get(), deadline);
    if (report == "ready")
        return;
    if (!report.empty())
        throw std::runtime_error(report);
    const std::string last = lastLine(logFile, logOffset);
    throw std::runtime_error("the supervisor of run " + folder.id()
        + (Clock::now() < deadline ? " ended at once" : " did not start within 30 s")
        + (last.empty() ? "; see its log " + logFile.string() : ": " + last));
}

}  // namespace launcher
