#include "launcher/rank_group.h"

#include "launcher/file_end.h"
#include "launcher/journal_end.h"
#include "launcher/sentence.h"

#include <QProcessEnvironment>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

namespace launcher {
namespace {

QString number(int value) { return QString::number(value); }
QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

int threadsOf(const RankPlan& plan)
{
    if (plan.threads > 0)
        return plan.threads;
    const auto cores = static_cast<int>(std::thread::hardware_concurrency());
    return std::max(1, cores / std::max(1, plan.ranks));
}

std::string whyNotExecutable(const std::string& worker)
{
    if (::access(worker.c_str(), X_OK) == 0)
        return {};
    if (errno == ENOENT)
        return "the worker program " + worker
            + " is missing; build or install it, or name another in ATELIER_WORKER";
    return "the worker program " + cannotBe("executed", worker, errno);
}

}  // namespace

RankGroup::RankGroup(const contract::RunFolder& folder, const RankPlan& plan, QObject* parent)
    : QObject(parent)
    , m_folder(folder)
    , m_plan(plan)
    , m_ranks(static_cast<std::size_t>(plan.ranks))
{
}

RankGroup::~RankGroup() { killLeft(); }

/// Without a word to anyone.
void RankGroup::killLeft()
{
    for (Rank& each : m_ranks) {
        if (!each.process)
            continue;
        each.process->disconnect(this);
        if (!std::exchange(each.isAlive, false))
            continue;
        each.process->kill();
        each.process->waitForFinished(-1);  // SIGKILL: a moment
    }
    m_alive = 0;
}

std::string RankGroup::start()
{
    std::string problem = whyNotExecutable(m_plan.worker);
    if (problem.empty())
        problem = m_master.open();
    for (int rank = 0; problem.empty() && rank < m_plan.ranks; ++rank)
        problem = startRank(rank);
    // Only rank 0 keeps it: a worker that dies must not leave its peers connecting to us.
    m_master.close();
    if (!problem.empty())
        killLeft();
    return problem;
}

std::string RankGroup::startRank(int rank)
{
    Rank& started = m_ranks.at(static_cast<std::size_t>(rank));
    const std::filesystem::path log = m_folder.log(rank);
    started.logOffset = readFileEnd(log, 0, 0).size;
    started.journalOffset = readFileEnd(m_folder.journal(rank), 0, 0).size;
    started.process = std::make_unique<QProcess>();
    QProcess& process = *started.process;
    process.setProgram(QString::fromStdString(m_plan.worker));
    process.setArguments({QStringLiteral("--run"), text(m_folder.root()), QStringLiteral("--attempt"),
        number(m_plan.attempt)});
    process.setStandardInputFile(QProcess::nullDevice());
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.setStandardOutputFile(text(log), QIODevice::Append);
    setEnvironment(process, rank);
    setChild(process, rank);
    connect(&process, &QProcess::finished, this,
        [this, rank](int code, QProcess::ExitStatus status) { onFinished(rank, code, status); });
    process.start(QIODevice::ReadOnly);
    if (!process.waitForStarted(-1))
        return "rank " + std::to_string(rank) + " could not be started ("
            + process.errorString().toStdString() + "); its program is " + m_plan.worker + ", its log "
            + log.string();
    started.isAlive = true;
    ++m_alive;
    return {};
}

void RankGroup::setEnvironment(QProcess& process, int rank) const
{
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("RANK"), number(rank));
    environment.insert(QStringLiteral("LOCAL_RANK"), number(rank));
    environment.insert(QStringLiteral("WORLD_SIZE"), number(m_plan.ranks));
    environment.insert(QStringLiteral("LOCAL_WORLD_SIZE"), number(m_plan.ranks));
    environment.insert(QStringLiteral("MASTER_ADDR"), QStringLiteral("127.0.0.1"));
    environment.insert(QStringLiteral("MASTER_PORT"), number(m_master.port()));
    environment.insert(QStringLiteral("OMP_NUM_THREADS"), number(threadsOf(m_plan)));
    if (rank == 0)
        environment.insert(QStringLiteral("ATELIER_MASTER_FD"), number(m_master.descriptor()));
    process.setProcessEnvironment(environment);
}

void RankGroup::setChild(QProcess& process, int rank) const
{
    const pid_t supervisor = ::getpid();
    const int master = rank == 0 ? m_master.descriptor() : -1;
    // Between fork and exec: nothing here may allocate or lock.
    process.setChildProcessModifier([supervisor, master] {
        sigset_t none;
        ::sigemptyset(&none);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        // It may have died before the line above took effect.
        if (::getppid() != supervisor)
            ::_exit(1);
        if (master >= 0)
            ::fcntl(master, F_SETFD, 0);
    });
}

void RankGroup::onFinished(int rank, int code, QProcess::ExitStatus status)
{
    Rank& ended = m_ranks.at(static_cast<std::size_t>(rank));
    if (!ended.isAlive)
        return;
    ended.isAlive = false;
    --m_alive;
    constexpr std::int64_t kLogBytes = 16 * 1024;
    const FileEnd log = readFileEnd(m_folder.log(rank), ended.logOffset, kLogBytes);
    RankExit exit {.rank = rank,
        .isSignal = status == QProcess::CrashExit,
        .code = code,
        .wasOurs = m_areExitsOurs,
        .sawOomKill = false,
        .step = readJournalEnd(m_folder.journal(rank), m_plan.attempt, ended.journalOffset).step,
        .sentence = {}};
    exit.sawOomKill
        = exit.isSignal && code == SIGKILL && !exit.wasOurs && m_oom.hasKilledSinceMark();
    if (!exit.isSignal && exit.isFailure())
        exit.sentence = lastWords(log.text, rank);
    m_exits.push_back(exit);
    Q_EMIT rankExited(exit);
}

void RankGroup::signalAll(int number)
{
    for (int rank = 0; rank < m_plan.ranks; ++rank)
        signalRank(rank, number);
}

void RankGroup::signalRank(int rank, int number)
{
    const Rank& each = m_ranks.at(static_cast<std::size_t>(rank));
    // While Qt has not reaped it the id is still its own.
    if (each.isAlive && each.process->processId() > 0)
        ::kill(static_cast<pid_t>(each.process->processId()), number);
}

void RankGroup::interruptAll()
{
    m_areExitsOurs = true;
    signalAll(SIGINT);
}

void RankGroup::killAll()
{
    m_areExitsOurs = true;
    signalAll(SIGKILL);
}

}  // namespace launcher
