// Brings the rows that come from one journal up to date with its file.
#pragma once
#include "storage/database.h"
#include "storage/ingest.h"

#include <filesystem>

namespace storage {

/// Reads the lines that were appended since the stored position. Each transaction writes a batch of lines and the new
/// position together, so several processes may call this for the same journal at once.
/// @param rank the rank that writes the journal. @throws SQLite::Exception, JournalError.
Ingest::Result ingestJournal(
    Database& database, std::int64_t run, int rank, const std::filesystem::path& file);

/// Deletes the rows that come from journals of other ranks than @p ranks, whose files are gone.
void forgetJournalsExcept(Database& database, std::int64_t run, const std::vector<int>& ranks);

}  // namespace storage
