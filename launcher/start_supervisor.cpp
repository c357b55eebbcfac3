// Starts a supervisor that outlives the program that starts it.
#include "engine/contract/journal.h"
#include "engine/contract/run_folder.h"
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

constexpr auto kPatience = std::chrono::seconds(30);

/// Closes itself.
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

/// Pointers as execve wants them, into strings that live as long as this.
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

/// In the grandchild, between fork and exec of a program with threads: system calls only.
[[noreturn]] void become(const Launch& launch)
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
    // Whatever else our program has open (a database, a display) is not the supervisor's.
    ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
    ::fcntl(launch.ready, F_SETFD, 0);
    ::execve(launch.program.c_str(), launch.arguments.data(), launch.environment.data());
    ::_exit(127);
}

/// Its own session, so that neither a closed terminal nor Ctrl+C reaches it; a child of init, so that
/// nobody has to wait for it.
bool spawnDetached(const Launch& launch)
{
    const pid_t middle = ::fork();
    if (middle < 0)
        return false;
    if (middle == 0) {
        ::setsid();
        const pid_t supervisor = ::fork();
        if (supervisor == 0)
            become(launch);
        ::_exit(supervisor < 0 ? 1 : 0);
    }
    int status = 0;
    while (::waitpid(middle, &status, 0) < 0 && errno == EINTR) { }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// The supervisor's word: "ready" or a problem; empty when it ended without one, or time ran out.
std::string readWord(int descriptor, Clock::time_point deadline)
{
    std::string word;
    while (word.find('\n') == std::string::npos) {
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
        word.append(bytes, static_cast<std::size_t>(count));
    }
    return word.substr(0, word.find('\n'));
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
        throw std::runtime_error("the supervisor's program " + cannotBe("executed", program, errno));
    createFolder(folder.logs());
    const auto logFile = folder.log(contract::kSupervisorRank);
    const std::int64_t logOffset = readFileEnd(logFile, 0, 0).size;
    const Descriptor log(::open(logFile.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644));
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
            + " could not be started: no process or memory is left for it");
    writing.reset();
    const auto deadline = Clock::now() + kPatience;
    const std::string word = readWord(reading.get(), deadline);
    if (word == "ready")
        return;
    if (!word.empty())
        throw std::runtime_error(word);
    const std::string last = lastLine(logFile, logOffset);
    throw std::runtime_error("the supervisor of run " + folder.id()
        + (Clock::now() < deadline ? " ended at once" : " did not start within 30 s")
        + (last.empty() ? "; its log is " + logFile.string() : ": " + last));
}

}  // namespace launcher
