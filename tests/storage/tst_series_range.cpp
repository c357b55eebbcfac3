// M8: ranges equal a brute-force computation at every zoom.
#include "storage/ingest.h"
#include "tests/storage/run_home.h"
#include "tests/storage/same_point.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

using storage::Bucket;
using storage::Point;
using storage::SeriesRange;
using storage::Store;

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t kFirst = std::numeric_limits<std::int64_t>::min();

bool isEqual(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Brute force: one point after the other.
Bucket bruteForce(const std::vector<Point>& points, std::size_t begin, std::size_t count)
{
    Bucket bucket;
    bucket.minimum = bucket.maximum = bucket.last = kNone;
    bucket.firstStep = points[begin].step;
    bucket.firstTMs = points[begin].tMs;
    for (std::size_t i = begin; i < begin + count; ++i) {
        const Point& point = points[i];
        bucket.lastStep = point.step;
        bucket.lastTMs = point.tMs;
        ++bucket.count;
        if (std::isfinite(point.value)) {
            bucket.minimum = std::isnan(bucket.minimum) ? point.value : std::min(bucket.minimum, point.value);
            bucket.maximum = std::isnan(bucket.maximum) ? point.value : std::max(bucket.maximum, point.value);
            bucket.last = point.value;
        } else {
            if (bucket.nonFinite == 0)
                bucket.firstNonFiniteStep = point.step;
            ++bucket.nonFinite;
        }
    }
    return bucket;
}

bool isEqual(const Bucket& a, const Bucket& b)
{
    return a.firstStep == b.firstStep && a.lastStep == b.lastStep && isEqual(a.firstTMs, b.firstTMs)
        && isEqual(a.lastTMs, b.lastTMs) && a.count == b.count && a.nonFinite == b.nonFinite
        && isEqual(a.minimum, b.minimum) && isEqual(a.maximum, b.maximum) && isEqual(a.last, b.last)
        && a.firstNonFiniteStep == b.firstNonFiniteStep;
}

/// @return what is wrong with @p range as the range of the points @p inside; empty when it is correct.
QString judge(const SeriesRange& range, const std::vector<Point>& inside, std::int64_t maxBuckets)
{
    const auto total = static_cast<std::int64_t>(inside.size());
    if (range.totalPoints != total)
        return QString("%1 points instead of %2").arg(range.totalPoints).arg(total);
    if (range.isExact != (total <= maxBuckets))
        return "exact or not";
    if (range.isExact)
        return std::ranges::equal(range.points, inside, [](auto& a, auto& b) { return isSame(a, b); })
            ? QString()
            : "points differ";
    const auto buckets = static_cast<std::int64_t>(range.buckets.size());
    if (buckets > maxBuckets || buckets < maxBuckets / 8)
        return QString("%1 buckets for at most %2").arg(buckets).arg(maxBuckets);
    std::size_t begin = 0;
    for (const Bucket& bucket : range.buckets) {
        const auto count = static_cast<std::size_t>(bucket.count);
        if (count == 0 || begin + count > inside.size() || !isEqual(bucket, bruteForce(inside, begin, count)))
            return QString("bucket from point %1 on differs").arg(begin);
        begin += count;
    }
    return begin == inside.size() ? QString() : "points are missing at the end";
}

/// Describes a series by probabilities per point.
struct Kind {
    double gap = 0;
    double repeat = 0;
    double nonFinite = 0;
    double back = 0;
};

std::vector<Point> randomPoints(const Kind& kind, int count, std::uint64_t seed)
{
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> chance;
    std::normal_distribution<double> normal;
    std::vector<Point> points;
    std::int64_t step = 10;
    for (int i = 0; i < count; ++i) {
        step += chance(random) < kind.repeat ? 0 : chance(random) < kind.gap ? 1 + static_cast<std::int64_t>(random() % 50) : 1;
        if (chance(random) < kind.back)
            step = std::max<std::int64_t>(step - static_cast<std::int64_t>(random() % 500), 1);
        double value = normal(random);
        if (chance(random) < kind.nonFinite)
            value = std::array<double, 3> {kNone, INFINITY, -INFINITY}[random() % 3];
        points.push_back({step, i * 1.5, value});
    }
    return points;
}

}  // namespace

class SeriesRangeTest : public QObject {
    Q_OBJECT

