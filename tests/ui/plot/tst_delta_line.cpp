// E3: lines minus the baseline's line, and plots of them.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/plot/lines/delta_line.h"
#include "ui/plot/lines/plot_feed.h"

#include <QTest>

#include <cmath>
#include <map>
#include <random>

using ui::DeltaLine;
using ui::LineData;
using ui::XAxis;

namespace {

/// Points at some of the steps from @p first on, of two attempts.
std::vector<storage::Point> noisyPoints(unsigned seed, std::int64_t first, int count)
{
    std::mt19937 random(seed);
    std::vector<storage::Point> points;
    for (std::int64_t step = first; std::ssize(points) < count; ++step) {
        if (random() % 3 == 0)
            continue;
        const double value = random() % 50 == 0 ? std::nan("") : double(random() % 1000) / 7;
        points.push_back({step, double(step) * 10, value});
    }
    return points;
}

void append(LineData& line, int attempt, const std::vector<storage::Point>& points)
{
    line.points.append({.seriesId = attempt, .attempt = attempt, .startSeconds = 1000.0 * attempt, .activeSeconds = 5.0 * attempt}, points);
}

bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace

class DeltaLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// However the points arrive, the differences are those of a slow, obvious computation.
    void E3_differencesEqualBruteForce()
    {
        auto source = std::make_shared<LineData>();
        auto baseline = std::make_shared<LineData>();
        DeltaLine delta {source, baseline, std::make_shared<LineData>()};
        std::map<std::int64_t, double> values, baselineValues;
        std::int64_t next = 1, baselineNext = 1;
        for (unsigned round = 0; round < 40; ++round) {
            LineData& line = round % 2 ? *source : *baseline;
            std::int64_t& from = round % 2 ? next : baselineNext;
            const auto points = noisyPoints(round, from, int(round * 7 % 50) + 1);
            from = points.back().step + 1;
            append(line, round < 20 ? 1 : 2, points);
            for (const storage::Point& point : points)
                (round % 2 ? values : baselineValues)[point.step] = point.value;
            delta.extend();
        }
        std::vector<std::int64_t> expected;
        for (const auto& [step, value] : values) {
            if (baselineValues.contains(step))
                expected.push_back(step);
        }
        const auto& found = delta.line->points;
        QCOMPARE(std::vector<std::int64_t>(found.steps().begin(), found.steps().end()), expected);
        for (std::size_t index = 0; index < expected.size(); ++index) {
            const std::int64_t step = expected[index];
            QVERIFY(isSame(found.raw().values()[index], values[step] - baselineValues[step]));
            const auto at = std::ranges::find(source->points.steps(), step) - source->points.steps().begin();
            const auto original = std::size_t(at);
            QCOMPARE(found.attempt(index), source->points.attempt(original));
            QVERIFY(std::abs(found.x(index, XAxis::ActiveTime) - source->points.x(original, XAxis::ActiveTime)) < 1e-9);
            QVERIFY(std::abs(found.x(index, XAxis::WallTime) - source->points.x(original, XAxis::WallTime)) < 1e-6);
        }
        QVERIFY(!expected.empty());
    }

    void E3_theFeedGivesDifferencesFromTheBaseline_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("E3: subtracted at once") << 60;
        QTest::newRow("E3: subtracted on another thread") << 60'000;
    }
    void E3_theFeedGivesDifferencesFromTheBaseline()
    {
        QFETCH(int, steps);
        const ui_test::TestHome home;
        const auto a = home.writeRun("a-20261121-100000-aaaa", 0, "");
        const auto b = home.writeRun("b-20261121-100001-bbbb", 0, "");
        const auto write = [](const contract::RunFolder& run, int first, int last, double factor) {
            contract::JournalHeader header;
            header.run = run.id();
            contract::JournalWriter journal(run.journal(0), header);
            for (int step = first; step <= last; ++step) {
                journal.begin(contract::record::kStep, step).add("loss", factor * step);
                journal.commit();
            }
        };
        write(a, 1, steps, 1.0);
        write(b, 1, steps, 1.5);
        home.ingest();
        ui::StoreService store(home.home());
        ui::PlotFeed feed(store);
        feed.setRuns({a.id(), b.id()});
        feed.setMetrics({"loss"});
        feed.setSmoothing({ui::Smoothing::Kind::RunningMean, 3});
        feed.setBaseline(a.id());
        feed.setActive(true);
        const ui::LineKey key = {b.id(), "loss", 0};
        const auto points = [&] { return feed.lines().contains(key) ? feed.lines().at(key)->smoothed.size() : 0; };
        QTRY_COMPARE(points(), std::size_t(steps));
        QCOMPARE(feed.lines().size(), std::size_t(1));  // the baseline has no difference from itself
        QCOMPARE(feed.lines().at(key)->points.raw().values()[9], 5.0);
        QVERIFY(std::abs(feed.lines().at(key)->smoothed.values()[9] - 5.0) < 1e-9);  // the mean of 4.5, 5 and 5.5
        write(b, steps + 1, steps + 20, 1.5);  // a step that only one run has is no difference yet
        write(a, steps + 1, steps + 10, 1.0);
        home.ingest();
        QTRY_COMPARE(points(), std::size_t(steps + 10));
        feed.setBaseline(b.id());
        QTRY_COMPARE(feed.lines().count({a.id(), "loss", 0}), std::size_t(1));
        QCOMPARE(feed.lines().size(), std::size_t(1));
        QCOMPARE(feed.lines().begin()->second->points.raw().values()[9], -5.0);
        feed.setBaseline({});
        QTRY_COMPARE(feed.lines().size(), std::size_t(2));
        QCOMPARE(feed.lines().at(key)->points.raw().values()[9], 15.0);
    }
};

ATELIER_UI_TEST_MAIN(DeltaLineTest)
#include "tst_delta_line.moc"
