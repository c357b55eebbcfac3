// Deletes series that no longer belong to a run (see [Note: schema]) and returns unused space.
#pragma once
#include "storage/database.h"

namespace storage {

/// Deletes all series without a run, in short transactions. If the process is killed, the next call deletes the rest.
void sweepGarbage(Database& database);

/// The value of "PRAGMA auto_vacuum" in a database whose unused pages can be given back one by one.
inline constexpr int kIncrementalVacuum = 2;

/// Gives unused pages back to the file system, in short transactions. No-op in a database without kIncrementalVacuum.
void shrink(Database& database);

}  // namespace storage
