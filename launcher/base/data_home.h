// The folders in which Atelier keeps its files on this machine.
//
// [Note: the index on a local disk]
// SQLite's write-ahead log needs memory that all processes share and locks that hold; a network disk has neither for sure. The run
// folders may lie on one, and the database can be rebuilt from them at any time. So when the data home lies on a network disk, the
// database is kept on a local one: in the state folder if that is local, else below /var/tmp. Each machine then has its own.
// $ATELIER_INDEX names another folder for it.
#pragma once
#include "launcher/base/network_disk.h"

#include <filesystem>
#include <string>

namespace launcher {

/// All folders are under ATELIER_HOME when that is set; otherwise they are the XDG folders with /atelier appended.
struct DataHome {
    std::filesystem::path data;     ///< run folders
    std::filesystem::path index;    ///< the database; data, unless that lies on a network disk, see [Note: the index on a local disk]
    std::filesystem::path config;   ///< settings and presets
    std::filesystem::path state;    ///< layout, recents, drafts
    std::filesystem::path cache;    ///< thumbnails
    std::filesystem::path runtime;  ///< sockets; short enough that a socket's path fits sockaddr_un::sun_path

    using NetworkCheck = std::string (*)(const std::filesystem::path& folder);

    /// Reads the environment; creates nothing.
    static DataHome locate(NetworkCheck check = networkFileSystem);

    /// All folders under one, as ATELIER_HOME has them.
    static DataHome under(const std::filesystem::path& folder, NetworkCheck check = networkFileSystem);

    std::filesystem::path database() const { return index / "atelier.db"; }
    std::filesystem::path runs() const { return data / "runs"; }
    std::filesystem::path trash() const { return data / "trash"; }

    /// Creates the folders, except the trash. @throws std::runtime_error in one sentence naming the folder and the reason.
    void create() const;
    /// Creates the database's folder alone. Throws as create() does.
    void createIndex() const;

private:
    void chooseIndex(NetworkCheck check);
};

/// Path of the control socket of a run's supervisor: runtime / "s-<hash of the folder's path>".
std::filesystem::path supervisorSocket(const DataHome& home, const std::filesystem::path& runFolder);

/// The folder with the icons, the ready experiments and the digits data: $ATELIER_RESOURCES when set, else share/atelier
/// of the installation, else resources/ of the source tree that the program was built from.
std::filesystem::path resourcesFolder();

}  // namespace launcher
