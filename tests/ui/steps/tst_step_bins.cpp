// The bins of a line hold what a sum over its points gives, however it grew and however wide they became.
#include "ui/steps/step_bins.h"

#include <QTest>

#include <cmath>
#include <random>

class StepBinsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// After a pause of an hour the clock is set back by two.
    void N13_theyLieAlongAnyAxis_data()
    {
        QTest::addColumn<ui::XAxis>("axis");
        QTest::newRow("steps") << ui::XAxis::Step;
        QTest::newRow("samples") << ui::XAxis::Samples;
        QTest::newRow("epochs") << ui::XAxis::Epochs;
        QTest::newRow("active time") << ui::XAxis::ActiveTime;
        QTest::newRow("wall time") << ui::XAxis::WallTime;
    }
    void N13_theyLieAlongAnyAxis()
    {
        QFETCH(ui::XAxis, axis);
        std::mt19937 random(7);
        ui::LinePoints line;
        ui::StepBins bins(axis);
        double active = 0;
        for (int attempt = 0, step = 1; attempt < 3; ++attempt) {
            const double starts[] = {10'000, 13'700, 6'500};
            const ui::LinePiece piece {.attempt = attempt + 1, .startSeconds = starts[attempt], .activeSeconds = active, .samples = {0, 48}, .epochs = {0, 1.0 / 300}};
            std::vector<storage::Point> points;
            double ms = 0;
            for (int count = 0; count < 400; ++count, ++step) {
                ms += 100 + double(random() % 50);
                points.push_back({step, ms, double(random() % 1000)});
            }
            active += ms / 1000;
            line.append(piece, points);
            bins.extend(line);
            bins.widen(bins.neededWidth(64));
        }
        const double width = double(bins.width()) * ui::binUnit(axis);
        std::int64_t counted = 0;
        for (std::int64_t bin = bins.first(); bin <= bins.last(); ++bin) {
            double sum = 0;
            std::int64_t count = 0;
            for (std::size_t at = 0; at < line.size(); ++at) {
                if (std::floor(line.x(at, axis) / width) == double(bin)) {
                    sum += line.raw().values()[at];
                    ++count;
                }
            }
            QCOMPARE(bins.at(bin).count, count);
            QCOMPARE(bins.at(bin).sum, sum);
            counted += count;
        }
        QCOMPARE(counted, std::int64_t(line.size()));
        QVERIFY(bins.last() - bins.first() < 64);
    }

    void theyHoldWhatASumOverThePointsGives_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("gap");
        QTest::newRow("one point") << 1 << 7 << 1;
        QTest::newRow("every step") << 3000 << 0 << 1;
        QTest::newRow("every tenth step") << 900 << 10 << 10;
        QTest::newRow("a run that goes on far from its first step") << 400 << 1'000'003 << 1;
        QTest::newRow("gaps of thousands of steps") << 500 << 3 << 7001;
    }
    void theyHoldWhatASumOverThePointsGives()
    {
        QFETCH(int, points);
        QFETCH(int, first);
        QFETCH(int, gap);
        std::mt19937 random(7);
        ui::LinePoints line;
        ui::StepBins bins;
        std::vector<storage::Point> all;
        while (static_cast<int>(all.size()) < points) {
            std::vector<storage::Point> grown;
            for (std::uint64_t i = 0, count = 1 + random() % 200; i < count && static_cast<int>(all.size()) < points; ++i) {
                const std::int64_t step = first + static_cast<std::int64_t>(all.size()) * gap;
                const double value = random() % 50 == 0 ? std::nan("") : static_cast<double>(random() % 1000);
                grown.push_back({step, static_cast<double>(step), value});
                all.push_back(grown.back());
            }
            line.append({}, grown);
            bins.extend(line);
            constexpr std::int64_t kMost = 64;
            bins.widen(bins.neededWidth(kMost));
            QVERIFY(bins.last() - bins.first() < kMost);
        }
        QVERIFY(bins.width() >= gap);
        QVERIFY(!bins.at(bins.first() - 1).count && !bins.at(bins.last() + 1).count);
        for (std::int64_t bin = bins.first(); bin <= bins.last(); ++bin) {
            double sum = 0, highest = -INFINITY;
            std::int64_t count = 0;
            for (const storage::Point& point : all) {
                if (point.step / bins.width() == bin && std::isfinite(point.value)) {
                    sum += point.value;
                    highest = std::max(highest, point.value);
                    ++count;
                }
            }
            QCOMPARE(bins.at(bin).count, count);
            QCOMPARE(bins.at(bin).sum, sum);
            QCOMPARE(bins.at(bin).highest, highest);
        }
    }
};

QTEST_APPLESS_MAIN(StepBinsTest)
#include "tst_step_bins.moc"
