#include "storage/point_block.h"
#include "tests/storage/same_point.h"

#include <QtTest>

#include <bit>
#include <limits>
#include <random>

using storage::Point;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();

std::vector<Point> readBack(const std::vector<Point>& points)
{
    std::vector<Point> back;
    storage::decodePoints(storage::encodePoints(points), back);
    return back;
}

std::vector<Point> anyDoubles(std::size_t count)
{
    std::mt19937_64 random(5);
    std::vector<Point> points(count);
    for (Point& point : points)
        point = {static_cast<std::int64_t>(random()), std::bit_cast<double>(random()),
            std::bit_cast<double>(random())};
    return points;
}

}  // namespace

class PointBlockTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void everyBitReadsBack_data()
    {
        QTest::addColumn<std::vector<Point>>("points");
        QTest::newRow("none") << std::vector<Point> {};
        QTest::newRow("one") << std::vector<Point> {{7, 1.5, 0.1}};
        QTest::newRow("regular steps, floats") << std::vector<Point> {{1, 0.001, 0.5}, {2, 0.002, 0.25}, {3, 7, 1}};
        QTest::newRow("steps that stay and go back") << std::vector<Point> {{5, 1, 1}, {5, 2, 2}, {3, 3, 3}};
        QTest::newRow("farthest steps") << std::vector<Point> {{-kLast - 1, 1, 1}, {kLast, 2, 2}, {0, 3, 3}};
        QTest::newRow("non-finite") << std::vector<Point> {
            {1, 1, std::numeric_limits<double>::quiet_NaN()}, {2, 2, kInfinity}, {3, 3, -kInfinity}};
        QTest::newRow("signs of zero") << std::vector<Point> {{1, -0.0, -0.0}, {2, 0.0, 0.0}};
        QTest::newRow("beyond a float") << std::vector<Point> {{1, 1, 1e300}, {2, 2, 5e-324}, {3, 3, 16777217}};
        QTest::newRow("times between microseconds") << std::vector<Point> {{1, 0.12345678, 1}, {2, 1e15, 1}};
        QTest::newRow("any doubles") << anyDoubles(1000);
    }
    void everyBitReadsBack()
    {
        QFETCH(std::vector<Point>, points);
        const std::vector<Point> back = readBack(points);
        QCOMPARE(back.size(), points.size());
        for (std::size_t i = 0; i < points.size(); ++i)
            QVERIFY2(isSame(back[i], points[i]), qPrintable(QString::number(i)));
    }

    void usualPointsTakeFewBytes()
    {
        std::vector<Point> points;
        for (int step = 0; step < 512; ++step)
            points.push_back({step, step * 25.125, static_cast<float>(step) * 0.1F});
        QVERIFY(storage::encodePoints(points).size() < 8 * points.size());
    }

    void damagedBytesAreAnErrorAndNoCrash()
    {
        const storage::Bytes whole = storage::encodePoints(anyDoubles(50));
        std::mt19937_64 random(6);
        for (std::size_t length = 1; length < whole.size(); length += 3) {
            std::vector<Point> points;
            QVERIFY_THROWS_EXCEPTION(
                SQLite::Exception, storage::decodePoints(whole.substr(0, length), points));
        }
        for (int i = 0; i < 2000; ++i) {
            storage::Bytes bytes = whole;
            bytes[random() % bytes.size()] = static_cast<char>(random());
            std::vector<Point> points;
            try {
                storage::decodePoints(bytes, points);
            } catch (const SQLite::Exception&) {
                continue;
            }
            QVERIFY(points.size() <= bytes.size());
        }
    }
};

QTEST_APPLESS_MAIN(PointBlockTest)
#include "tst_point_block.moc"
