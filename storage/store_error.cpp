#include "storage/store_error.h"

#include <sqlite3.h>

#include <sys/statvfs.h>

#include <cerrno>
#include <cstdint>

namespace storage {
namespace {

using Kind = StoreError::Kind;

bool isCausedByFullDisk(int systemErrno) { return systemErrno == ENOSPC || systemErrno == EDQUOT || systemErrno == EFBIG; }

Kind kindOf(const std::filesystem::path& database, int code, int systemErrno)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return Kind::Corrupt;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return Kind::Locked;
    case SQLITE_FULL:
        return Kind::DiskFull;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
        return Kind::ReadOnly;
    case SQLITE_IOERR:
        return isCausedByFullDisk(systemErrno) || isDiskFull(database) ? Kind::DiskFull : Kind::Other;
    default:
        return Kind::Other;
    }
}

}  // namespace

bool isDiskFull(const std::filesystem::path& database)
{
    constexpr std::uint64_t kSharedMemory = 32768;  // what SQLite adds beside a database that it only reads
    struct statvfs disk {};
    const std::filesystem::path folder = database.has_parent_path() ? database.parent_path() : ".";
    return ::statvfs(folder.c_str(), &disk) == 0 && std::uint64_t(disk.f_bavail) * disk.f_frsize < kSharedMemory;
}

StoreError storeError(
    const std::filesystem::path& database, const SQLite::Exception& error, int systemErrno)
{
    const std::string name = database.string();
    switch (const Kind kind = kindOf(database, error.getExtendedErrorCode(), systemErrno)) {
    case Kind::Corrupt:
        return corruptError(database, std::string("is damaged (") + error.what() + ")");
    case Kind::Locked:
        return {kind, name + " is locked by another program: close that program, then try again"};
    case Kind::ReadOnly:
        return {kind, name + " or its folder cannot be written: grant yourself write permission there"};
    case Kind::DiskFull:
        return {kind, "the disk of " + name + " is full: free some space, then try again"};
    default:
        return {kind, name + " cannot be used: " + error.what()
                + ": try again, and check the disk if it happens again"};
    }
}

StoreError corruptError(const std::filesystem::path& database, const std::string& what)
{
    return {Kind::Corrupt, database.string() + " " + what
            + ": `atelier reindex` builds a new one from the run folders and keeps this file"};
}

StoreError newerError(const std::filesystem::path& database)
{
    return {Kind::Newer, database.string()
            + " was written by a newer version of Atelier and is left untouched: use that version, or run"
              " `atelier reindex` to build a new database for this version"};
}

}  // namespace storage
