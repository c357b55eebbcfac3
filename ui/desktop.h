// The desktop program: from main() to the window's end.
#pragma once
#include <filesystem>
#include <string>

namespace ui {

struct DesktopOptions {
    std::string openRun;               ///< id of a run to inspect and draw
    bool startDemo = false;            ///< start the digits experiment
    std::filesystem::path experiment;  ///< opened in the launch window
};

/// Shows the window until it is closed, or raises the one that is open for this data home.
/// @return exit code of the program.
int runDesktop(int& argc, char** argv, const DesktopOptions& options);

}  // namespace ui
