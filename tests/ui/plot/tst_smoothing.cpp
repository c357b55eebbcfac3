// Tests the rules of [Note: smoothing] against a slow and simple reference.
#include "ui/plot/lines/smoothing.h"

#include <QTest>

#include <algorithm>
#include <bit>
#include <cmath>
#include <ctime>
#include <limits>
#include <random>
#include <span>

using ui::Smoother;
using ui::Smoothing;
using Kind = ui::Smoothing::Kind;

namespace {

struct Series {
    std::vector<std::int64_t> steps;
    std::vector<double> values;
};

Series randomSeries(unsigned seed, std::size_t size, int widestGap, double nonFinitePart)
{
    std::mt19937 random(seed);
    std::normal_distribution<double> noise;
    std::uniform_int_distribution<int> gap(1, widestGap);
    std::uniform_real_distribution<double> chance;
    Series series;
    std::int64_t step = gap(random);
    for (std::size_t index = 0; index < size; ++index, step += gap(random)) {
        series.steps.push_back(step);
        const double value = std::sin(static_cast<double>(step) / 40) + noise(random);
        series.values.push_back(chance(random) < nonFinitePart ? std::nan("") : value);
    }
    return series;
}

std::vector<double> smooth(const Series& series, const Smoothing& smoothing)
{
    Smoother smoother(smoothing);
    smoother.extend(series.steps, series.values);
    return smoother.values();
}

/// Computes the weight of every value directly, without sliding windows or running sums.
double referenceAt(const Series& series, std::size_t at, const Smoothing& smoothing)
{
    if (!std::isfinite(series.values[at]))
        return std::nan("");
    std::vector<std::size_t> finite;
    for (std::size_t index = 0; index < series.values.size(); ++index)
        if (std::isfinite(series.values[index]))
            finite.push_back(index);
    std::vector<std::pair<double, double>> weighted;  // value, weight
    for (std::size_t place = 0; place < finite.size(); ++place) {
        const auto since = [&](std::size_t later) {
            return static_cast<double>(series.steps[finite[later]] - series.steps[finite[later - 1]]);
        };
        double stands = finite.size() == 1 ? 1 : since(std::max<std::size_t>(place, 1));
        const auto distance = static_cast<double>(series.steps[finite[place]] - series.steps[at]);
        double weight = 0;
        if (smoothing.kind == Kind::Exponential) {
            if (finite[place] <= at)
                weight = (1 - std::exp2(-stands / smoothing.width)) * std::exp2(distance / smoothing.width);
        } else if (smoothing.kind == Kind::Gaussian || std::abs(distance) <= smoothing.width / 2) {
            // The reference does not cut the Gaussian off: the tail that the smoother leaves out must not matter.
            stands = std::min(stands, std::ceil(std::max(1.0, 2 * smoothing.reach())));
            weight = smoothing.kind == Kind::Gaussian
                ? stands * std::exp(-distance * distance / (2 * smoothing.width * smoothing.width))
                : stands;
        }
        if (weight > 0)
            weighted.emplace_back(series.values[finite[place]], weight);
    }
    double total = 0;
    double sum = 0;
    for (const auto& [value, weight] : weighted) {
        total += weight;
        sum += value * weight;
    }
    if (smoothing.kind != Kind::RunningMedian)
        return sum / total;
    std::sort(weighted.begin(), weighted.end());
    double passed = 0;
    for (std::size_t index = 0; index < weighted.size(); ++index) {
        passed += weighted[index].second;
        if (passed * 2 == total)
            return (weighted[index].first + weighted[index + 1].first) / 2;
        if (passed * 2 > total)
            return weighted[index].first;
    }
    return std::nan("");
}

}  // namespace

class SmoothingTest : public QObject {
    Q_OBJECT

    static constexpr double kAllWidths[] = {1, 5, 50, 333};

