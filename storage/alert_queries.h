// The query for what has happened in all runs that people want to know of: ends, stalls, rules that fired.
#pragma once
#include "storage/database.h"
#include "storage/store.h"

namespace storage {

/// The newest @p limit alerts, newest first. @param runId selects one run; empty: all. Call it within a transaction. @throws SQLite::Exception.
std::vector<AlertRow> readAlerts(Database& database, const std::string& runId, int limit);

}  // namespace storage
