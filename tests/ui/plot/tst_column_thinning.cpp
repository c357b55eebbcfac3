// M8: the thinned line equals a brute-force reference in every pixel column.
#include "ui/plot/lines/column_thinning.h"
#include "ui/plot/lines/value_range.h"
#include "tests/support/whole_test.h"

#include <QTest>

#include <cmath>
#include <limits>
#include <map>
#include <random>

using namespace ui;

namespace {

struct Reach {
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -std::numeric_limits<double>::infinity();
    void add(double value)
    {
        minimum = std::min(minimum, value);
        maximum = std::max(maximum, value);
    }
    bool operator==(const Reach&) const = default;
};

LinePoints randomPoints(unsigned seed, std::size_t size, double nonFinitePart)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    std::uniform_int_distribution<int> gap(1, 7);
    std::uniform_real_distribution<double> chance;
    std::vector<storage::Point> points;
    std::int64_t step = 0;
    double value = 0;
    for (std::size_t index = 0; index < size; ++index) {
        step += gap(random);
        value += noise(random);
        const bool isBad = chance(random) < nonFinitePart;
        points.push_back({step, static_cast<double>(step) * 13.7, isBad ? std::nan("") : value + 10 * noise(random)});
    }
    LinePoints line;
    // Appended in pieces, as to the line of a live run.
    for (std::size_t first = 0; first < size;) {
        const std::size_t last = std::min(size, first + random() % 5000 + 1);
        line.append({.seriesId = 1}, {points.data() + first, last - first});
        first = last;
    }
    return line;
}

/// The reach of the points in each column, computed from every point.
std::map<double, Reach> bruteForce(const LinePoints& points, const Curve& curve, XAxis axis, Scale scale,
    const ColumnGrid& grid)
{
    std::map<double, Reach> reach;
    for (std::size_t index = 0; index < points.size(); ++index) {
        const double x = points.x(index, axis);
        const double value = curve.values()[index];
        if (x < grid.x.lower || x > grid.x.upper || !std::isfinite(value))
            continue;
        if (scale == Scale::Linear || value > 0)
            reach[grid.columnOf(x)].add(value);
    }
    return reach;
}

std::map<double, Reach> drawn(const ThinnedLine& line, const ColumnGrid& grid)
{
    std::map<double, Reach> reach;
    for (const Vertex& vertex : line.vertices)
        if (vertex.x >= grid.x.lower && vertex.x <= grid.x.upper && !std::isnan(vertex.y))
            reach[grid.columnOf(vertex.x)].add(vertex.y);
    return reach;
}

}  // namespace

class ColumnThinningTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void m17_aGestureDrawsNoMoreColumnsThanAFrameHasTimeFor_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<int>("width");
        QTest::newRow("one line") << 1 << 2000;
        QTest::newRow("50 lines") << 50 << 930;
        QTest::newRow("50 lines, twice as fine") << 50 << 1860;
        QTest::newRow("no room") << 50 << 0;
    }
    void m17_aGestureDrawsNoMoreColumnsThanAFrameHasTimeFor()
    {
        QFETCH(int, lines);
        QFETCH(int, width);
        const int pixels = movingColumnPixels(std::size_t(lines), width);
        QVERIFY(pixels >= 1);
        QVERIFY(lines * (width / pixels) <= 16'000);
        // The columns are not wider than necessary: one pixel less would be too many columns.
        QVERIFY(pixels == 1 || lines * (width / (pixels - 1)) > 16'000);
    }

    void drawnEqualsBruteForce_data()
    {
        QTest::addColumn<int>("size");
        QTest::addColumn<double>("nonFinitePart");
        QTest::addColumn<int>("axis");
        QTest::addColumn<int>("scale");
        for (const int size : {1, 50, 3000, tests::isWhole() ? 200'000 : 20'000})
            for (const double bad : {0.0, 0.02, 0.6})
                for (const XAxis axis : {XAxis::Step, XAxis::ActiveTime, XAxis::WallTime})
                    for (const Scale scale : {Scale::Linear, Scale::Logarithmic})
                        QTest::addRow("M8 %d points, %g bad, axis %d, scale %d", size, bad, int(axis), int(scale))
                            << size << bad << int(axis) << int(scale);
    }
    void drawnEqualsBruteForce()
    {
        QFETCH(int, size);
        QFETCH(double, nonFinitePart);
        QFETCH(int, axis);
        QFETCH(int, scale);
        const auto xAxis = static_cast<XAxis>(axis);
        const LinePoints points = randomPoints(static_cast<unsigned>(size) + 1, static_cast<std::size_t>(size), nonFinitePart);
        const double begin = points.x(0, xAxis);
        const double end = points.x(points.size() - 1, xAxis);
        std::mt19937 random(99);
        std::uniform_real_distribution<double> at(begin - 1, end + 1);
        for (int view = 0; view < 12; ++view) {
            double left = view == 0 ? begin : at(random);
            double right = view == 0 ? std::max(end, begin + 1) : at(random);
            if (left > right)
                std::swap(left, right);
            const ColumnGrid grid {{left, right}, 1 + int(random() % 1500)};
            const ThinnedLine line = thinned(points, points.raw(), xAxis, static_cast<Scale>(scale), grid);
            QVERIFY(drawn(line, grid) == bruteForce(points, points.raw(), xAxis, static_cast<Scale>(scale), grid));
            QVERIFY(line.vertices.size() <= static_cast<std::size_t>(grid.columns) * 8 + 16);
            for (std::size_t index = 1; index < line.vertices.size(); ++index)
                QVERIFY(line.vertices[index - 1].x <= line.vertices[index].x);
        }
    }

    void fewPointsAreAllDrawn()
    {
        const LinePoints points = randomPoints(3, 500, 0);
        const ThinnedLine line = thinned(points, points.raw(), XAxis::Step, Scale::Linear, {{0, 5000}, 400});
        QVERIFY(line.isEveryPoint);
        QCOMPARE(line.vertices.size(), points.size());
        QCOMPARE(line.points, points.size());
    }

    void theLineRunsToTheEdges()
    {
        const LinePoints points = randomPoints(3, 500, 0);
        const double x = points.x(100, XAxis::Step);
        const ThinnedLine line = thinned(points, points.raw(), XAxis::Step, Scale::Linear, {{x - 0.5, x + 0.5}, 100});
        QCOMPARE(line.points, std::size_t(1));
        QCOMPARE(line.vertices.size(), std::size_t(3));
    }

    void nonFiniteValuesBreakTheLineAndAreMarked()
    {
        LinePoints points;
        const double inf = std::numeric_limits<double>::infinity();
        points.append({}, std::vector<storage::Point> {{1, 0, 1}, {2, 0, inf}, {3, 0, std::nan("")}, {4, 0, 2}});
        const ThinnedLine line = thinned(points, points.raw(), XAxis::Step, Scale::Linear, {{0, 5}, 500});
        QCOMPARE(line.vertices.size(), std::size_t(3));
        QVERIFY(std::isnan(line.vertices[1].y));
        QCOMPARE(line.nonFinite, (std::vector<double> {2, 3}));
        const MinMax range = seenRange({{&points, &points.raw()}}, XAxis::Step, Scale::Linear, {0, 5});
        QCOMPARE(range.minimum, 1.0);
        QCOMPARE(range.maximum, 2.0);
    }

    void valuesNotPositiveAreCountedOnALogarithmicAxis()
    {
        LinePoints points;
        points.append({}, std::vector<storage::Point> {{1, 0, 1}, {2, 0, 0}, {3, 0, -4}, {4, 0, 2}});
        const ThinnedLine line = thinned(points, points.raw(), XAxis::Step, Scale::Logarithmic, {{0, 5}, 500});
        QCOMPARE(line.notPositive, std::size_t(2));
        QVERIFY(line.nonFinite.empty());
        const MinMax range = seenRange({{&points, &points.raw()}}, XAxis::Step, Scale::Logarithmic, {0, 5});
        QCOMPARE(range.minimum, 1.0);
    }

    void clippingLeavesOutTheExtremes()
    {
        std::vector<storage::Point> all;
        for (int step = 0; step < 1000; ++step)
            all.push_back({step, 0, step == 500 ? 1e9 : step % 10 * 1.0});
        LinePoints points;
        points.append({}, all);
        const MinMax range = clippedRange({{&points, &points.raw()}}, XAxis::Step, Scale::Linear, {0, 1000});
        QCOMPARE(range.minimum, 0.0);
        QCOMPARE(range.maximum, 9.0);
    }

    void wallTimeOfAClockSetBackIsTwoStretches()
    {
        LinePoints points;
        points.append({.seriesId = 1, .attempt = 1, .startSeconds = 1000}, std::vector<storage::Point> {{1, 1000, 1}, {2, 2000, 2}});
        points.append({.seriesId = 2, .attempt = 2, .startSeconds = 500, .activeSeconds = 2},
            std::vector<storage::Point> {{3, 1000, 3}, {4, 2000, 4}});
        QCOMPARE(points.stretches(XAxis::WallTime).size(), std::size_t(2));
        QCOMPARE(points.stretches(XAxis::ActiveTime).size(), std::size_t(1));
        QCOMPARE(points.x(2, XAxis::WallTime), 501.0);
        QCOMPARE(points.x(2, XAxis::ActiveTime), 3.0);
        QCOMPARE(points.nearest(502, XAxis::WallTime), std::size_t(3));
        QCOMPARE(points.attempt(1), 1);
        QCOMPARE(points.attempt(2), 2);
    }

    void paddingIsSensibleForAnything_data()
    {
        QTest::addColumn<double>("low");
        QTest::addColumn<double>("high");
        QTest::newRow("zero") << 0.0 << 0.0;
        QTest::newRow("a constant") << 0.3 << 0.3;
        QTest::newRow("rounding") << 0.3 << 0.30000000000000004;
        QTest::newRow("huge") << -1.7e308 << 1.7e308;
        QTest::newRow("tiny") << 5e-324 << 5e-324;
    }
    void paddingIsSensibleForAnything()
    {
        QFETCH(double, low);
        QFETCH(double, high);
        const Interval y = padded({low, high}, Scale::Linear);
        QVERIFY(std::isfinite(y.lower) && std::isfinite(y.upper) && std::isfinite(y.size()));
        QVERIFY(y.lower < y.upper);
    }
};

QTEST_APPLESS_MAIN(ColumnThinningTest)
#include "tst_column_thinning.moc"
