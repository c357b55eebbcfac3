// SQLite's errors as sentences for a person.
#pragma once
#include "storage/store.h"

#include <SQLiteCpp/Exception.h>

#include <filesystem>

namespace storage {

/// @param systemErrno errno, which still is that of the failed system call. SQLite itself tells a full disk
/// only by ENOSPC, not a quota (EDQUOT) or a limit on files (EFBIG), and keeps no errno of a failed commit.
StoreError storeError(
    const std::filesystem::path& database, const SQLite::Exception& error, int systemErrno);

/// A damaged file, with @p what is wrong with it ("is not a database").
StoreError corruptError(const std::filesystem::path& database, const std::string& what);

StoreError newerError(const std::filesystem::path& database);

}  // namespace storage
