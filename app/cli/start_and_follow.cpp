#include "app/cli/start_and_follow.h"

#include "app/cli/follower.h"

#include <string>

namespace app {
namespace {

Json startJson(const contract::RunFolder& folder)
{
    return {{"run", folder.id()}, {"folder", folder.root().string()},
        {"attempt", folder.attempts().back()}};
}

std::string placesText(const contract::RunFolder& folder)
{
    return "Run:         " + folder.id() + "\nFolder:      " + folder.root().string()
        + "\nPictures:    " + folder.samples().string() + "\nCheckpoints: "
        + folder.checkpoints().string() + "\n";
}

ExitCode tellEnd(const Follower& follower, const contract::RunFolder& folder,
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
    const std::string cause = result.cause.empty() ? "the cause is not known" : result.cause;
    throw Failure("run " + folder.id() + " " + (result.outcome == "failed" ? "failed" : "was interrupted")
        + ": " + cause + "; its logs are in " + folder.logs().string());
}

}  // namespace

ExitCode startAndFollow(const launcher::DataHome& home, launcher::PreparedRun run,
    const contract::Experiment& experiment, const StartRequest& request)
{
    const contract::RunFolder& folder = run.folder;
    if (request.isDetached) {
        launcher::startSupervisor(folder);
        if (request.isJson)
            printJson(startJson(folder));
        else
            printText(placesText(folder) + "Training goes on in the background: `atelier show "
                + folder.id() + "` looks at it, `atelier stop " + folder.id() + "` stops it.\n");
        return kSuccess;
    }
    Follower follower(home, folder, experiment, request.isJson ? stderr : stdout);
    launcher::startSupervisor(folder);
    run.lock.release();
    if (!request.isJson)
        printText(placesText(folder));
    switch (follower.follow()) {
    case Follower::End::Left:
        return kSuccess;
    case Follower::End::Killed:
        return kKilled;
    case Follower::End::Ended:
        break;
    }
    return tellEnd(follower, folder, experiment, request.isJson);
}

}  // namespace app
