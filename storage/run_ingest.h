// Brings the row of a run up to date, from its folder and its annotations.
#pragma once
#include "engine/contract/run/run_folder.h"
#include "storage/database.h"

#include <string>
#include <system_error>
#include <vector>

namespace storage {

/// Returns a text that changes when the file is rewritten, replaced or appended to; empty when there is no such file.
std::string stampOf(const std::filesystem::path& file);

/// A sentence saying that the entries of @p folder are not known because of @p error; empty when there is no error, or when the
/// folder is missing and so has no entries. Rows that come from entries which are not known must not be deleted.
std::string whyUnreadable(const std::filesystem::path& folder, const std::error_code& error);

/// Inserts the row or updates it. @return its key.
/// @param problems gets a sentence when the annotations cannot be read; those that are stored are then kept
std::int64_t ingestRun(Database& database, const contract::RunFolder& folder, std::vector<std::string>& problems);

}  // namespace storage
