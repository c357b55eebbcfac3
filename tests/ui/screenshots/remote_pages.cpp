#include "tests/app/remote_machine.h"
#include "tests/ui/screenshots/pages.h"
#include "ui/logs/logs_dock.h"
#include "ui/remote/host_dialog.h"

#include <QLabel>

#include <algorithm>
#include <signal.h>

namespace screenshots {
namespace {

using launcher::RunState;

bool says(ui::MainWindow& window, const char* beginning)
{
    return window.findChild<QLabel*>(QStringLiteral("remoteLabel"))->text().startsWith(QLatin1String(beginning));
}

bool shows(ui::MainWindow& window, const char* text)
{
    const auto labels = window.findChildren<QLabel*>();
    return std::ranges::any_of(labels, [&](const QLabel* label) { return label->text().contains(QLatin1String(text)); });
}

/// Starts a run there that takes longer than the pages.
void startRun(tests::AtelierProgram& program)
{
    const QString data = program.writeFile(QStringLiteral("data.csv"), "0\n");
    const QString file = program.writeFile(QStringLiteral("long.toml"),
        "[run]\nname = \"long\"\ntotal_steps = 1000000\n[launch]\nranks = 2\n[data]\npath = \"" + data.toUtf8() + "\"\n");
    if (program.runWell({QStringLiteral("run"), file, QStringLiteral("--detach")}).exitCode != 0)
        qFatal("the run was not started");
}

void showEmpty(Album& album)
{
    const tests::RemoteMachine machine;
    const auto window = openWindow(machine.mirrorHome(), QSize(1600, 920), machine.host());
    waitFor([&] { return says(*window, "Connected"); });
    settle(*window);
    album.keepBoth(*window, QStringLiteral("remote-empty"));
}

void showConnectedAndCutOff(Album& album)
{
    tests::RemoteMachine machine;
    for (const char* run : {"digits-20261120-101500-aaaa", "faces-20261121-101500-bbbb"})
        machine.program().addFinishedRun(run, 404);
    startRun(machine.program());
    const auto window = openWindow(machine.mirrorHome(), QSize(1600, 920), machine.host());
    const auto stateIs = [&](RunState state) {
        for (const ui::RunEntry& entry : window->workbench().runs.entries()) {
            if (entry.name() == QLatin1String("long") && entry.status && entry.status->state == state) {
                window->openRun(entry.id());
                return true;
            }
        }
        return false;
    };
    waitFor([&] { return says(*window, "Connected") && stateIs(RunState::Running) && window->logs().model().count() > 0; });
    waitFor([&] { return shows(*window, "1 active run"); });
    settle(*window);
    album.keepBoth(*window, QStringLiteral("remote-connected"));
    machine.setReachable(false);
    for (const pid_t server : machine.servers())
        ::kill(server, SIGKILL);
    waitFor([&] { return says(*window, "No connection") && stateIs(RunState::CutOff) && shows(*window, "Connection refused"); });
    settle(*window);
    album.keepBoth(*window, QStringLiteral("remote-cut-off"));
    window->resize(800, 500);
    settle(*window);
    album.keepBoth(*window, QStringLiteral("remote-cut-off-small"));
}

void showDialog(Album& album)
{
    ui::HostDialog dialog({launcher::RemoteHost {.destination = "me@gpu1.example.org"}});
    dialog.show();
    album.keepBoth(dialog, QStringLiteral("remote-dialog"));
    dialog.showProblem(QStringLiteral("ssh: connect to host gpu1.example.org port 22: Connection refused"));
    album.keepBoth(dialog, QStringLiteral("remote-dialog-problem"));
}

}  // namespace

void showRemote(Album& album)
{
    showDialog(album);
    showEmpty(album);
    showConnectedAndCutOff(album);
}

}  // namespace screenshots
