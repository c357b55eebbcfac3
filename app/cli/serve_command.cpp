// atelier serve
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/version.h"
#include "launcher/base/data_home.h"
#include "launcher/remote/server.h"

#include <QCoreApplication>

#include <unistd.h>

#include <csignal>

namespace app {
namespace {

ExitCode serve()
{
    std::signal(SIGPIPE, SIG_IGN);
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    const launcher::Server server(launcher::DataHome::locate(), kVersion, STDIN_FILENO, STDOUT_FILENO);
    QObject::connect(&server, &launcher::Server::ended, &application, &QCoreApplication::quit, Qt::QueuedConnection);
    QCoreApplication::exec();
    return kSuccess;
}

}  // namespace

void addServeCommand(CLI::App& app, Action& action)
{
    CLI::App* command = app.add_subcommand("serve", "Serve the runs of this machine to a window on another one, on standard input and output");
    command->footer("For programs, not for people: `atelier --host HOST` starts it over ssh.");
    command->callback([&action] { action = [] { return serve(); }; });
}

}  // namespace app
