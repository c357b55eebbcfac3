// Reads one option or one metric of many runs. See [Note: values across runs].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

namespace storage {

// Call these within a transaction. Both throw SQLite::Exception.

/// See Store::values().
std::vector<RunValue> readValues(Database& database, const RunField& field, const std::string& runId);

FieldNames readFieldNames(Database& database);

}  // namespace storage
