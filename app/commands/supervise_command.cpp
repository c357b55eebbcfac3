// atelier supervise (hidden): the process that owns the ranks of a run.
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/commands/ingest_thread.h"
#include "engine/contract/run/journal.h"
#include "launcher/base/data_home.h"
#include "launcher/scheduler/start_scheduler.h"
#include "launcher/supervisor/supervisor.h"
#include "launcher/supervisor/supervisor_log.h"

#include <QCoreApplication>

#include <sys/stat.h>

#include <memory>

namespace app {
namespace {

/// A scheduler that was killed, or did not come back with the machine, is started again by the first run that ends.
void continueQueue(const launcher::DataHome& home, launcher::SupervisorLog& log)
{
    try {
        launcher::ensureScheduler(home);
    } catch (const std::exception& error) {
        log.warning(error.what());
    }
}

ExitCode supervise(const std::string& path)
{
    ::umask(077);  // what the supervisor and the ranks write is for this user alone
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);

    const contract::RunFolder folder(std::filesystem::absolute(path).lexically_normal());
    if (folder.attempts().empty())
        throw Failure(folder.root().string() + " is not a run folder with an attempt");
    const launcher::DataHome home = launcher::DataHome::locate();
    launcher::Supervisor supervisor(home, folder);
    if (const std::string problem = supervisor.start(); !problem.empty())
        throw Failure(problem);

    launcher::SupervisorLog log(folder.log(contract::kSupervisorRank));
    IngestThread ingest(home.database(), folder, [&log](const std::string& problem) {
        log.warning("the database cannot be updated for now: " + problem);
    });
    QObject::connect(&supervisor, &launcher::Supervisor::recordsWritten, &application,
        [&] { ingest.wake(); });
    // So that the user's next command, which waits for the run to end, finds all of it in the database.
    QObject::connect(&supervisor, &launcher::Supervisor::ending, &application, [&] { ingest.finish(); });
    QObject::connect(&supervisor, &launcher::Supervisor::finished, &application,
        [](const QString& outcome) { QCoreApplication::exit(outcome == "failed" ? kFailed : kSuccess); });

    const auto code = static_cast<ExitCode>(QCoreApplication::exec());
    continueQueue(home, log);
    return code;
}

}  // namespace

void addSuperviseCommand(CLI::App& app, Action& action)
{
    const auto folder = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("supervise", "Own the ranks of a run's last attempt");
    command->group("");  // hidden: only other commands start it
    command->add_option("FOLDER", *folder, "Run folder")->required();
    command->callback([folder, &action] { action = [folder] { return supervise(*folder); }; });
}

}  // namespace app
