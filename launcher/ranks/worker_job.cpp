#include "launcher/ranks/worker_job.h"

#include "launcher/ranks/master_socket.h"
#include "launcher/ranks/rank_exit.h"
#include "launcher/ranks/rank_process.h"
#include "launcher/ranks/worker_libraries.h"

#include <algorithm>
#include <memory>

namespace launcher {
namespace {

using Ranks = std::vector<std::unique_ptr<QProcess>>;

constexpr int kPollMs = 100;

/// Calls @p onLine with each complete line of standard output and, once the rank has exited, with the rest.
void forwardLines(QProcess& rank, const std::function<void(const std::string&)>& onLine)
{
    const bool isOver = rank.state() == QProcess::NotRunning;
    while (rank.canReadLine() || (isOver && rank.bytesAvailable() > 0))
        onLine(rank.readLine().trimmed().toStdString());
}

bool hasFailed(const QProcess& rank)
{
    return rank.state() == QProcess::NotRunning && (rank.exitStatus() == QProcess::CrashExit || rank.exitCode() != 0);
}

bool isRunning(const std::unique_ptr<QProcess>& rank) { return rank->state() != QProcess::NotRunning; }

void killAll(const Ranks& ranks)
{
    for (const auto& rank : ranks) {
        if (isRunning(rank)) {
            rank->kill();
            rank->waitForFinished(-1);  // SIGKILL takes effect at once
        }
    }
}

std::string whyFailed(QProcess& process, int rank)
{
    const std::string message = lastErrorLine(process.readAllStandardError().toStdString(), rank);
    if (!message.empty())
        return message;
    const bool isSignal = process.exitStatus() == QProcess::CrashExit;
    constexpr int kNotLoaded = 127;  // of the dynamic linker
    if (!isSignal && process.exitCode() == kNotLoaded) {
        const std::string missing = missingLibraries(process.program().toStdString(), {});
        if (!missing.empty())
            return missing;
    }
    return "rank " + std::to_string(rank) + (isSignal ? " was ended by signal " : " failed with exit code ")
        + std::to_string(process.exitCode());
}

/// Returns the rank whose failure is not a consequence of another one's; -1 when none has failed.
int firstFailure(const Ranks& ranks)
{
    std::vector<RankExit> exits;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (hasFailed(*ranks[i]))
            exits.push_back({.rank = static_cast<int>(i), .isSignal = ranks[i]->exitStatus() == QProcess::CrashExit, .code = ranks[i]->exitCode(), .errorText = {}});
    }
    const auto cause = firstCause(exits);
    return cause ? cause->rank : -1;
}

/// @return empty, or why rank @p rank could not be started.
std::string startWorker(QProcess& process, const WorkerJob& job, int rank, const MasterSocket& master)
{
    process.setProgram(QString::fromStdString(job.worker));
    QStringList arguments;
    for (const std::string& argument : job.arguments)
        arguments << QString::fromStdString(argument);
    process.setArguments(arguments);
    process.setStandardInputFile(QProcess::nullDevice());
    if (rank > 0)
        process.setStandardOutputFile(QProcess::nullDevice());
    prepareRank(process, {rank, job.ranks, job.threads, job.visibleGpus}, master);
    process.start(QIODevice::ReadOnly);
    if (process.waitForStarted(-1))
        return {};
    return "rank " + std::to_string(rank) + " could not be started (" + process.errorString().toStdString()
        + "): check the worker program " + job.worker;
}

/// Blocks until all ranks have exited, one has failed, or the job has enough.
void waitForAll(const Ranks& ranks, const WorkerJob& job, const std::function<void(const std::string&)>& onLine)
{
    while (std::ranges::any_of(ranks, isRunning) && firstFailure(ranks) < 0 && !(job.isEnough && job.isEnough())) {
        const auto awaited = std::ranges::find_if(ranks, isRunning);
        if (awaited == ranks.begin())
            (*awaited)->waitForReadyRead(kPollMs);
        else
            (*awaited)->waitForFinished(kPollMs);
        for (const auto& rank : ranks)
            rank->waitForFinished(0);
        forwardLines(*ranks.front(), onLine);
    }
    forwardLines(*ranks.front(), onLine);
}

}  // namespace

std::string runWorkers(const WorkerJob& job, const std::function<void(const std::string& line)>& onLine)
{
    MasterSocket master;
    if (const std::string problem = master.open(); !problem.empty())
        return problem;
    Ranks ranks;
    std::string problem;
    for (int rank = 0; problem.empty() && rank < job.ranks; ++rank) {
        ranks.push_back(std::make_unique<QProcess>());
        problem = startWorker(*ranks.back(), job, rank, master);
    }
    master.close();
    if (problem.empty()) {
        waitForAll(ranks, job, onLine);
        if (const int failed = firstFailure(ranks); failed >= 0)
            problem = whyFailed(*ranks[static_cast<std::size_t>(failed)], failed);
    }
    killAll(ranks);
    return problem;
}

}  // namespace launcher
