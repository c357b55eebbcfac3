// Brings the rows of a run's attempts up to date: start.json, and the resolved experiment with all its options.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/database.h"

#include <string>
#include <vector>

namespace storage {

/// Rewrites the rows of attempts whose files have changed and deletes those of attempts that are gone.
/// @param problems gets a sentence for each attempt whose start.json or experiment cannot be read.
/// @throws SQLite::Exception.
void ingestAttempts(Database& database, std::int64_t run, const contract::RunFolder& folder,
    std::vector<std::string>& problems);

}  // namespace storage
