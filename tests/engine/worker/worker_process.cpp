#include "tests/engine/worker/worker_process.h"

#include "engine/worker/worker_main.h"
#include "tests/paths.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace tests {
namespace {

/// Undoes what the test has set for itself, as the start of a program does.
void resetSignals()
{
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

void closeAllBut(int kept)
{
    constexpr unsigned kFirst = STDERR_FILENO + 1;
    if (kept < 0) {
        ::close_range(kFirst, ~0U, 0);
        return;
    }
    const auto number = static_cast<unsigned>(kept);
    if (number > kFirst)
        ::close_range(kFirst, number - 1, 0);
    ::close_range(number + 1, ~0U, 0);
    ::fcntl(kept, F_SETFD, 0);
}

[[noreturn]] void become(const WorkerStart& start, int output)
{
    resetSignals();
    ::dup2(output, STDOUT_FILENO);
    ::dup2(output, STDERR_FILENO);
    closeAllBut(start.inherited);
    for (const auto& [name, value] : start.variables)
        ::setenv(name.c_str(), value.c_str(), 1);
    const rlimit space {start.memoryLimit, start.memoryLimit};
    if (start.memoryLimit > 0)
        ::setrlimit(RLIMIT_AS, &space);

    std::vector<std::string> arguments = start.arguments;
    arguments.insert(arguments.begin(), ATELIER_BIN_DIR "/atelier-worker");
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    if (start.isProgram) {
        ::execv(pointers[0], pointers.data());
        ::_exit(127);
    }
    const int code = engine::workerMain(static_cast<int>(arguments.size()), pointers.data());
    std::fflush(nullptr);
    ::_exit(code);
}

}  // namespace

WorkerProcess::WorkerProcess(const WorkerStart& start)
    : m_output(::memfd_create("output", MFD_CLOEXEC))
{
    std::fflush(nullptr);  // otherwise the rank writes it, too
    m_process = ::fork();
    if (m_process == 0)
        become(start, m_output);
    m_descriptor = static_cast<int>(::syscall(SYS_pidfd_open, m_process, 0));
}

WorkerProcess::~WorkerProcess()
{
    kill();
    waitForFinished(-1);
    ::close(m_output);
}

void WorkerProcess::kill()
{
    if (m_descriptor >= 0)
        ::kill(m_process, SIGKILL);
}

bool WorkerProcess::waitForFinished(int milliseconds)
{
    if (m_descriptor < 0)
        return true;
    pollfd ended {m_descriptor, POLLIN, 0};
    if (TEMP_FAILURE_RETRY(::poll(&ended, 1, milliseconds)) <= 0)
        return false;
    int status = 0;
    ::waitpid(m_process, &status, 0);
    m_exitCode = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    ::close(m_descriptor);
    m_descriptor = -1;
    return true;
}

QByteArray WorkerProcess::readAll()
{
    struct stat file {};
    ::fstat(m_output, &file);
    QByteArray text(file.st_size - m_read, '\0');
    text.resize(std::max<qint64>(0, ::pread(m_output, text.data(), static_cast<std::size_t>(text.size()), m_read)));
    m_read += text.size();
    return text;
}

}  // namespace tests
