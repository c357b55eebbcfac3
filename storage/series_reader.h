// Reads a series: all of it, or a range at the detail a view can show. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <optional>
#include <vector>

namespace storage {

// Call these within a transaction. A series that does not exist reads as empty. All throw SQLite::Exception.

/// All points, ordered by step.
std::vector<Point> readPoints(Database& database, std::int64_t series);

/// The last point, in the order of steps, whose step is at most @p step; nullopt when there is none.
std::optional<Point> readPointAt(Database& database, std::int64_t series, std::int64_t step);

/// See Store::range().
SeriesRange readRange(Database& database, std::int64_t series, std::int64_t firstStep,
    std::int64_t lastStep, std::int64_t maxBuckets);

}  // namespace storage
