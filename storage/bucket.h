// Consecutive points summarised as one: the elements of the pyramid. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <span>
#include <string_view>
#include <vector>

namespace storage {

/// Summarises @p points; at least one.
Bucket bucketOf(std::span<const Point> points);

/// Adds @p later, whose points follow those of @p bucket, to @p bucket. An empty @p bucket (count 0) becomes @p later.
void merge(Bucket& bucket, const Bucket& later);

Bytes encodeBuckets(std::span<const Bucket> buckets);

/// @throws SQLite::Exception (corrupt) when encodeBuckets() cannot have written the bytes.
std::vector<Bucket> decodeBuckets(std::string_view bytes);

}  // namespace storage
