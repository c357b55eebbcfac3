// Opens Atelier on another data home, or on another machine.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

namespace launcher {

/// Opens another window, whose data home is @p folder (ATELIER_HOME), with the experiment @p toml in its launch form. Creates the folder.
/// Does not wait for the window. @throws std::runtime_error in one sentence when the folder cannot be written, or the program not started.
void openOnHome(const std::filesystem::path& folder, std::string_view toml);

/// Opens a window on the machine @p host (see parseRemoteHost()), where Atelier is called @p program. Does not wait for it.
/// @throws std::runtime_error in one sentence when the program could not be started.
void openOnHost(const std::string& host, const std::string& program);

}  // namespace launcher
