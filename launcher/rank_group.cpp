#include "launcher/rank_group.h"

#include "launcher/file_end.h"
#include "launcher/journal_end.h"
#include "launcher/rank_process.h"
#include "launcher/sentence.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace launcher {
namespace {

QString number(int value) { return QString::number(value); }
QString text(const std::filesystem::path& path) { return QString::fromStdString(path.string()); }

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
    prepareRank(process, {rank, m_plan.ranks, m_plan.threads}, m_master);
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
