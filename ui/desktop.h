// Runs the desktop program: the application object, the single-instance check and the main window.
#pragma once
#include "launcher/base/data_home.h"
#include "launcher/remote/remote_host.h"

#include <filesystem>
#include <optional>
#include <string>

namespace ui {

struct DesktopOptions {
    std::string openRun;               ///< id of a run to inspect and draw; empty: none
    bool startDemo = false;            ///< start the digits experiment
    std::filesystem::path experiment;  ///< file to open in the launch window; empty: none
    std::optional<launcher::RemoteHost> host = {};  ///< shows that machine's runs; the others above must then be empty
};

/// Shows the main window and returns when it is closed. If a window is already open for this data home, passes
/// @p options on to it and returns at once.
/// @return the program's exit code.
int runDesktop(int& argc, char** argv, const DesktopOptions& options);

/// Lets the window that is open on @p home, if one is, take all alerts that it lists as read. Needs an application object.
/// @return whether one is open, and has taken it
bool readAlertsInWindow(const launcher::DataHome& home);

}  // namespace ui
