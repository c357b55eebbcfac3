// atelier schedule (hidden): the process that starts the runs in the queue.
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "launcher/scheduler/scheduler.h"

#include <QCoreApplication>

#include <sys/stat.h>

namespace app {
namespace {

ExitCode schedule()
{
    ::umask(077);
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    launcher::Scheduler scheduler(launcher::DataHome::locate());
    QObject::connect(&scheduler, &launcher::Scheduler::idle, &application, &QCoreApplication::quit, Qt::QueuedConnection);
    if (const std::string problem = scheduler.start(); !problem.empty())
        throw Failure(problem);
    return static_cast<ExitCode>(QCoreApplication::exec());
}

}  // namespace

void addScheduleCommand(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("schedule", "Start the runs in the queue");
    command->group("");  // hidden: only other commands start it
    command->callback([&action] { action = schedule; });
}

}  // namespace app
