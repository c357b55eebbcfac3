// [Note: how a series lies]
// How the points of a series are stored. They are numbered from 0 in the order in which they were journalled.
//
//   series.tail    the newest 0 … 63 points, in the row of the series, so that a live batch costs one small update
//   block          kBlockPoints consecutive points per row; the last row may hold fewer, always a multiple of 64
//   level          the pyramid: bucket j of level L summarises points j·8^L … (j + 1)·8^L - 1. Only complete buckets are
//                  stored, kRowBuckets per row. Levels 0 and 1 are not stored: reading the points is as fast
//
// When the tail has 64 points, they move to the last block and form one bucket of level 2; eight of those form one of
// level 3, and so on. So the pyramid covers all points before the tail, and a small batch never causes a large write.
#pragma once
#include <cstdint>

namespace storage {

inline constexpr std::int64_t kTailPoints = 64;    ///< points in a bucket of level kFirstLevel
inline constexpr std::int64_t kBlockPoints = 512;
inline constexpr std::int64_t kRowBuckets = 64;    ///< buckets in a row of the level table
inline constexpr std::int64_t kFactor = 8;         ///< buckets of a level that form one of the next
inline constexpr int kFirstLevel = 2;              ///< lowest level that is stored

/// Points in a bucket of @p level.
constexpr std::int64_t bucketPoints(int level) { return std::int64_t(1) << (3 * level); }
static_assert(bucketPoints(kFirstLevel) == kTailPoints && kBlockPoints % kTailPoints == 0);
static_assert(kRowBuckets % kFactor == 0, "the buckets that make one of the next level share a row");

}  // namespace storage
