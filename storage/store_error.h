// Converts SQLite's errors to sentences for the user.
#pragma once
#include "storage/store.h"

#include <SQLiteCpp/Exception.h>

#include <filesystem>

namespace storage {

/// @param systemErrno errno as the failed system call left it. Needed because SQLite recognises a full disk only by
/// ENOSPC, not a quota (EDQUOT) or a file size limit (EFBIG), and does not keep the errno of a failed commit.
StoreError storeError(
    const std::filesystem::path& database, const SQLite::Exception& error, int systemErrno);

/// Whether the disk of the database has no room even for a reader's few pages.
bool isDiskFull(const std::filesystem::path& database);

/// @param what the problem, as the predicate of a sentence: "is not a database"
StoreError corruptError(const std::filesystem::path& database, const std::string& what);

StoreError newerError(const std::filesystem::path& database);

}  // namespace storage
