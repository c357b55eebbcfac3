#include "engine/worker/background_plan.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace engine {
namespace {

/// The child's part after vfork(): makes system calls and nothing else, for it shares the parent's memory, and never returns.
[[noreturn]] void becomePlanner(pid_t parent, char* const* arguments)
{
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent)
        ::_exit(127);
    ::setpriority(PRIO_PROCESS, 0, 19);
    if (const int score = ::open("/proc/self/oom_score_adj", O_WRONLY); score >= 0)
        [[maybe_unused]] const auto written = ::write(score, "1000", 4);
    sigset_t none;
    sigemptyset(&none);
    ::signal(SIGPIPE, SIG_DFL);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    const int nothing = ::open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor)
        ::dup2(nothing, descriptor);
    ::close_range(3, ~0U, 0);
    ::execv("/proc/self/exe", arguments);
    ::_exit(127);
}

}  // namespace

BackgroundPlan::BackgroundPlan(const contract::RunFolder& folder, int attempt, bool isOnGpus)
{
    std::string experiment = folder.config(attempt).string(), to = (folder.attempt(attempt) / "forecast.json").string();
    char program[] = "atelier-worker", plan[] = "--plan", into[] = "--to", device[] = "--device", cpu[] = "cpu", cuda[] = "cuda";
    char* const arguments[] = {program, plan, experiment.data(), into, to.data(), device, isOnGpus ? cuda : cpu, nullptr};
    const pid_t parent = ::getpid();
    // vfork(): fork() would copy the page tables of all the memory that rank 0 has by now. No handler may run in the child.
    sigset_t all, before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    m_process = ::vfork();
    if (m_process == 0)
        becomePlanner(parent, arguments);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BackgroundPlan::~BackgroundPlan()
{
    if (hasEnded())
        return;
    ::kill(m_process, SIGKILL);
    ::waitpid(m_process, nullptr, 0);
}

bool BackgroundPlan::hasEnded()
{
    if (m_process > 0 && ::waitpid(m_process, nullptr, WNOHANG) != 0)
        m_process = -1;
    return m_process < 0;
}

}  // namespace engine
