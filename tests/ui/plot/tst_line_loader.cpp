// N1, M7: lines of runs with several attempts: what belongs to them, and where their points lie in time.
#include "engine/contract/run/journal.h"
#include "storage/ingest.h"
#include "tests/storage/run_home.h"
#include "tests/support/whole_test.h"
#include "ui/plot/lines/line_detail.h"
#include "ui/plot/lines/line_loader.h"
#include "ui/plot/lines/thinned_smoothing.h"

#include <QtTest>

#include <algorithm>
#include <random>
#include <tuple>

using namespace ui;

namespace {

constexpr std::int64_t kHourMs = 3'600'000;

std::shared_ptr<LineData> loadedLine(const RunHome& home, const std::string& metric)
{
    storage::Store store(home.database());
    storage::catchUpAll(store, home.runs());
    LoadRequest request;
    request.runs = {"r"};
    request.metrics = {metric};
    const LoadResult result = loadLines(store, request);
    return result.whole.empty() ? std::make_shared<LineData>() : result.whole.front();
}

}  // namespace

class LineLoaderTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    /// The second attempt went on from step 300 for twenty steps, the third from step 450 of the first.
    void N1_aLineFollowsTheHistoryOfTheLastAttempt()
    {
        const RunHome home;
        const contract::RunFolder run = home.createRun("r");
        beginAttempt(run, 2, 1, 300);
        beginAttempt(run, 3, 1, 450);
        for (const auto& [attempt, first, last] : {std::tuple(1, 1, 450), std::tuple(2, 301, 320), std::tuple(3, 451, 500)}) {
            append(run.journal(0), headerLine(attempt, 0, kHourMs * attempt));
            for (int step = first; step <= last; ++step)
                append(run.journal(0), stepLine(step, 1000.0 * (step - first + 1), {{"loss", attempt}}));
        }
        const auto line = loadedLine(home, "loss");
        QCOMPARE(line->points.size(), std::size_t(500));
        QCOMPARE(line->points.raw().values()[449], 1.0);
        QCOMPARE(line->points.raw().values()[450], 3.0);
        QCOMPARE(line->superseded.size(), std::size_t(1));
        QCOMPARE(line->superseded.front().size(), std::size_t(20));
        QCOMPARE(line->points.x(499, XAxis::ActiveTime), 500.0);  // without the twenty seconds of the second
    }

    /// N10: of a line that is too long to be held whole, any part can be read with all its points, along each axis and over attempts.
    void N10_aPartOfAThinnedLineIsExact()
    {
        const RunHome home;
        const contract::RunFolder run = home.createRun("r");
        beginAttempt(run, 2, 1, 12'000);
        std::mt19937 random(7);
        std::vector<double> values(20'001);
        for (const auto& [attempt, first, last] : {std::tuple(1, 1, 12'000), std::tuple(2, 12'001, 20'000)}) {
            std::string journal = headerLine(attempt, 0, kHourMs * attempt);
            for (int step = first; step <= last; ++step)
                journal += stepLine(step, 1000.0 * (step - first + 1), {{"loss", values[std::size_t(step)] = std::uniform_real_distribution<double>(-1, 1)(random)}});
            append(run.journal(0), journal);
        }
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        LoadRequest request;
        request.runs = {"r"};
        request.metrics = {"loss"};
        request.longestSeries = 1000;
        const auto line = loadLines(store, request).whole.front();
        QVERIFY(line->isThinned && line->points.size() < 2500);
        for (int turn = 0; turn < 200; ++turn) {
            const int first = std::uniform_int_distribution<int>(1, 19'000)(random), count = std::uniform_int_distribution<int>(1, 900)(random);
            // A second a step, without the pause between the attempts.
            for (const XAxis axis : {XAxis::Step, XAxis::ActiveTime}) {
                const Interval x {double(first), double(first + count)};
                const auto detail = loadDetail(store, detailRequest(*line, axis, x), 2000);
                QVERIFY(detail && detail->covers(*line, axis, x));
                const auto steps = detail->points.steps();
                QVERIFY(steps.front() <= first && steps.back() >= first + count);
                for (std::size_t at = 0; at < steps.size(); ++at) {
                    QCOMPARE(steps[at], steps.front() + std::int64_t(at));
                    QCOMPARE(detail->points.raw().values()[at], values[std::size_t(steps[at])]);
                    QCOMPARE(detail->points.x(at, axis), double(steps[at]));
                }
            }
        }
        QVERIFY(!loadDetail(store, detailRequest(*line, XAxis::Step, {1, 5000}), 2000));  // too many
    }

    void M9_aThinnedLineIsSmoothedByAllItsPoints_data()
    {
        using enum Smoothing::Kind;
        QTest::addColumn<Smoothing>("smoothing");
        for (const double width : tests::isWhole() ? std::vector {2.0, 50.0, 3000.0} : std::vector {50.0}) {
            const QByteArray steps = QByteArray::number(int(width)) + " steps";
            QTest::newRow(("M9: exponential, " + steps).constData()) << Smoothing {Exponential, width};
            QTest::newRow(("M9: running mean, " + steps).constData()) << Smoothing {RunningMean, width};
            QTest::newRow(("M9: running median, " + steps).constData()) << Smoothing {RunningMedian, width};
        }
        if (tests::isWhole())
            QTest::newRow("M9: Gaussian, 2 steps") << Smoothing {Gaussian, 2};
        QTest::newRow("M9: Gaussian, 50 steps") << Smoothing {Gaussian, 50};
    }
    /// Two attempts of 200,000 points in all, some not finite, some steps apart: more than are read at once. The line holds a few hundred of them.
    /// Then it grows.
    void M9_aThinnedLineIsSmoothedByAllItsPoints()
    {
        QFETCH(Smoothing, smoothing);
        const RunHome home;
        const contract::RunFolder run = home.createRun("r");
        std::mt19937 random(7);
        std::vector<std::int64_t> steps;
        std::vector<double> values;
        int step = 0;
        const auto record = [&](const std::string& header, int until, bool isEven = false) {
            std::string journal = header;
            while (step < until) {
                step += isEven || random() % 8 != 0 ? 1 : int(1 + random() % 20);
                steps.push_back(step);
                values.push_back(random() % 500 == 0 ? std::nan("") : std::uniform_real_distribution<double>(-1, 1)(random) + std::sin(step / 700.0));
                journal += stepLine(step, step, {{"loss", values.back()}});
            }
            append(run.journal(0), journal);
        };
        record(headerLine(1, 0, kHourMs), 240'000);
        beginAttempt(run, 2, 1, step);
        record(headerLine(2, 0, 2 * kHourMs), 420'000);
        storage::Store store(home.database());
        storage::catchUpAll(store, home.runs());
        LoadRequest request;
        request.runs = {"r"};
        request.metrics = {"loss"};
        request.longestSeries = 4000;
        const auto line = loadLines(store, request).whole.front();
        QVERIFY(line->isThinned && line->points.size() < 8000);

        const auto compare = [&] {
            Smoother reference(smoothing);
            reference.extend(steps, values);
            QCOMPARE(line->smoothed.size(), line->points.size());
            const auto held = line->points.steps();
            std::size_t compared = 0;
            for (std::size_t at = 0; at + 1 < held.size(); ++at) {
                const auto from = std::size_t(std::ranges::lower_bound(steps, held[at]) - steps.begin());
                const auto past = std::size_t(std::ranges::upper_bound(steps, held[at + 1]) - steps.begin());
                const double a = line->smoothed.values()[at], b = line->smoothed.values()[at + 1];
                if (past - from <= 2 || !std::isfinite(a) || !std::isfinite(b))
                    continue;  // not the two points of a bucket
                MinMax expected;
                for (std::size_t index = from; index < past; ++index) {
                    if (std::isfinite(reference.values()[index]))
                        expected.add(reference.values()[index]);
                }
                QVERIFY2(std::abs(std::min(a, b) - expected.minimum) < 1e-12 && std::abs(std::max(a, b) - expected.maximum) < 1e-12,
                    qPrintable(QStringLiteral("step %1: %2 to %3, not %4 to %5").arg(held[at]).arg(std::min(a, b)).arg(std::max(a, b)).arg(expected.minimum).arg(expected.maximum)));
                ++compared;
            }
            QVERIFY2(compared > 200, qPrintable(QString::number(compared)));
        };
        QVERIFY(smoothThinned(store, *line, smoothing, [] { return true; }));
        compare();

        record({}, step + 300, true);
        storage::catchUpAll(store, home.runs());
        request.known[line->key] = {line->pieces, line->lastStep};
        const auto added = loadLines(store, request).added;
        QCOMPARE(added.size(), std::size_t(1));
        const std::size_t before = line->points.size();
        line->points.append(added.front().piece, added.front().points);
        if (smoothing.kind == Smoothing::Kind::Exponential)
            line->smooth();
        else
            QVERIFY(smoothThinned(store, *line, smoothing, [] { return true; }));
        compare();
        Smoother reference(smoothing);
        reference.extend(steps, values);
        for (std::size_t at = before; at < line->points.size(); ++at) {
            const double expected = reference.values()[steps.size() - line->points.size() + at];
            QVERIFY(std::isnan(expected) ? std::isnan(line->smoothed.values()[at]) : std::abs(line->smoothed.values()[at] - expected) < 1e-12);
        }
        // Whoever does not want it any longer gets back what there was.
        const std::vector<double> kept(line->smoothed.values().begin(), line->smoothed.values().end());
        QVERIFY(!smoothThinned(store, *line, {Smoothing::Kind::RunningMean, 7}, [] { return false; }));
        QVERIFY(std::ranges::equal(kept, line->smoothed.values(), [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }));
    }

    /// Each attempt waited in a queue, the first for three hours; the machine's journal began a minute before rank 0's.
    void M7_pointsLieAtTheTimeOfTheirJournal()
    {
        const RunHome home;
        const contract::RunFolder run = home.createRun("r");
        beginAttempt(run, 2, 1, 1);
        constexpr std::int64_t kStarts[] = {1'000'000 + 3 * kHourMs, 2'000'000 + 9 * kHourMs};
        for (const int attempt : {1, 2}) {
            const std::int64_t start = kStarts[attempt - 1];
            append(run.journal(0), headerLine(attempt, 0, start) + stepLine(attempt, 5000, {{"loss", 1}}));
            append(run.journal(contract::kHostRank), headerLine(attempt, contract::kHostRank, start - 60'000)
                    + stepLine(10 * attempt, 10'000, {{"system/cpu_load", 1}}, "host"));
        }
        const auto loss = loadedLine(home, "loss"), load = loadedLine(home, "system/cpu_load");
        QCOMPARE(loss->points.size(), std::size_t(2));
        QCOMPARE(load->points.size(), std::size_t(2));
        for (const std::size_t at : {0, 1}) {
            const double start = static_cast<double>(kStarts[at]) / 1000;
            QCOMPARE(loss->points.x(at, XAxis::WallTime), start + 5);
            QCOMPARE(load->points.x(at, XAxis::WallTime), start - 60 + 10);
        }
    }
};

QTEST_GUILESS_MAIN(LineLoaderTest)
#include "tst_line_loader.moc"
