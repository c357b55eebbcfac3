// The database as a file: opens, creates, checks and renames it, and detects that it was replaced.
//
// [Note: the folder's lock]
// SQLite identifies a database by its path (for "<name>-wal" and "<name>-shm") and by its inode (for locks). If a file is
// replaced while both the old and the new one are open, the two can be mixed up. So code that creates, migrates or
// replaces the file holds an exclusive lock on its folder, and code that opens it holds a shared lock until its first read
// is done. An open Store checks the path's inode before each use and reopens the database when it has changed.
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <filesystem>
#include <memory>

namespace storage {

/// Blocks until the lock is taken and holds it for the lifetime of the object. If the folder cannot be locked, as on some
/// network disks, continues without a lock.
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

/// Opens the database; creates or migrates it first when @p mode is ReadWrite. Does not modify a corrupt or newer one.
/// @throws StoreError.
OpenDatabase openDatabase(const std::filesystem::path& file, Store::Open mode);

/// The folder that contains the database file.
std::filesystem::path folderOf(const std::filesystem::path& database);

/// Creates the file empty, for this user alone (mode 0600); SQLite gives the files that it adds beside a database the same mode.
/// @return false, with errno set, when it cannot be created.
bool createPrivateFile(const std::filesystem::path& file);

/// Removes the file and SQLite's files next to it ("-wal", "-shm", "-journal"). Ignores errors.
void removeDatabase(const std::filesystem::path& file);
/// Renames the file and SQLite's files next to it; replaces a database at @p to.
/// @throws std::filesystem::filesystem_error.
void renameDatabase(const std::filesystem::path& from, const std::filesystem::path& to);

/// Identifies the file at a path, to detect that it was replaced.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t changeNs = 0;  ///< modification time; only for Database::Mode::Frozen, else 0
    bool hasLog = false;        ///< "<name>-wal" is not empty; only for Database::Mode::Frozen, else false
    bool operator==(const FileIdentity&) const = default;
};
FileIdentity identify(const std::filesystem::path& file, Database::Mode mode);

}  // namespace storage
