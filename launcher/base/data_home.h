// The folders in which Atelier keeps its files on this machine.
#pragma once
#include <filesystem>
#include <string>

namespace launcher {

/// All folders are under ATELIER_HOME when that is set; otherwise they are the XDG folders with /atelier appended.
struct DataHome {
    std::filesystem::path data;     ///< database and run folders
    std::filesystem::path config;   ///< settings and presets
    std::filesystem::path state;    ///< layout, recents, drafts
    std::filesystem::path cache;    ///< thumbnails
    std::filesystem::path runtime;  ///< sockets; short enough that a socket's path fits sockaddr_un::sun_path

    /// Reads the environment; creates nothing.
    static DataHome locate();

    /// All folders under one, as ATELIER_HOME has them.
    static DataHome under(const std::filesystem::path& folder);

    std::filesystem::path database() const { return data / "atelier.db"; }
    std::filesystem::path runs() const { return data / "runs"; }
    std::filesystem::path trash() const { return data / "trash"; }

    /// Creates the folders, except the trash. @throws std::runtime_error in one sentence naming the folder and the reason.
    void create() const;
};

/// Path of the control socket of a run's supervisor: runtime / "s-<hash of the folder's path>".
std::filesystem::path supervisorSocket(const DataHome& home, const std::filesystem::path& runFolder);

/// The folder with the icons, the ready experiments and the digits data: $ATELIER_RESOURCES when set, else share/atelier
/// of the installation, else resources/ of the source tree that the program was built from.
std::filesystem::path resourcesFolder();

}  // namespace launcher
