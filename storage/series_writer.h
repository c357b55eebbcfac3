// Appends points to a series. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <span>
#include <string>

namespace storage {

struct SeriesName {
    std::int64_t run = 0;
    int attempt = 1;
    int rank = 0;
    std::string metric;
};

/// Call within a write transaction. Creates the series if it does not exist. @p points must not be empty.
/// @param room how many series may still be created; becomes one less when this one is
/// @return false, having written nothing, when the series does not exist and there is no room for it.
bool appendPoints(Database& database, const SeriesName& name, std::span<const Point> points, std::int64_t& room);

}  // namespace storage
