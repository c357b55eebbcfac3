#include "storage/series_reader.h"

#include "storage/bucket.h"
#include "storage/point_block.h"
#include "storage/series_layout.h"

#include <sqlite3.h>

#include <algorithm>
#include <limits>
#include <span>

namespace storage {
namespace {

bool isEarlier(const Point& a, const Point& b) { return a.step < b.step; }

/// Number of buckets of @p level that overlap points [first, last).
std::int64_t touchedBuckets(std::int64_t first, std::int64_t last, int level)
{
    return first == last ? 0 : (last - 1) / bucketPoints(level) - first / bucketPoints(level) + 1;
}

/// The lowest level that shows points [first, last) in at most @p most buckets.
int levelFor(std::int64_t first, std::int64_t last, std::int64_t most)
{
    int level = 0;
    while (touchedBuckets(first, last, level) > most)
        ++level;
    return level;
}

/// Appends @p points, the first of which has number @p first, as buckets of @p level.
void appendBuckets(
    std::span<const Point> points, std::int64_t first, int level, std::vector<Bucket>& buckets)
{
    const std::int64_t size = bucketPoints(level);
    while (!points.empty()) {
        const auto untilNext = static_cast<std::size_t>(size - first % size);
        const auto count = std::min(points.size(), untilNext);
        buckets.push_back(bucketOf(points.first(count)));
        points = points.subspan(count);
        first += static_cast<std::int64_t>(count);
    }
}

class SeriesReader {
public:
    SeriesReader(Database& database, std::int64_t series)
        : m_database(database)
        , m_series(series)
    {
        Query row = database.query("SELECT points, is_sorted, tail FROM series WHERE key = ?");
        if (!row.bind(series).step())
            return;
        m_count = row.integer(0);
        m_isSorted = row.integer(1) != 0;
        decodePoints(row.blob(2), m_tail);
    }

    std::int64_t count() const { return m_count; }
    bool isSorted() const { return m_isSorted; }

    /// Returns the points with numbers [first, last).
    std::vector<Point> points(std::int64_t first, std::int64_t last)
    {
        std::vector<Point> points;
        if (first >= last)
            return points;
        points.reserve(static_cast<std::size_t>(last - first + kBlockPoints));
        const std::int64_t firstBlock = first / kBlockPoints;
        if (first < firstOfTail())
            readBlocks(firstBlock, (std::min(last, firstOfTail()) - 1) / kBlockPoints, points);
        const std::int64_t origin = first < firstOfTail() ? firstBlock * kBlockPoints : firstOfTail();
        if (last > firstOfTail())
            points.insert(points.end(), m_tail.begin(), m_tail.end());
        if (static_cast<std::int64_t>(points.size()) < last - origin)
            throw SQLite::Exception("a series has lost points", SQLITE_CORRUPT);
        points.resize(static_cast<std::size_t>(last - origin));
        points.erase(points.begin(), points.begin() + (first - origin));
        return points;
    }

    /// Returns the number of the first point whose step is at least @p step. Only for a sorted series.
    std::int64_t lowerBound(std::int64_t step)
    {
        Query row = m_database.query("SELECT number, points FROM block WHERE series = ? AND last_step >= ?"
                                     " ORDER BY last_step, number LIMIT 1");
        std::vector<Point> points;
        std::int64_t first = firstOfTail();
        if (row.bind(m_series, step).step()) {
            first = row.integer(0) * kBlockPoints;
            decodePoints(row.blob(1), points);
        } else {
            points = m_tail;
        }
        const auto found = std::ranges::lower_bound(points, Point {.step = step}, isEarlier);
        return first + (found - points.begin());
    }

    /// Returns points [first, last) as buckets of @p level; the first and the last bucket are cut to the range.
    std::vector<Bucket> buckets(std::int64_t first, std::int64_t last, int level)
    {
        std::vector<Bucket> buckets;
        if (level < kFirstLevel) {
            appendBuckets(points(first, last), first, level, buckets);
            return buckets;
        }
        const std::int64_t size = bucketPoints(level);
        const std::int64_t firstWhole = (first + size - 1) / size * size;
        const std::int64_t lastWhole = last / size * size;
        if (firstWhole >= lastWhole) {
            appendPart(first, std::min(firstWhole, last), level, buckets);
            appendPart(std::min(firstWhole, last), last, level, buckets);
            return buckets;
        }
        appendPart(first, firstWhole, level, buckets);
        readLevel(level, firstWhole / size, lastWhole / size, buckets);
        appendPart(lastWhole, last, level, buckets);
        return buckets;
    }

private:
    std::int64_t firstOfTail() const { return m_count - static_cast<std::int64_t>(m_tail.size()); }

