#include "storage/bucket.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace storage {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

/// Layout of a bucket in a blob.
struct StoredBucket {
    std::int64_t firstStep;
    std::int64_t lastStep;
    double firstTMs;
    double lastTMs;
    std::int64_t count;
    std::int64_t nonFinite;
    double minimum;
    double maximum;
    double last;
    std::int64_t firstNonFiniteStep;
};
static_assert(std::is_trivially_copyable_v<StoredBucket> && sizeof(StoredBucket) == 80);

}  // namespace

Bucket bucketOf(std::span<const Point> points)
{
    Bucket bucket {.firstStep = points.front().step,
        .lastStep = points.back().step,
        .firstTMs = points.front().tMs,
        .lastTMs = points.back().tMs,
        .count = static_cast<std::int64_t>(points.size()),
        .minimum = kNone,
        .maximum = kNone,
        .last = kNone,
        .firstNonFiniteStep = {}};
    for (const Point& point : points) {
        if (std::isfinite(point.value)) {
            bucket.minimum = std::fmin(bucket.minimum, point.value);  // fmin ignores NaN
            bucket.maximum = std::fmax(bucket.maximum, point.value);
            bucket.last = point.value;
        } else if (bucket.nonFinite++ == 0) {
            bucket.firstNonFiniteStep = point.step;
        }
    }
    return bucket;
}

void merge(Bucket& bucket, const Bucket& later)
{
    if (bucket.count == 0) {
        bucket = later;
        return;
    }
    bucket.lastStep = later.lastStep;
    bucket.lastTMs = later.lastTMs;
    bucket.count += later.count;
    bucket.nonFinite += later.nonFinite;
    bucket.minimum = std::fmin(bucket.minimum, later.minimum);
    bucket.maximum = std::fmax(bucket.maximum, later.maximum);
    if (!std::isnan(later.last))
        bucket.last = later.last;
    if (!bucket.firstNonFiniteStep)
        bucket.firstNonFiniteStep = later.firstNonFiniteStep;
}

Bytes encodeBuckets(std::span<const Bucket> buckets)
{
    Bytes bytes(buckets.size() * sizeof(StoredBucket), '\0');
    char* out = bytes.data();
    for (const Bucket& bucket : buckets) {
        const StoredBucket stored {bucket.firstStep, bucket.lastStep, bucket.firstTMs, bucket.lastTMs,
            bucket.count, bucket.nonFinite, bucket.minimum, bucket.maximum, bucket.last,
            bucket.firstNonFiniteStep.value_or(0)};
        std::memcpy(out, &stored, sizeof stored);
        out += sizeof stored;
    }
    return bytes;
}

std::vector<Bucket> decodeBuckets(std::string_view bytes)
{
    if (bytes.size() % sizeof(StoredBucket) != 0)
        throw SQLite::Exception("a level of the pyramid is damaged", SQLITE_CORRUPT);
    std::vector<Bucket> buckets(bytes.size() / sizeof(StoredBucket));
    const char* in = bytes.data();
    for (Bucket& bucket : buckets) {
        StoredBucket stored;
        std::memcpy(&stored, in, sizeof stored);
        in += sizeof stored;
        bucket = {stored.firstStep, stored.lastStep, stored.firstTMs, stored.lastTMs, stored.count,
            stored.nonFinite, stored.minimum, stored.maximum, stored.last, {}};
        if (stored.nonFinite > 0)
            bucket.firstNonFiniteStep = stored.firstNonFiniteStep;
    }
    return buckets;
}

}  // namespace storage
