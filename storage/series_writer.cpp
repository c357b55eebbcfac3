#include "storage/series_writer.h"

#include "storage/bucket.h"
#include "storage/point_block.h"
#include "storage/series_layout.h"

#include <sqlite3.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

namespace storage {
namespace {

/// Of the finite points; both NaN while there are none.
struct Extremes {
    double minimum = std::numeric_limits<double>::quiet_NaN();
    double maximum = std::numeric_limits<double>::quiet_NaN();

    void add(double value)
    {
        minimum = std::fmin(minimum, value);  // fmin and fmax ignore a NaN
        maximum = std::fmax(maximum, value);
    }
};

struct StoredSeries {
    std::int64_t key = 0;
    std::int64_t points = 0;
    std::int64_t firstStep = 0;
    std::int64_t lastStep = std::numeric_limits<std::int64_t>::min();
    double last = 0;
    std::int64_t nonFinite = 0;
    bool isSorted = true;
    std::optional<Extremes> extremes;  ///< nullopt: unknown, because an earlier version wrote the series
    std::vector<Point> tail;
};

StoredSeries create(Database& database, const SeriesName& name, std::int64_t firstStep)
{
    database.query("INSERT INTO series (run, attempt, rank, metric, points, first_step, last_step, last_bits,"
                   " non_finite, is_sorted, tail) VALUES (?, ?, ?, ?, 0, ?, 0, 0, 0, 1, x'')")
        .bind(name.run, name.attempt, name.rank, name.metric, firstStep)
        .run();
    StoredSeries series;
    series.key = database.lastInsertId();
    series.firstStep = firstStep;
    series.extremes.emplace();
    return series;
}

/// Returns nullopt when the series does not exist and there is no room for it.
std::optional<StoredSeries> load(Database& database, const SeriesName& name, std::int64_t firstStep, std::int64_t& room)
{
    Query row = database.query("SELECT key, points, first_step, last_step, last_bits, non_finite, is_sorted,"
                               " tail, minimum_bits, maximum_bits FROM series WHERE run = ? AND attempt = ? AND rank = ? AND metric = ?");
    if (!row.bind(name.run, name.attempt, name.rank, name.metric).step()) {
        if (room <= 0)
            return std::nullopt;
        --room;
        return create(database, name, firstStep);
    }
    StoredSeries series {row.integer(0), row.integer(1), row.integer(2), row.integer(3), row.bits(4),
        row.integer(5), row.integer(6) != 0, {}, {}};
    decodePoints(row.blob(7), series.tail);
    if (!row.isNull(8) && !row.isNull(9))
        series.extremes = {row.bits(8), row.bits(9)};
    return series;
}

/// Updates the totals of @p series for appended @p points.
void addToTotals(StoredSeries& series, std::span<const Point> points)
{
    for (const Point& point : points) {
        series.isSorted = series.isSorted && point.step >= series.lastStep;
        series.lastStep = std::max(series.lastStep, point.step);
        series.firstStep = std::min(series.firstStep, point.step);
        series.nonFinite += std::isfinite(point.value) ? 0 : 1;
        if (series.extremes && std::isfinite(point.value))
            series.extremes->add(point.value);
    }
    series.last = points.back().value;
    series.points += static_cast<std::int64_t>(points.size());
}

void checkCount(std::size_t found, std::int64_t expected)
{
    if (found != static_cast<std::size_t>(expected))
        throw SQLite::Exception("a series has lost points", SQLITE_CORRUPT);
}

/// Writes items with numbers [first, first + items.size()) into rows of @p rowSize items. @p items begins with those that
/// the first row already holds.
template <typename Item, typename WriteRow>
void writeRows(std::int64_t first, std::span<const Item> items, std::int64_t rowSize, WriteRow writeRow)
{
    for (std::size_t begin = 0; begin < items.size(); begin += static_cast<std::size_t>(rowSize)) {
        const auto count = std::min(items.size() - begin, static_cast<std::size_t>(rowSize));
        writeRow((first + static_cast<std::int64_t>(begin)) / rowSize, items.subspan(begin, count));
    }
}

/// @param first number of the first of @p points. It and the number of points are multiples of kTailPoints.
void writeBlocks(Database& database, std::int64_t series, std::int64_t first, std::span<const Point> points)
{
    std::vector<Point> items;
    const std::int64_t kept = first % kBlockPoints;
    if (kept > 0) {
        Query row = database.query("SELECT points FROM block WHERE series = ? AND number = ?");
        if (row.bind(series, first / kBlockPoints).step())
            decodePoints(row.blob(0), items);
        checkCount(items.size(), kept);
    }
    items.insert(items.end(), points.begin(), points.end());
    writeRows<Point>(first - kept, items, kBlockPoints,
        [&](std::int64_t number, std::span<const Point> block) {
            std::int64_t lastStep = block.front().step;
            for (const Point& point : block)
                lastStep = std::max(lastStep, point.step);
            const Bytes bytes = encodePoints(block);
            database.query("INSERT OR REPLACE INTO block (series, number, last_step, points)"
                           " VALUES (?, ?, ?, ?)")
                .bind(series, number, lastStep, std::span<const char>(bytes))
                .run();
        });
}

/// Appends @p added to a level, from bucket number @p first on.
/// @return the buckets of that level from the beginning of the row that holds @p first.
std::vector<Bucket> writeLevel(Database& database, std::int64_t series, int level, std::int64_t first,
    std::span<const Bucket> added)
{
    std::vector<Bucket> items;
    const std::int64_t kept = first % kRowBuckets;
    if (kept > 0) {
        Query row = database.query("SELECT buckets FROM level WHERE series = ? AND level = ? AND number = ?");
        if (row.bind(series, level, first / kRowBuckets).step())
            items = decodeBuckets(row.blob(0));
        checkCount(items.size(), kept);
    }
    items.insert(items.end(), added.begin(), added.end());
    writeRows<Bucket>(first - kept, items, kRowBuckets,
        [&](std::int64_t number, std::span<const Bucket> buckets) {
            const Bytes bytes = encodeBuckets(buckets);
            database.query("INSERT OR REPLACE INTO level (series, level, number, buckets)"
                           " VALUES (?, ?, ?, ?)")
                .bind(series, level, number, std::span<const char>(bytes))
                .run();
        });
    return items;
}

/// Returns the buckets of the next level that become complete with the @p added buckets.
std::vector<Bucket> nextLevel(
    const std::vector<Bucket>& items, std::int64_t firstItem, std::int64_t first, std::int64_t added)
{
    std::vector<Bucket> next;
    for (std::int64_t number = first / kFactor; number < (first + added) / kFactor; ++number) {
        Bucket bucket;
        for (std::int64_t i = number * kFactor; i < (number + 1) * kFactor; ++i)
            merge(bucket, items[static_cast<std::size_t>(i - firstItem)]);
        next.push_back(bucket);
    }
    return next;
}

void writePyramid(Database& database, std::int64_t series, std::int64_t first, std::span<const Point> points)
{
    std::vector<Bucket> added;
    for (std::size_t i = 0; i < points.size(); i += kTailPoints)
        added.push_back(bucketOf(points.subspan(i, kTailPoints)));
    first /= kTailPoints;
    for (int level = kFirstLevel; !added.empty(); ++level, first /= kFactor) {
        const auto items = writeLevel(database, series, level, first, added);
        added = nextLevel(items, first - first % kRowBuckets, first, static_cast<std::int64_t>(added.size()));
    }
}

void save(Database& database, const StoredSeries& series)
{
    const Bytes tail = encodePoints(series.tail);
    std::optional<std::int64_t> minimum;
    std::optional<std::int64_t> maximum;
    if (series.extremes) {
        minimum = bitsOf(series.extremes->minimum);
        maximum = bitsOf(series.extremes->maximum);
    }
    database.query("UPDATE series SET points = ?, first_step = ?, last_step = ?, last_bits = ?, non_finite = ?,"
                   " is_sorted = ?, tail = ?, minimum_bits = ?, maximum_bits = ? WHERE key = ?")
        .bind(series.points, series.firstStep, series.lastStep, bitsOf(series.last), series.nonFinite,
            series.isSorted, std::span<const char>(tail), minimum, maximum, series.key)
        .run();
}

}  // namespace

bool appendPoints(Database& database, const SeriesName& name, std::span<const Point> points, std::int64_t& room)
{
    std::optional<StoredSeries> stored = load(database, name, points.front().step, room);
    if (!stored)
        return false;
    StoredSeries& series = *stored;
    const std::int64_t firstOfTail = series.points - static_cast<std::int64_t>(series.tail.size());
    addToTotals(series, points);
    series.tail.insert(series.tail.end(), points.begin(), points.end());

    const std::size_t whole = series.tail.size() / kTailPoints * kTailPoints;
    if (whole > 0) {
        const auto complete = std::span<const Point>(series.tail).first(whole);
        writeBlocks(database, series.key, firstOfTail, complete);
        writePyramid(database, series.key, firstOfTail, complete);
        series.tail.erase(series.tail.begin(), series.tail.begin() + static_cast<std::ptrdiff_t>(whole));
    }
    save(database, series);
    return true;
}

}  // namespace storage
