#include "launcher/base/kill_cleanup.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace launcher {
namespace {

constexpr char kScript[] = "read -r end; rm -rf -- \"$1\"";

/// Runs between fork and exec: must not allocate or lock.
[[noreturn]] void becomeCleaner(int awaited, int nowhere, const char* folder)
{
    ::setsid();  // a signal to the terminal's processes does not reach it
    ::dup2(awaited, STDIN_FILENO);
    ::dup2(nowhere, STDOUT_FILENO);  // nobody waits for the end of these outputs because of it
    ::dup2(nowhere, STDERR_FILENO);
    ::close_range(STDERR_FILENO + 1, ~0U, 0);
    ::execl("/bin/sh", "sh", "-c", kScript, "sh", folder, static_cast<char*>(nullptr));
    ::_exit(1);
}

}  // namespace

KillCleanup::KillCleanup(const std::filesystem::path& folder)
{
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0)
        return;
    const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    const std::string path = folder.string();
    m_process = ::fork();
    if (m_process == 0)
        becomeCleaner(ends[0], nowhere, path.c_str());
    ::close(ends[0]);
    ::close(nowhere);
    m_alive = ends[1];
}

KillCleanup::~KillCleanup()
{
    if (m_alive >= 0)
        ::close(m_alive);
    if (m_process > 0) {
        while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) { }
    }
}

}  // namespace launcher
