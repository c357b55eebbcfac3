// atelier: opens the window when no command is given, otherwise executes the command.
#include "app/cli/command_line.h"
#include "ui/desktop.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

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
    const bool isPlatformGiven = std::ranges::find(line.qtArguments, "-platform") != line.qtArguments.end();
    if (!isPlatformGiven && !hasDisplay()) {
        std::fputs("error: the window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY is set; "
                   "`atelier run digits` trains without one, `atelier --help` lists all commands\n",
            stderr);
        return 1;
    }
    std::vector<char*> qtArguments = {argv[0]};  // without Atelier's own
    for (const std::string& argument : line.qtArguments)
        qtArguments.push_back(const_cast<char*>(argument.c_str()));
    qtArguments.push_back(nullptr);
    int count = static_cast<int>(qtArguments.size()) - 1;
    return ui::runDesktop(count, qtArguments.data(),
        {.openRun = line.openRun, .startDemo = line.startDemo, .experiment = line.experiment, .host = line.host});
}
