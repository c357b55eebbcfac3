// The migrations of the database's schema, one for each version.
#pragma once
#include "storage/database.h"

#include <filesystem>
#include <span>

namespace storage {

inline constexpr std::int64_t kApplicationId = 0x41544c52;  ///< "ATLR", in the file's header

/// Element i is the SQL that migrates from version i to version i + 1. Must never be edited after its release.
std::span<const char* const> migrations();

/// Migrates an open database in one transaction; copies an older one to "<name>.before-v<new version>" first. Safe when
/// several processes call it at once: one of them migrates. @throws SQLite::Exception; the database is then unchanged.
void migrate(Database& database, const std::filesystem::path& file, std::span<const char* const> steps);

}  // namespace storage
