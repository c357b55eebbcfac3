// [Note: how a series lies]
// A series' points are numbered from 0 in the order in which they were journalled.
//
//   series.tail    the newest 0 … 63 points, in the series' own row: a live batch costs one small update
//   block          kBlockPoints points each by number; the last may hold fewer, always a multiple of 64
//   level          the pyramid: bucket j of level L is points j·8^L … (j + 1)·8^L - 1, complete ones only,
//                  kRowBuckets of them a row. Levels 0 and 1 are not kept: the points are as quick to read
//
// When the tail has 64 points they go to the last block as one bucket of level 2, eight of which make one of
// level 3, and so on. So the pyramid is complete up to the tail, and nothing large is written for little.
#pragma once
#include <cstdint>

namespace storage {

inline constexpr std::int64_t kTailPoints = 64;    ///< a bucket of level kFirstLevel
inline constexpr std::int64_t kBlockPoints = 512;
inline constexpr std::int64_t kRowBuckets = 64;
inline constexpr std::int64_t kFactor = 8;
inline constexpr int kFirstLevel = 2;

/// Points in a bucket of @p level.
constexpr std::int64_t bucketPoints(int level) { return std::int64_t(1) << (3 * level); }
static_assert(bucketPoints(kFirstLevel) == kTailPoints && kBlockPoints % kTailPoints == 0);
static_assert(kRowBuckets % kFactor == 0, "the buckets that make one of the next level share a row");

}  // namespace storage
