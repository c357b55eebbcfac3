#include "launcher/supervisor/rank_group.h"

#include "engine/contract/formats/open_file.h"
#include "engine/contract/formats/sentence.h"
#include "launcher/base/file_end.h"
#include "launcher/ranks/rank_process.h"
#include "launcher/ranks/worker_libraries.h"
#include "launcher/state/journal_end.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace launcher {
namespace {

QString number(int value) { return QString::number(value); }
QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

std::string whyNotRunnable(const RankPlan& plan)
{
    const std::string& worker = plan.worker;
    if (::access(worker.c_str(), X_OK) == 0)
        return missingLibraries(worker, plan.variables);
    if (errno == ENOENT)
        return "the worker program " + worker
            + " is missing; build or install it, or set ATELIER_WORKER to its path";
    return "the worker program " + contract::cannotBe("executed", worker, errno);
}

}  // namespace

RankGroup::RankGroup(const contract::RunFolder& folder, const RankPlan& plan, QObject* parent)
    : QObject(parent)
    , m_folder(folder)
    , m_plan(plan)
    , m_ranks(static_cast<std::size_t>(plan.ranks))
{
}

RankGroup::~RankGroup() { killRemaining(); }

/// Emits no rankExited(): the connections to the processes are removed first.
void RankGroup::killRemaining()
{
    for (Rank& each : m_ranks) {
        if (!each.process)
            continue;
        each.process->disconnect(this);
        if (!std::exchange(each.isAlive, false))
            continue;
        each.process->kill();
        each.process->waitForFinished(-1);  // SIGKILL takes effect at once
    }
    m_alive = 0;
}

std::string RankGroup::start()
{
    std::string problem = whyNotRunnable(m_plan);
    if (problem.empty())
        problem = m_master.open();
    for (int rank = 0; problem.empty() && rank < m_plan.ranks; ++rank)
        problem = startRank(rank);
    // Only rank 0 keeps the socket open, so that its peers cannot connect to this process after rank 0 has died.
    m_master.close();
    if (!problem.empty())
        killRemaining();
    return problem;
}

std::string RankGroup::startRank(int rank)
{
    Rank& started = m_ranks.at(static_cast<std::size_t>(rank));
    const std::filesystem::path log = m_folder.log(rank);
    const int made = contract::openRegularFile(log, O_WRONLY | O_APPEND | O_CREAT, contract::Links::Refuse);
    if (made < 0)
        return contract::cannotBe("written", log, errno);
    ::close(made);
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
    prepareRank(process, {rank, m_plan.ranks, m_plan.threads, m_plan.visibleGpus, m_plan.variables}, m_master);
    connect(&process, &QProcess::finished, this,
        [this, rank](int code, QProcess::ExitStatus status) { onFinished(rank, code, status); });
    process.start(QIODevice::ReadOnly);
    if (!process.waitForStarted(-1))
        return "rank " + std::to_string(rank) + " could not be started ("
            + process.errorString().toStdString() + "): check the worker program " + m_plan.worker + " and the log "
            + log.string();
    started.isAlive = true;
    ++m_alive;
    return {};
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
        .endedBySupervisor = m_areExitsRequested,
        .sawOomKill = false,
        .step = readJournalEnd(m_folder.journal(rank), m_plan.attempt, ended.journalOffset).step,
        .errorText = {}};
    exit.sawOomKill
        = exit.isSignal && code == SIGKILL && !exit.endedBySupervisor && m_oom.hasKilledSinceMark();
    if (!exit.isSignal && exit.isFailure())
        exit.errorText = lastErrorLine(log.text, rank);
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
    // The process id cannot have been reused: Qt has not reaped the process yet.
    if (each.isAlive && each.process->processId() > 0)
        ::kill(static_cast<pid_t>(each.process->processId()), number);
}

std::vector<std::int64_t> RankGroup::processes() const
{
    std::vector<std::int64_t> ids;
    for (const Rank& rank : m_ranks) {
        if (rank.isAlive)
            ids.push_back(rank.process->processId());
    }
    return ids;
}

void RankGroup::interruptAll()
{
    m_areExitsRequested = true;
    signalAll(SIGINT);
}

void RankGroup::killAll()
{
    m_areExitsRequested = true;
    signalAll(SIGKILL);
}

}  // namespace launcher
