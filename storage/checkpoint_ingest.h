// A run's complete checkpoints, as their folders' manifests describe them.
#pragma once
#include "engine/contract/run_folder.h"
#include "storage/database.h"

#include <map>
#include <string>
#include <vector>

namespace storage {

/// Manifests that could not be read, by path, with the stamp they had: not tried again until it changes.
using DamagedManifests = std::map<std::string, std::string>;

/// Rows appear with a manifest and vanish with it.
/// @param problems takes a sentence for each damaged manifest, once.
void ingestCheckpoints(Database& database, std::int64_t run, const contract::RunFolder& folder,
    DamagedManifests& damaged, std::vector<std::string>& problems);

}  // namespace storage
