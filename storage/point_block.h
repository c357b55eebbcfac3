// Encodes points of a series as bytes. See [Note: how a series lies].
#pragma once
#include "storage/database.h"
#include "storage/store.h"

#include <span>
#include <string_view>
#include <vector>

namespace storage {

/// Stores the columns one after another: steps and times (in microseconds) as differences, values as float32 when all of
/// them are exactly representable. Lossless: every double is decoded to the same bits.
Bytes encodePoints(std::span<const Point> points);

/// Appends the points to @p points.
/// @throws SQLite::Exception (corrupt) when encodePoints() cannot have written the bytes.
void decodePoints(std::string_view bytes, std::vector<Point>& points);

}  // namespace storage
