#include "engine/rewards/line_program.h"

#include "engine/contract/formats/text.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace engine {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMaxAnswerBytes = std::size_t {1} << 20;
constexpr std::size_t kMaxQuotedErrors = 400;
constexpr milliseconds kTimeToEnd {500};

/// The ends of a pipe; -1 when moved from here.
struct Pipe {
    int read = -1, write = -1;
};

Pipe makePipe()
{
    std::array<int, 2> ends {};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw std::system_error(errno, std::generic_category(), "no pipe for a reward program");
    return {ends[0], ends[1]};
}

bool isReadable(int descriptor, milliseconds timeout)
{
    pollfd polled {descriptor, POLLIN, 0};
    int ready = 0;
    do {
        ready = ::poll(&polled, 1, static_cast<int>(timeout.count()));
    } while (ready < 0 && errno == EINTR);
    return ready > 0;
}

/// Blocks SIGPIPE on this thread, so that writing to a closed pipe is an error instead of the end of the process.
class NoBrokenPipeSignal {
public:
    NoBrokenPipeSignal()
    {
        sigemptyset(&m_signal);
        sigaddset(&m_signal, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &m_signal, &m_former);
    }
    ~NoBrokenPipeSignal()
    {
        const int error = errno;
        if (!sigismember(&m_former, SIGPIPE)) {
            const timespec none {};
            while (sigtimedwait(&m_signal, nullptr, &none) < 0 && errno == EINTR) { }
            pthread_sigmask(SIG_SETMASK, &m_former, nullptr);
        }
        errno = error;
    }
    NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
    NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

private:
    sigset_t m_signal {}, m_former {};
};

/// The child's part after fork(): calls only what POSIX allows there, and never returns.
/// @param failure where errno is written when the program cannot be executed; executing it closes that
[[noreturn]] void execute(const char* program, const char* folder, pid_t parent, int input, int output, int errors, int failure)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::signal(SIGPIPE, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    // The descriptors of pipes are not 0 to 2 as long as those are open, which they are in every rank.
    constexpr int kFailure = 3;
    ::dup2(input, 0);
    ::dup2(output, 1);
    ::dup2(errors, 2);
    ::dup2(failure, kFailure);
    ::fcntl(kFailure, F_SETFD, FD_CLOEXEC);
    ::close_range(kFailure + 1, ~0U, 0);
    if (::chdir(folder) == 0) {
        char* const arguments[] = {const_cast<char*>(program), nullptr};
        ::execv(program, arguments);
    }
    const int error = errno;
    [[maybe_unused]] const auto written = ::write(kFailure, &error, sizeof error);
    ::_exit(127);
}

std::string describeExit(int status)
{
    if (WIFSIGNALED(status))
        return "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")";
    return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

/// Appends what can be read without waiting, to a total of @p most bytes. Returns whether the pipe is still open.
bool readAvailable(int descriptor, std::string& into, std::size_t most)
{
    std::array<char, 65536> part;
    while (into.size() < most) {
        const ssize_t count = ::read(descriptor, part.data(), part.size());
        if (count > 0)
            into.append(part.data(), static_cast<std::size_t>(count));
        else if (count == 0 || errno != EINTR)
            return count != 0;
    }
    return true;
}

}  // namespace

void LineProgram::Descriptor::reset(int descriptor)
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
    m_descriptor = descriptor;
}

