// How the database's schema came to be, one step a version.
#pragma once
#include "storage/database.h"

#include <filesystem>
#include <span>

namespace storage {

inline constexpr std::int64_t kApplicationId = 0x41544c52;  ///< "ATLR", in the file's header

/// The SQL that leads from version i to version i + 1, for every i from 0 on. Never edited once released.
std::span<const char* const> migrations();

/// Brings an open database up to date in one transaction; an older one is first copied to
/// "<name>.before-v<new version>". Several processes may do this at once: one does, the others find it done.
/// @throws SQLite::Exception; a migration that failed left nothing behind.
void migrate(Database& database, const std::filesystem::path& file, std::span<const char* const> steps);

}  // namespace storage
