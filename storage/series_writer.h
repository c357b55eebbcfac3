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

/// Within the caller's transaction; the series is made when it is new. @p points is not empty.
void appendPoints(Database& database, const SeriesName& name, std::span<const Point> points);

}  // namespace storage
