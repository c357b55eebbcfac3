#include "launcher/slurm/slurm_client.h"

#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/new_folder.h"
#include "engine/contract/formats/output_file.h"
#include "launcher/base/file_end.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_job.h"
#include "launcher/slurm/slurm_script.h"

#include <QProcess>
#include <QStringList>

#include <algorithm>
#include <stdexcept>
#include <string_view>

namespace launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeout = 10s;

struct Answer {
    std::string output;
    std::string problem;  ///< one sentence; empty on success
};

/// @p errors in one line, without what each begins with, as in "sbatch: error: ".
QString joinedErrors(const QString& program, const QString& errors)
{
    QStringList lines;
    for (QString line : errors.split(QLatin1Char('\n'), Qt::SkipEmptyParts)) {
        for (const QString& beginning : {program + QStringLiteral(": "), QStringLiteral("error: "), QStringLiteral("fatal: ")}) {
            if (line.startsWith(beginning))
                line.remove(0, beginning.size());
        }
        lines << line.simplified();
    }
    return lines.join(QStringLiteral("; "));
}

/// Runs one of Slurm's programs.
Answer ask(const QString& program, const QStringList& arguments, std::chrono::milliseconds limit = kTimeout)
{
    QProcess process;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("LC_ALL"), QStringLiteral("C.UTF-8"));
    environment.remove(QStringLiteral("SLURM_TIME_FORMAT"));
    process.setProcessEnvironment(environment);
    process.setStandardInputFile(QProcess::nullDevice());
    process.start(program, arguments);
    const std::string name = program.toStdString();
    if (!process.waitForStarted(-1))
        return {{}, name + " is not installed on this machine: use one from which jobs are submitted to Slurm"};
    if (!process.waitForFinished(static_cast<int>(limit.count()))) {
        process.kill();
        process.waitForFinished(-1);
        return {{}, "Slurm's " + name + " has not answered in time; does the controller of the cluster run?"};
    }
    if (process.exitStatus() == QProcess::NormalExit && process.exitCode() == 0)
        return {process.readAllStandardOutput().trimmed().toStdString(), {}};
    return {{}, "Slurm's " + name + " says: " + joinedErrors(program, QString::fromUtf8(process.readAllStandardError())).left(500).toStdString()};
}

/// @p line is "state|reason|nodes|start".
SlurmSighting parseSighting(const QString& line)
{
    const QStringList parts = line.split(QLatin1Char('|'));
    const auto part = [&](int index) {
        const std::string text = parts.value(index).toStdString();
        constexpr std::string_view kNothing[] = {"None", "N/A", "Unknown", "None assigned"};
        return std::ranges::count(kNothing, text) > 0 ? std::string() : text;
    };
    return {.state = parts.value(0).section(QLatin1Char(' '), 0, 0).toStdString(),  // sacct: "CANCELLED by 1000"
        .reason = part(1), .nodes = part(2), .start = part(3), .problem = {}, .seenUnixMs = nowUnixMs()};
}

/// @throws std::runtime_error when Slurm does not answer.
SlurmSighting sightingOf(const std::string& job)
{
    const QString id = QString::fromStdString(job);
    const Answer queue = ask(QStringLiteral("squeue"),
        {QStringLiteral("--noheader"), QStringLiteral("--states=all"), QStringLiteral("--jobs=") + id, QStringLiteral("--format=%T|%r|%N|%S")});
    if (!queue.output.empty())
        return parseSighting(QString::fromStdString(queue.output).section(QLatin1Char('\n'), 0, 0));
    // The controller forgets a job some minutes after its end; the accounting, where there is one, does not.
    if (!queue.problem.empty() && queue.problem.find("Invalid job id") == std::string::npos)
        throw std::runtime_error(queue.problem);
    const Answer account = ask(QStringLiteral("sacct"), {QStringLiteral("--noheader"), QStringLiteral("--parsable2"),
        QStringLiteral("--allocations"), QStringLiteral("--jobs=") + id, QStringLiteral("--format=State,Reason,NodeList,Start")});
    if (account.output.empty())
        return {.state = "UNKNOWN", .seenUnixMs = nowUnixMs()};
    return parseSighting(QString::fromStdString(account.output).section(QLatin1Char('\n'), -1));
}

}  // namespace

std::string submitToSlurm(PreparedRun& run)
{
    const contract::Experiment experiment = contract::experimentOf(run.folder, run.attempt);
    contract::makeSubfolders(run.folder);
    contract::createFolder(slurmFolder(run.folder));
    contract::writeFileAtomically(slurmScriptFile(run.folder), slurmScript(experiment, run.folder.root(), programPath("atelier-worker")));
    for (const char* file : {"restarts", "begun"}) {
        std::error_code ignored;
        std::filesystem::remove(slurmFolder(run.folder) / file, ignored);
    }
    run.lock.release();
    const Answer answer = ask(QStringLiteral("sbatch"),
        {QStringLiteral("--parsable"), QString::fromStdString(slurmScriptFile(run.folder).string())}, 60s);
    if (!answer.problem.empty())
        throw std::runtime_error(answer.problem);
    // "4711" or "4711;cluster".
    const std::string id = answer.output.substr(0, answer.output.find(';'));
    const SlurmJob job {.id = id, .attempt = run.attempt, .submittedUnixMs = nowUnixMs()};
    writeSlurmJob(run.folder, job);
    return job.id;
}

std::string refreshSlurm(const contract::RunFolder& folder, std::chrono::milliseconds age)
{
    try {
        const auto job = liveSlurmJob(folder);
        if (!job)
            return {};
        SlurmSighting seen = lastSighting(folder, *job);
        if (nowUnixMs() - seen.seenUnixMs < age.count())
            return seen.problem;
        try {
            seen = sightingOf(job->id);
        } catch (const std::runtime_error& error) {
            seen.problem = error.what();
            seen.seenUnixMs = nowUnixMs();
        }
        writeSighting(folder, *job, seen);
        return seen.problem;
    } catch (const std::exception& error) {
        return error.what();
    }
}

void requireNoSlurmJob(const contract::RunFolder& folder)
{
    refreshSlurm(folder, 0ms);
    if (const auto job = liveSlurmJob(folder))
        throw std::runtime_error("run " + folder.id() + " is in Slurm, as job " + job->id + "; stop the run first");
}

std::string cancelSlurm(const contract::RunFolder& folder)
{
    const auto job = liveSlurmJob(folder);
    if (!job)
        return "run " + folder.id() + " has no job in Slurm that waits or runs";
    const Answer answer = ask(QStringLiteral("scancel"), {QString::fromStdString(job->id)});
    refreshSlurm(folder, 0ms);
    return answer.problem;
}

std::string slurmProblem(std::chrono::milliseconds limit)
{
    if (const Answer answer = ask(QStringLiteral("sbatch"), {QStringLiteral("--version")}, limit); !answer.problem.empty())
        return answer.problem;
    return ask(QStringLiteral("sinfo"), {QStringLiteral("--noheader"), QStringLiteral("--format=%P")}, limit).problem;
}

}  // namespace launcher
