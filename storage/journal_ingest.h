// Brings the rows that come from one journal up to its file.
#pragma once
#include "storage/database.h"
#include "storage/ingest.h"

#include <filesystem>

namespace storage {

/// In transactions that move the position together with what was read; another process may do the same.
/// @param rank whose journal it is, by its name. @throws SQLite::Exception, std::system_error.
Ingest::Result ingestJournal(
    Database& database, std::int64_t run, int rank, const std::filesystem::path& file);

/// Of journals whose files are gone.
void forgetJournalsExcept(Database& database, std::int64_t run, const std::vector<int>& ranks);

}  // namespace storage
