#include "launcher/ranks/rank_process.h"

#include "launcher/ranks/master_socket.h"

#include <QProcessEnvironment>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <thread>

namespace launcher {
namespace {

int threadsPerRank(const RankPlace& place)
{
    if (place.threads > 0)
        return place.threads;
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, place.ranks));
}

/// How often an idle thread of libgomp looks for work before it sleeps; this many take a tenth of a millisecond. The default takes about ten
/// milliseconds, in which an idle thread keeps the core from the thread that it waits for whenever other processes compute, too: two runs at
/// once then take several times as long as one after the other.
constexpr int kSpins = 3000;

void setEnvironment(QProcess& process, const RankPlace& place, const MasterSocket& master)
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const auto& [name, value] : place.variables)
        environment.insert(QString::fromStdString(name), QString::fromStdString(value));
    const auto insert = [&](const char* name, int value) { environment.insert(QLatin1String(name), QString::number(value)); };
    if (!environment.contains(QStringLiteral("GOMP_SPINCOUNT")) && !environment.contains(QStringLiteral("OMP_WAIT_POLICY")))
        insert("GOMP_SPINCOUNT", kSpins);
    insert("RANK", place.rank);
    insert("LOCAL_RANK", place.rank);
    insert("WORLD_SIZE", place.ranks);
    insert("LOCAL_WORLD_SIZE", place.ranks);
    environment.insert(QStringLiteral("MASTER_ADDR"), QStringLiteral("127.0.0.1"));
    insert("MASTER_PORT", master.port());
    insert("OMP_NUM_THREADS", threadsPerRank(place));
    if (!place.visibleGpus.empty())
        environment.insert(QStringLiteral("CUDA_VISIBLE_DEVICES"), QString::fromStdString(place.visibleGpus));
    if (place.rank == 0)
        insert("ATELIER_MASTER_FD", master.descriptor());
    process.setProcessEnvironment(environment);
}

/// @param inherited descriptor that stays open in the child; -1: none
void setChildModifier(QProcess& process, int inherited)
{
    const pid_t starter = ::getpid();
    // Runs between fork and exec: must not allocate or lock.
    process.setChildProcessModifier([starter, inherited] {
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // The parent may have died before prctl took effect.
        if (::getppid() != starter)
            ::_exit(1);
        if (inherited >= 0)
            ::fcntl(inherited, F_SETFD, 0);
    });
}

}  // namespace

void prepareRank(QProcess& process, const RankPlace& place, const MasterSocket& master)
{
    setEnvironment(process, place, master);
    setChildModifier(process, place.rank == 0 ? master.descriptor() : -1);
}

}  // namespace launcher
