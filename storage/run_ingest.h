// A run's own row: what its folder and its annotations say.
#pragma once
#include "engine/contract/run_folder.h"
#include "storage/database.h"

namespace storage {

/// Changes whenever a file is rewritten, replaced or appended to; empty for one that is not there.
std::string stampOf(const std::filesystem::path& file);

/// Makes the row or brings it up to date. @return its key.
std::int64_t ingestRun(Database& database, const contract::RunFolder& folder);

}  // namespace storage