LineProgram::LineProgram(const std::filesystem::path& program)
{
    m_abandoned.reset(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (m_abandoned.get() < 0)
        throw std::system_error(errno, std::generic_category(), "no event for a reward program");
    start(program);
}

LineProgram::~LineProgram()
{
    m_input.close();
    waitForExit(kTimeToEnd);
    kill();
}

void LineProgram::start(const std::filesystem::path& program)
{
    const Pipe input = makePipe(), output = makePipe(), errors = makePipe(), failure = makePipe();
    const std::string file = std::filesystem::absolute(program).string(), folder = std::filesystem::absolute(program).parent_path().string();
    const pid_t parent = ::getpid();
    m_process = ::fork();
    if (m_process == 0)
        execute(file.c_str(), folder.c_str(), parent, input.read, output.write, errors.write, failure.write);
    int error = m_process < 0 ? errno : 0;
    for (const int end : {input.read, output.write, errors.write, failure.write})
        ::close(end);
    m_input.reset(input.write);
    m_output.reset(output.read);
    m_errors.reset(errors.read);
    Descriptor failures;
    failures.reset(failure.read);
    if (m_process > 0) {
        while (::read(failures.get(), &error, sizeof error) < 0 && errno == EINTR) { }
        m_handle.reset(static_cast<int>(::syscall(SYS_pidfd_open, m_process, 0)));
        error = error == 0 && m_handle.get() < 0 ? errno : error;
    }
    if (error != 0) {
        kill();
        const char* const advice = error == ENOEXEC ? "; a script begins with a line such as #!/bin/sh" : "";
        throw std::runtime_error(std::string("cannot be started: ") + std::strerror(error) + advice);
    }
    for (const Descriptor* end : {&m_input, &m_output, &m_errors})
        ::fcntl(end->get(), F_SETFL, O_NONBLOCK);
}

std::string LineProgram::ask(std::string_view line, milliseconds timeout, std::string_view option)
{
    if (m_process < 0)
        throw std::runtime_error("has ended");
    const Clock::time_point deadline = Clock::now() + timeout;
    const std::string request = std::string(line) + '\n';
    std::string_view rest = request;
    for (;;) {
        const bool hasEnded = waitForExit(milliseconds(0));  // before reading, so that nothing it wrote is missed
        readErrors();
        readAnswers();
        if (const std::size_t end = m_answers.find('\n'); end != std::string::npos && rest.empty()) {
            std::string answer = m_answers.substr(0, end);
            m_answers.erase(0, end + 1);
            return answer;
        }
        if (m_answers.size() >= kMaxAnswerBytes)
            fail("has written more than 1 MiB that answers nothing");
        if (hasEnded || m_hasClosedOutput)
            failEnded();
        if (isReadable(m_abandoned.get(), milliseconds(0)))
            fail("is not waited for any longer");
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
        if (left.count() <= 0)
            fail("has not answered within " + contract::shortestText(std::chrono::duration<double>(timeout).count()) + " s ("
                + std::string(option) + ")");
        std::array<pollfd, 5> ends {{{m_handle.get(), POLLIN, 0}, {m_abandoned.get(), POLLIN, 0}, {m_output.get(), POLLIN, 0}, {m_errors.get(), POLLIN, 0},
            {rest.empty() ? -1 : m_input.get(), POLLOUT, 0}}};
        ::poll(ends.data(), ends.size(), static_cast<int>(std::min<std::int64_t>(left.count(), 60000)));
        if (!rest.empty() && !write(rest))
            failEnded();
    }
}

/// Writes what fits into the pipe. Returns false when the program has closed its standard input.
bool LineProgram::write(std::string_view& rest)
{
    const NoBrokenPipeSignal scope;
    while (!rest.empty()) {
        const ssize_t count = ::write(m_input.get(), rest.data(), rest.size());
        if (count >= 0)
            rest.remove_prefix(static_cast<std::size_t>(count));
        else if (errno != EINTR)
            return errno == EAGAIN;
    }
    return true;
}

void LineProgram::readAnswers()
{
    if (!m_hasClosedOutput)
        m_hasClosedOutput = !readAvailable(m_output.get(), m_answers, kMaxAnswerBytes);
}

void LineProgram::readErrors()
{
    if (m_errors.get() < 0)
        return;
    constexpr std::size_t kAtATime = 65536;
    std::string fresh;
    const bool isOpen = readAvailable(m_errors.get(), fresh, kAtATime);
    if (!fresh.empty()) {
        [[maybe_unused]] const auto written = ::write(STDERR_FILENO, fresh.data(), fresh.size());
        m_lastErrors += fresh;
        if (m_lastErrors.size() > kMaxQuotedErrors) {  // whole lines if there are some
            m_lastErrors.erase(0, m_lastErrors.size() - kMaxQuotedErrors);
            const std::size_t end = m_lastErrors.find('\n');
            m_lastErrors.erase(0, end + 1 < m_lastErrors.size() ? end + 1 : 0);
        }
    }
    if (!isOpen)
        m_errors.close();
}

void LineProgram::abandon() { ::eventfd_write(m_abandoned.get(), 1); }

/// Returns whether the program has ended.
bool LineProgram::waitForExit(milliseconds timeout) const { return isReadable(m_handle.get(), timeout); }

/// Kills the group and waits for the program. Returns its status for waitpid().
int LineProgram::kill()
{
    int status = 0;
    if (m_process < 0)
        return status;
    ::kill(-m_process, SIGKILL);
    while (::waitpid(m_process, &status, 0) < 0 && errno == EINTR) { }
    m_process = -1;
    return status;
}

void LineProgram::failEnded()
{
    if (!waitForExit(kTimeToEnd))
        fail(m_hasClosedOutput ? "has closed its standard output without an answer" : "has closed its standard input without an answer");
    fail(describeExit(kill()));
}

void LineProgram::fail(const std::string& clause)
{
    kill();
    readErrors();
    std::string_view last = m_lastErrors;
    while (!last.empty() && (last.back() == '\n' || last.back() == ' '))
        last.remove_suffix(1);
    if (last.empty())
        throw std::runtime_error(clause);
    throw std::runtime_error(clause + "; the end of its standard error: " + contract::inQuotes(last));
}

}  // namespace engine
