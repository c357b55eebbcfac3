// Brings the rows of a run's checkpoints up to date, from the manifests in the checkpoint folders.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/database.h"

#include <map>
#include <string>
#include <vector>

namespace storage {

/// Manifests that could not be read: path of the checkpoint folder → stamp of the manifest. They are not read again until
/// the stamp changes.
using DamagedManifests = std::map<std::string, std::string>;

/// A row is added when a manifest appears and removed when it disappears.
/// @param problems gets a sentence for each damaged manifest, once per stamp. @throws SQLite::Exception.
void ingestCheckpoints(Database& database, std::int64_t run, const contract::RunFolder& folder,
    DamagedManifests& damaged, std::vector<std::string>& problems);

}  // namespace storage
