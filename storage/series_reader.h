// Reads a series: all of it, or a range at the detail a view can show. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <vector>

namespace storage {

/// Within the caller's transaction. A series that is not there has no points.
std::vector<Point> readPoints(Database& database, std::int64_t series);

/// What Store::range() says.
SeriesRange readRange(Database& database, std::int64_t series, std::int64_t firstStep,
    std::int64_t lastStep, std::int64_t maxBuckets);

}  // namespace storage
