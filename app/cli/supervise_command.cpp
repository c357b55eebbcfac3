// atelier supervise (hidden): the process that owns a run's ranks.
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/cli/signal_pipe.h"
#include "app/ingest_thread.h"
#include "launcher/data_home.h"
#include "launcher/supervisor.h"

#include <QCoreApplication>
#include <QSocketNotifier>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <memory>

namespace app {
namespace {

/// One line of logs/supervisor.log, which the launcher made of standard error.
void logWarning(const std::string& text)
{
    using namespace std::chrono;
    const auto now = duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
    const auto seconds = static_cast<std::time_t>(now / 1000);
    std::tm local {};
    ::localtime_r(&seconds, &local);
    char stamp[32];
    std::strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", &local);
    std::fprintf(stderr, "%s.%03d [warning] [supervisor] %s\n", stamp, static_cast<int>(now % 1000),
        text.c_str());
}

ExitCode supervise(const std::string& path)
{
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);

    const contract::RunFolder folder(std::filesystem::absolute(path).lexically_normal());
    if (folder.attempts().empty())
        throw Failure(folder.root().string() + ": no run folder with an attempt in it");
    const launcher::DataHome home = launcher::DataHome::locate();
    launcher::Supervisor supervisor(home, folder);
    if (const std::string problem = supervisor.start(); !problem.empty())
        throw Failure(problem);

    IngestThread ingest(home.database(), folder, [](const std::string& problem) {
        logWarning("the database does not follow for now: " + problem);
    });
    QObject::connect(&supervisor, &launcher::Supervisor::recordsWritten, &application,
        [&] { ingest.wake(); });
    QObject::connect(&supervisor, &launcher::Supervisor::finished, &application,
        [](const QString& outcome) { QCoreApplication::exit(outcome == "failed" ? kFailed : kSuccess); });

    // The machine shuts down, or somebody stops the process by hand: training ends in good order.
    SignalPipe signals;
    QSocketNotifier notifier(signals.descriptor(), QSocketNotifier::Read);
    QObject::connect(&notifier, &QSocketNotifier::activated, &application, [&] {
        if (signals.wait(std::chrono::milliseconds(0)).value_or(SIGHUP) != SIGHUP)
            supervisor.stop();
    });
    return static_cast<ExitCode>(QCoreApplication::exec());
}

}  // namespace

void addSuperviseCommand(CLI::App& app, Action& action)
{
    const auto folder = std::make_shared<std::string>();
    CLI::App* command = app.add_subcommand("supervise", "Own the ranks of a run's last attempt");
    command->group("");  // started by the other commands, never by hand
    command->add_option("FOLDER", *folder, "Run folder")->required();
    command->callback([folder, &action] { action = [folder] { return supervise(*folder); }; });
}

}  // namespace app