    /// Journals the points and ingests them in portions of random size.
    static std::int64_t ingest(const RunHome& home, Store& store, const std::vector<Point>& points)
    {
        const contract::RunFolder folder = home.createRun("r");
        storage::Ingest ingest(store);
        std::mt19937_64 random(3);
        std::string lines = headerLine(1, 0);
        std::size_t portion = 1;
        for (const Point& point : points) {
            lines += stepLine(point.step, point.tMs, {{"loss", point.value}});
            if (--portion > 0)
                continue;
            append(folder.journal(0), std::exchange(lines, {}));
            ingest.catchUp(folder);
            portion = 1 + random() % (std::size_t(1) << (random() % 13));
        }
        append(folder.journal(0), lines);
        ingest.catchUp(folder);
        return store.series("r").at(0).id;
    }

private Q_SLOTS:
    void m08RangesEqualBruteForce_data()
    {
        QTest::addColumn<Kind>("kind");
        QTest::addColumn<int>("count");
        QTest::newRow("one point") << Kind {} << 1;
        QTest::newRow("a tail only") << Kind {} << 63;
        QTest::newRow("one bucket") << Kind {} << 64;
        QTest::newRow("one block") << Kind {} << 512;
        QTest::newRow("many levels") << Kind {} << 40000;
        QTest::newRow("gaps and repeated steps") << Kind {.gap = 0.2, .repeat = 0.3} << 20000;
        QTest::newRow("non-finite now and then") << Kind {.gap = 0.1, .nonFinite = 0.02} << 20000;
        QTest::newRow("nearly all non-finite") << Kind {.nonFinite = 0.97} << 6000;
        QTest::newRow("steps that go back") << Kind {.gap = 0.1, .repeat = 0.1, .nonFinite = 0.05, .back = 0.01} << 9000;
    }
    void m08RangesEqualBruteForce()
    {
        QFETCH(Kind, kind);
        QFETCH(int, count);
        const std::vector<Point> points = randomPoints(kind, count, 11);
        const RunHome home;
        Store store(home.database());
        const std::int64_t id = ingest(home, store, points);

        std::vector<Point> sorted = points;
        std::ranges::stable_sort(sorted, {}, &Point::step);
        std::mt19937_64 random(4);
        for (int i = 0; i < 600; ++i) {
            const std::int64_t newest = sorted.back().step + 3;
            std::int64_t first = i == 0 ? kFirst : static_cast<std::int64_t>(random()) % newest;
            std::int64_t last = i == 0 ? std::numeric_limits<std::int64_t>::max() : first + static_cast<std::int64_t>(random() % (std::uint64_t(1) << (random() % 17)));
            const std::int64_t maxBuckets = 1 + static_cast<std::int64_t>(random() % (std::uint64_t(1) << (random() % 12)));
            std::vector<Point> inside;
            std::ranges::copy_if(sorted, std::back_inserter(inside),
                [&](const Point& point) { return point.step >= first && point.step <= last; });
            const QString fault = judge(store.range(id, first, last, maxBuckets), inside, maxBuckets);
            QVERIFY2(fault.isEmpty(), qPrintable(QString("%1 … %2, at most %3: %4").arg(first).arg(last).arg(maxBuckets).arg(fault)));
        }
    }

    void m08AllPointsAreTheJournalsBitForBit()
    {
        std::mt19937_64 random(8);
        std::vector<Point> points;
        for (int step = 0; step < 5000; ++step) {
            const auto value = std::bit_cast<double>(random());
            points.push_back({step, step + 0.001 * static_cast<double>(random() % 1000), std::isnan(value) ? kNone : value});
        }
        const RunHome home;
        Store store(home.database());
        const std::vector<Point> stored = store.points(ingest(home, store, points));
        QCOMPARE(stored.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i) {
            QVERIFY(stored[i].step == points[i].step && isSame(stored[i].tMs, points[i].tMs));
            QVERIFY(isSame(stored[i].value, points[i].value));
        }
    }

    void emptyAndReversedRangesHaveNoPoints()
    {
        const RunHome home;
        Store store(home.database());
        const std::int64_t id = ingest(home, store, randomPoints({}, 1000, 1));
        QCOMPARE(store.range(id, 5000, 6000, 100).totalPoints, 0);
        QCOMPARE(store.range(id, 500, 400, 100).totalPoints, 0);
        QCOMPARE(store.range(id + 1, 0, 1000, 100).totalPoints, 0);
        QVERIFY(store.points(id + 1).empty());
    }
};

QTEST_APPLESS_MAIN(SeriesRangeTest)
#include "tst_series_range.moc"
