#include "app/cli/start_and_follow.h"

#include "app/cli/follower.h"
#include "app/cli/queue_runs.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "launcher/runs/launch.h"
#include "launcher/slurm/slurm_job.h"

#include <string>

namespace app {
namespace {

Json startJson(const contract::RunFolder& folder)
{
    Json json {{"run", folder.id()}, {"folder", folder.root().string()}, {"attempt", folder.attempts().back()}};
    if (const auto job = launcher::slurmJob(folder))
        json["slurm_job"] = job->id;
    return json;
}

std::string pathsText(const contract::RunFolder& folder)
{
    return "Run:         " + folder.id() + "\nFolder:      " + folder.root().string()
        + "\nImages:      " + folder.samples().string() + "\nCheckpoints: "
        + folder.checkpoints().string() + "\n";
}

/// Empty for a run that is not in Slurm.
std::string jobText(const contract::RunFolder& folder)
{
    const auto job = launcher::slurmJob(folder);
    return job ? "Slurm job:   " + job->id + ", its script " + launcher::slurmScriptFile(folder).string() + "\n" : std::string();
}

ExitCode reportEnd(const Follower& follower, const contract::RunFolder& folder,
    const contract::Experiment& experiment, bool isJson)
{
    const RunResult& result = follower.result();
    if (isJson)
        printJson(endJson(result, folder));
    if (result.outcome == "finished" || result.outcome == "stopped") {
        if (!isJson)
            printText(endText(result, folder, experiment));
        return kSuccess;
    }
    if (!isJson)
        printText(resumeHint(result, folder, experiment));
    const std::string cause = result.cause.empty() ? "the cause is unknown" : result.cause;
    throw Failure("run " + folder.id() + " " + (result.outcome == "failed" ? "failed" : "was interrupted")
        + ": " + cause + (cause.find("its log is ") == std::string::npos ? "; its logs are in " + folder.logs().string() : " in " + folder.root().string()));
}

}  // namespace

ExitCode startAndFollow(const launcher::DataHome& home, launcher::PreparedRun run,
    const contract::Experiment& experiment, const StartRequest& request)
{
    const contract::RunFolder& folder = run.folder;
    const bool isInSlurm = contract::isForSlurm(experiment);
    if (isInSlurm)
        showInDatabase(home, {folder});
    if (request.isDetached) {
        launcher::startPrepared(run);
        if (request.isJson)
            printJson(startJson(folder));
        else
            printText(pathsText(folder) + jobText(folder) + "Training continues in the background: `atelier show "
                + folder.id() + "` shows its state, `atelier stop " + folder.id() + "` stops it.\n");
        return kSuccess;
    }
    Follower follower(home, folder, experiment, request.isJson ? stderr : stdout);
    launcher::startPrepared(run);
    run.lock.release();
    if (!request.isJson)
        printText(pathsText(folder) + jobText(folder));
    switch (follower.follow()) {
    case Follower::End::Detached:
        return kSuccess;
    case Follower::End::Killed:
        return kKilled;
    case Follower::End::Ended:
        break;
    }
    return reportEnd(follower, folder, experiment, request.isJson);
}

}  // namespace app
