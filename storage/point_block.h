// Points of a series as bytes. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <span>
#include <string_view>
#include <vector>

namespace storage {

/// Column by column: steps as differences, times as differences of microseconds, values as four bytes
/// when all of them fit a float exactly. Every double reads back with the same bits.
Bytes encodePoints(std::span<const Point> points);

/// Appends the points to @p points.
/// @throws SQLite::Exception (corrupt) when the bytes are none that encodePoints made.
void decodePoints(std::string_view bytes, std::vector<Point>& points);

}  // namespace storage