    void readBlocks(std::int64_t firstBlock, std::int64_t lastBlock, std::vector<Point>& points)
    {
        Query row = m_database.query(
            "SELECT points FROM block WHERE series = ? AND number BETWEEN ? AND ? ORDER BY number");
        row.bind(m_series, firstBlock, lastBlock);
        while (row.step())
            decodePoints(row.blob(0), points);
    }

    /// Appends a part of one bucket, built from whole buckets of lower levels.
    void appendPart(std::int64_t first, std::int64_t last, int level, std::vector<Bucket>& buckets)
    {
        Bucket total;
        for (const Bucket& bucket : first < last ? this->buckets(first, last, level - 1) : std::vector<Bucket>())
            merge(total, bucket);
        if (total.count > 0)
            buckets.push_back(total);
    }

    /// Appends the whole buckets of @p level with numbers [first, last).
    void readLevel(int level, std::int64_t first, std::int64_t last, std::vector<Bucket>& buckets)
    {
        const auto expected = buckets.size() + static_cast<std::size_t>(last - first);
        Query row = m_database.query("SELECT number, buckets FROM level WHERE series = ? AND level = ?"
                                     " AND number BETWEEN ? AND ? ORDER BY number");
        row.bind(m_series, level, first / kRowBuckets, (last - 1) / kRowBuckets);
        while (row.step()) {
            const std::vector<Bucket> items = decodeBuckets(row.blob(1));
            const std::int64_t origin = row.integer(0) * kRowBuckets;
            for (std::int64_t i = std::max(first, origin); i < last && i - origin < std::ssize(items); ++i)
                buckets.push_back(items[static_cast<std::size_t>(i - origin)]);
        }
        if (buckets.size() != expected)
            throw SQLite::Exception("a series has lost a part of its pyramid", SQLITE_CORRUPT);
    }

    Database& m_database;
    std::int64_t m_series;
    std::int64_t m_count = 0;
    bool m_isSorted = true;
    std::vector<Point> m_tail;
};

/// For a series whose steps went back, because a rank restarted within an attempt. It is sorted on every read: this is rare.
SeriesRange rangeOfUnsorted(
    SeriesReader& reader, std::int64_t firstStep, std::int64_t lastStep, std::int64_t maxBuckets)
{
    std::vector<Point> all = reader.points(0, reader.count());
    std::ranges::stable_sort(all, isEarlier);
    const auto begin = std::ranges::lower_bound(all, Point {.step = firstStep}, isEarlier);
    const auto end = std::ranges::upper_bound(all, Point {.step = lastStep}, isEarlier);
    SeriesRange range;
    range.totalPoints = std::max<std::int64_t>(end - begin, 0);
    range.isExact = range.totalPoints <= maxBuckets;
    if (range.totalPoints == 0)
        return range;
    if (range.isExact)
        range.points.assign(begin, end);
    else
        appendBuckets({begin, end}, begin - all.begin(),
            levelFor(begin - all.begin(), end - all.begin(), maxBuckets), range.buckets);
    return range;
}

}  // namespace

std::vector<Point> readPoints(Database& database, std::int64_t series)
{
    SeriesReader reader(database, series);
    std::vector<Point> points = reader.points(0, reader.count());
    if (!reader.isSorted())
        std::ranges::stable_sort(points, isEarlier);
    return points;
}

std::optional<Point> readPointAt(Database& database, std::int64_t series, std::int64_t step)
{
    SeriesReader reader(database, series);
    if (!reader.isSorted()) {
        std::vector<Point> points = reader.points(0, reader.count());
        std::ranges::stable_sort(points, isEarlier);
        const auto next = std::ranges::upper_bound(points, Point {.step = step}, isEarlier);
        return next == points.begin() ? std::nullopt : std::optional(*std::prev(next));
    }
    const bool isOpen = step == std::numeric_limits<std::int64_t>::max();
    const std::int64_t next = isOpen ? reader.count() : reader.lowerBound(step + 1);
    if (next == 0)
        return std::nullopt;
    return reader.points(next - 1, next).front();
}

SeriesRange readRange(Database& database, std::int64_t series, std::int64_t firstStep,
    std::int64_t lastStep, std::int64_t maxBuckets)
{
    SeriesReader reader(database, series);
    maxBuckets = std::max<std::int64_t>(maxBuckets, 1);
    if (firstStep > lastStep)
        return {};
    if (!reader.isSorted())
        return rangeOfUnsorted(reader, firstStep, lastStep, maxBuckets);
    const bool isOpen = lastStep == std::numeric_limits<std::int64_t>::max();
    const std::int64_t first = reader.lowerBound(firstStep);
    const std::int64_t last = isOpen ? reader.count() : reader.lowerBound(lastStep + 1);

    SeriesRange range;
    range.totalPoints = last - first;
    range.isExact = range.totalPoints <= maxBuckets;
    if (range.isExact)
        range.points = reader.points(first, last);
    else
        range.buckets = reader.buckets(first, last, levelFor(first, last, maxBuckets));
    return range;
}

}  // namespace storage
