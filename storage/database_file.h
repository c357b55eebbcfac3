// The database as a file: opened, created, checked, seen to be replaced.
//
// [Note: the folder's lock]
// SQLite keeps a database apart from others by its path ("<name>-wal", "<name>-shm") and by its inode. A file
// that takes another's place while both are open could mix them up. So whoever creates, migrates or replaces
// the file holds an exclusive lock on its folder, and whoever opens it a shared one until its first read is
// done. An open Store looks at the path's inode before each use and opens anew when it has changed.
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <filesystem>
#include <memory>

namespace storage {

/// Held for the life of the object; a folder that cannot be locked (some network disks) is used without.
class FolderLock {
public:
    enum class Kind { Shared, Exclusive };
    FolderLock(const std::filesystem::path& folder, Kind kind);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;

private:
    int m_descriptor;
};

struct OpenDatabase {
    std::unique_ptr<Database> database;
    Database::Mode mode = Database::Mode::ReadWrite;
};

/// Creates or migrates it when @p mode allows. A corrupt or newer one is not modified. @throws StoreError.
OpenDatabase openDatabase(const std::filesystem::path& file, Store::Open mode);

/// The folder a database lies in.
std::filesystem::path folderOf(const std::filesystem::path& database);

/// The file and what SQLite keeps beside it.
void removeDatabase(const std::filesystem::path& file);
/// @throws std::filesystem::filesystem_error.
void renameDatabase(const std::filesystem::path& from, const std::filesystem::path& to);

/// Tells when a path leads to another file than before.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changeNs = 0;  ///< looked at only where nobody may write: a Frozen database
    bool hasLog = false;        ///< "<name>-wal"; the same
    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identify(const std::filesystem::path& file, Database::Mode mode);

}  // namespace storage
