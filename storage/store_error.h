// SQLite's errors as sentences for a person.
#pragma once
#include "storage/store.h"

#include <SQLiteCpp/Exception.h>

#include <filesystem>

namespace storage {

/// @param systemErrno what the system call behind it said; 0 when there was none.
StoreError storeError(
    const std::filesystem::path& database, const SQLite::Exception& error, int systemErrno);

/// A damaged file, with @p what is wrong with it ("is not a database").
StoreError corruptError(const std::filesystem::path& database, const std::string& what);

StoreError newerError(const std::filesystem::path& database);

}  // namespace storage
