// atelier: the window without a command, the command line with one.
#include "app/cli/command_line.h"
#include "ui/desktop.h"

#include <cstdio>
#include <cstdlib>

namespace {

bool hasDisplay()
{
    for (const char* variable : {"QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY"}) {
        const char* value = std::getenv(variable);
        if (value && *value)
            return true;
    }
    return false;
}

}  // namespace

int main(int argc, char** argv)
{
    const app::CommandLine line = app::runCommandLine(argc, argv);
    if (!line.isDesktop)
        return line.exitCode;
    if (!hasDisplay()) {
        std::fputs("error: the window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set; "
                   "`atelier run digits` trains without one, `atelier --help` lists all commands\n",
            stderr);
        return 1;
    }
    int plainCount = 1;  // our own words are no words for Qt
    return ui::runDesktop(plainCount, argv,
        {.openRun = line.openRun, .startDemo = line.startDemo, .experiment = line.experiment});
}
