// A run's attempts: start.json and the resolved experiment with all its options.
#pragma once
#include "engine/contract/run_folder.h"
#include "storage/database.h"

#include <string>
#include <vector>

namespace storage {

/// @param problems takes a sentence for each start.json that cannot be read.
void ingestAttempts(Database& database, std::int64_t run, const contract::RunFolder& folder,
    std::vector<std::string>& problems);

}  // namespace storage