    void addKinds(const char* law, std::span<const double> widths = kAllWidths)
    {
        QTest::addColumn<Smoothing>("smoothing");
        const std::pair<const char*, Kind> kinds[] = {{"exponential", Kind::Exponential},
            {"gaussian", Kind::Gaussian}, {"running mean", Kind::RunningMean}, {"running median", Kind::RunningMedian}};
        for (const auto& [name, kind] : kinds)
            for (const double width : widths)
                QTest::addRow("M9 %s: %s %g", law, name, width) << Smoothing {kind, width};
    }

private Q_SLOTS:
    void equalsTheSlowReference_data() { addKinds("reference"); }
    void equalsTheSlowReference()
    {
        QFETCH(Smoothing, smoothing);
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const Series series = randomSeries(seed, 300, seed % 2 ? 1 : 9, seed > 2 ? 0.1 : 0);
            const auto smoothed = smooth(series, smoothing);
            QCOMPARE(smoothed.size(), series.values.size());
            for (std::size_t at = 0; at < smoothed.size(); ++at) {
                const double expected = referenceAt(series, at, smoothing);
                if (std::isnan(expected))
                    QVERIFY(std::isnan(smoothed[at]));
                else
                    QVERIFY2(std::abs(smoothed[at] - expected)
                            <= (smoothing.kind == Kind::Gaussian ? 1e-3 : 1e-9) * (1 + std::abs(expected)),
                        qPrintable(QStringLiteral("seed %1 index %2: %3 is not %4")
                                       .arg(seed).arg(at).arg(smoothed[at], 0, 'g', 17).arg(expected, 0, 'g', 17)));
            }
        }
    }

    void aConstantStaysExactlyThatConstant_data() { addKinds("constant"); }
    void aConstantStaysExactlyThatConstant()
    {
        QFETCH(Smoothing, smoothing);
        for (const double constant : {0.1, -1e300, 1.0 / 3, 5e-324, 0.0}) {
            Series series = randomSeries(7, 2000, 5, 0.05);
            for (double& value : series.values)
                value = std::isfinite(value) ? constant : value;
            const auto smoothed = smooth(series, smoothing);
            QCOMPARE(smoothed.size(), series.values.size());
            for (std::size_t at = 0; at < smoothed.size(); ++at)
                if (std::isfinite(series.values[at]))
                    QCOMPARE(smoothed[at], constant);
        }
    }

    void growingGivesWhatAWholeSeriesGives_data() { addKinds("growing"); }
    void growingGivesWhatAWholeSeriesGives()
    {
        QFETCH(Smoothing, smoothing);
        const Series series = randomSeries(11, 1000, 4, 0.05);
        Smoother growing(smoothing);
        std::mt19937 random(3);
        std::size_t size = 0;
        while (size < series.values.size()) {
            const std::vector<double> before = growing.values();
            size = std::min(series.values.size(), size + random() % 40 + 1);
            const std::size_t changed
                = growing.extend({series.steps.data(), size}, {series.values.data(), size});
            for (std::size_t at = 0; at < std::min(changed, before.size()); ++at)
                QVERIFY(growing.values()[at] == before[at] || std::isnan(before[at]));
        }
        const auto whole = smooth(series, smoothing);
        QCOMPARE(growing.values().size(), whole.size());
        for (std::size_t at = 0; at < whole.size(); ++at)
            QVERIFY(std::isnan(whole[at]) ? std::isnan(growing.values()[at])
                                          : std::abs(growing.values()[at] - whole[at]) < 1e-12);
    }

    void laterPointsNeverChangeTheExponentialMean_data()
    {
        QTest::addColumn<double>("width");
        for (const double width : kAllWidths)
            QTest::addRow("M9 causal: exponential %g", width) << width;
    }
    void laterPointsNeverChangeTheExponentialMean()
    {
        QFETCH(double, width);
        const Smoothing smoothing {Kind::Exponential, width};
        const Series series = randomSeries(5, 400, 6, 0.1);
        const auto before = smooth(series, smoothing);
        Series shorter = series;
        shorter.steps.resize(200);
        shorter.values.resize(200);
        const auto part = smooth(shorter, smoothing);
        QCOMPARE(part.size(), 200U);
        for (std::size_t at = 0; at < part.size(); ++at)
            QVERIFY(part[at] == before[at] || (std::isnan(part[at]) && std::isnan(before[at])));
    }

    /// Not for windows narrower than the coarse spacing, which hold one coarse point.
    void howOftenValuesWereLoggedDoesNotMatter_data() { addKinds("spacing", std::span(kAllWidths).last(2)); }
    void howOftenValuesWereLoggedDoesNotMatter()
    {
        QFETCH(Smoothing, smoothing);
        // The same slow curve logged at every step, at every fifth, and changing from one to the other.
        const auto value = [](std::int64_t step) { return std::cos(static_cast<double>(step) / 150); };
        Series every;
        Series fifth;
        Series mixed;
        for (std::int64_t step = 5; step <= 4000; ++step) {
            every.steps.push_back(step);
            if (step % 5 == 0)
                fifth.steps.push_back(step);
            if (step <= 2000 || step % 5 == 0)
                mixed.steps.push_back(step);
        }
        const auto atTheChange = [&](Series& series) {
            for (const std::int64_t step : series.steps)
                series.values.push_back(value(step));
            const auto smoothed = smooth(series, smoothing);
            const auto found = std::lower_bound(series.steps.begin(), series.steps.end(), 2010);
            return smoothed[static_cast<std::size_t>(found - series.steps.begin())];
        };
        const double fine = atTheChange(every);
        QVERIFY(std::abs(atTheChange(fifth) - fine) < 0.02);
        QVERIFY(std::abs(atTheChange(mixed) - fine) < 0.02);
    }

    void nonFiniteValuesBreakTheLineAndDisturbNothing()
    {
        const Series clean {{1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}};
        Series dirty = clean;
        dirty.values[2] = std::numeric_limits<double>::infinity();
        for (const Kind kind : {Kind::Exponential, Kind::Gaussian, Kind::RunningMean, Kind::RunningMedian}) {
            const auto smoothed = smooth(dirty, {kind, 3});
            QVERIFY(std::isnan(smoothed[2]));
            for (const std::size_t at : {0, 1, 3, 4})
                QCOMPARE(smoothed[at], 1.0);
        }
    }

    void offGivesNothing()
    {
        QVERIFY(smooth(randomSeries(1, 10, 1, 0), {Kind::Off, 50}).empty());
    }

    void aHalfLifeIsInSteps()
    {
        // Far from the beginning, the mean has covered half of a jump from 0 to 1 after one half-life.
        Series series;
        for (std::int64_t step = 0; step <= 2000; step += 10) {
            series.steps.push_back(step);
            series.values.push_back(step <= 1900 ? 0 : 1);
        }
        const auto smoothed = smooth(series, {Kind::Exponential, 50});
        const auto at1950 = static_cast<std::size_t>(1950 / 10);
        QVERIFY(std::abs(smoothed[at1950] - 0.5) < 1e-9);
    }

    void gaussianGrowsAtTheCostOfItsNewPoints_data()
    {
        QTest::addColumn<double>("width");
        QTest::addColumn<std::size_t>("added");
        QTest::addColumn<double>("nonFinitePart");
        QTest::newRow("defect-25: 100 points, width 1,000") << 1000.0 << std::size_t(100) << 0.0;
        QTest::newRow("defect-25: one point, width 1,000") << 1000.0 << std::size_t(1) << 0.0;
        QTest::newRow("defect-25: a third not finite") << 200.0 << std::size_t(37) << 0.3;
        QTest::newRow("defect-25: all but few not finite") << 5.0 << std::size_t(3) << 0.98;
    }
    /// In portions or at once: the same bits. And a portion costs its own terms, not the windows of all points near it.
    void gaussianGrowsAtTheCostOfItsNewPoints()
    {
        QFETCH(double, width);
        QFETCH(std::size_t, added);
        QFETCH(double, nonFinitePart);
        const Series series = randomSeries(7, 12'000, 1, nonFinitePart);
        const std::span steps(series.steps);
        const std::span values(series.values);
        Smoother whole({Kind::Gaussian, width});
        whole.extend(steps, values);
        Smoother grown({Kind::Gaussian, width});
        const std::size_t base = series.steps.size() - 10 * added;
        const std::clock_t begin = std::clock();
        grown.extend(steps.first(base), values.first(base));
        const std::clock_t middle = std::clock();
        for (std::size_t size = base + added; size <= series.steps.size(); size += added) {
            const std::vector<double> before = grown.values();
            const std::size_t from = grown.extend(steps.first(size), values.first(size));
            QCOMPARE(grown.values().size(), size);
            for (std::size_t at = 0; at < std::min(from, before.size()); ++at)
                QVERIFY(std::bit_cast<std::uint64_t>(before[at]) == std::bit_cast<std::uint64_t>(grown.values()[at]));
        }
        const std::clock_t end = std::clock();
        for (std::size_t at = 0; at < values.size(); ++at)
            QVERIFY2(std::bit_cast<std::uint64_t>(whole.values()[at]) == std::bit_cast<std::uint64_t>(grown.values()[at]),
                qPrintable(QStringLiteral("%1: %2, %3").arg(at).arg(whole.values()[at]).arg(grown.values()[at])));
        if (width == 1000)  // ten portions
            QVERIFY2(double(end - middle) < 0.5 * double(middle - begin) + 0.05 * CLOCKS_PER_SEC,
                qPrintable(QStringLiteral("%1, %2").arg(middle - begin).arg(end - middle)));
    }
};

QTEST_APPLESS_MAIN(SmoothingTest)
#include "tst_smoothing.moc"
