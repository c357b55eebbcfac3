// Where Atelier keeps things on this machine.
#pragma once
#include <filesystem>
#include <string>

namespace launcher {

/// With ATELIER_HOME set everything lies under it; else the XDG folders, each with /atelier appended.
struct DataHome {
    std::filesystem::path data;     ///< database and run folders
    std::filesystem::path config;   ///< settings and presets
    std::filesystem::path state;    ///< layout, recents, drafts
    std::filesystem::path cache;    ///< thumbnails
    std::filesystem::path runtime;  ///< sockets; short enough for sun_path

    static DataHome locate();

    std::filesystem::path database() const { return data / "atelier.db"; }
    std::filesystem::path runs() const { return data / "runs"; }
    std::filesystem::path trash() const { return data / "trash"; }

    /// Creates the folders. @throws std::runtime_error in one sentence naming the folder and the reason.
    void create() const;
};

/// The socket of a run's supervisor: runtime / "s-<hash of the folder's path>".
std::filesystem::path supervisorSocket(const DataHome& home, const std::filesystem::path& runFolder);

/// Where resources/ (icons, ready experiments, digits data) lies: $ATELIER_RESOURCES, beside the installed
/// program, or in the source tree it was built from.
std::filesystem::path resourcesFolder();

}  // namespace launcher
