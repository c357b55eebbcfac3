// Deletes what nobody can see any more. See [Note: schema].
#pragma once
#include "storage/database.h"

namespace storage {

/// Sweeps the series without a run away, each transaction a short one. A kill in the middle leaves the rest
/// to the next call.
void sweepGarbage(Database& database);

}  // namespace storage
