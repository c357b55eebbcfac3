// Many points as one: the bricks of the pyramid. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <span>
#include <string_view>
#include <vector>

namespace storage {

/// @param points at least one.
Bucket bucketOf(std::span<const Point> points);

/// Adds @p later, whose points follow, to @p bucket. An empty bucket (count 0) takes it over as it is.
void merge(Bucket& bucket, const Bucket& later);

Bytes encodeBuckets(std::span<const Bucket> buckets);

/// @throws SQLite::Exception (corrupt) when the bytes are none that encodeBuckets made.
std::vector<Bucket> decodeBuckets(std::string_view bytes);

}  // namespace storage
