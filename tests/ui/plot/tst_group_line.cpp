// E4: the mean of several lines and its band, by random series against a slow, obvious computation.
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/plot/lines/group_line.h"
#include "ui/plot/lines/plot_feed.h"

#include <QTest>

#include <cmath>
#include <map>
#include <random>

using ui::GroupLine;
using ui::Grouping;
using ui::LineData;
using ui::XAxis;

namespace {

struct Recorded {
    double value = 0;
    double active = 0;
    double wall = 0;
};
using Record = std::map<std::int64_t, Recorded>;  ///< by step

/// Grows at random steps, in attempts, with values that are not finite now and then.
struct GrowingLine {
    std::shared_ptr<LineData> data = std::make_shared<LineData>();
    Record record;
    std::mt19937 random;
    std::int64_t next = 1;
    int attempt = 1;

    GrowingLine(unsigned seed, bool hasNonFinite)
        : random(seed)
        , m_hasNonFinite(hasNonFinite)
    {
        data->key = {"run " + std::to_string(seed), "loss", 0};
    }
    void grow(int count)
    {
        const ui::LinePiece piece {.attempt = attempt, .startSeconds = 1e9 + 1000.0 * attempt, .activeSeconds = 50.0 * attempt};
        std::vector<storage::Point> points;
        for (; std::ssize(points) < count; ++next) {
            if (random() % 4 == 0)
                continue;
            const double values[] = {std::nan(""), HUGE_VAL, -HUGE_VAL};
            const double value = m_hasNonFinite && random() % 20 == 0 ? values[random() % 3] : double(random() % 10'000) / 7 - 500;
            points.push_back({next, double(next) * 10 + double(random() % 5), value});
        }
        data->points.append(piece, points);
        const auto& all = data->points;
        for (std::size_t at = all.size() - points.size(); at < all.size(); ++at)
            record[all.steps()[at]] = {all.raw().values()[at], all.x(at, XAxis::ActiveTime), all.x(at, XAxis::WallTime)};
    }

private:
    bool m_hasNonFinite;
};

struct Expected {
    long double mean = 0, low = 0, high = 0, active = 0, wall = 0;
    bool isFinite = true;
};

/// For each step that all have: in long double, one value after the other.
std::map<std::int64_t, Expected> slowMeans(const std::vector<GrowingLine>& lines, Grouping::Band band)
{
    std::map<std::int64_t, Expected> all;
    for (const auto& [step, ignored] : lines.front().record) {
        Expected here;
        std::vector<long double> values;
        for (const GrowingLine& line : lines) {
            const auto found = line.record.find(step);
            if (found == line.record.end())
                break;
            values.push_back(found->second.value);
            here.isFinite = here.isFinite && std::isfinite(found->second.value);
            here.active += found->second.active / static_cast<long double>(lines.size());
            here.wall += found->second.wall / static_cast<long double>(lines.size());
        }
        if (values.size() < lines.size())
            continue;
        for (const long double value : values)
            here.mean += value / static_cast<long double>(values.size());
        long double squares = 0;
        for (const long double value : values)
            squares += (value - here.mean) * (value - here.mean);
        const long double deviation = values.size() < 2 ? 0 : std::sqrt(squares / static_cast<long double>(values.size() - 1));
        here.low = band == Grouping::Band::MinMax ? *std::ranges::min_element(values) : here.mean - deviation;
        here.high = band == Grouping::Band::MinMax ? *std::ranges::max_element(values) : here.mean + deviation;
        all[step] = here;
    }
    return all;
}

bool isNear(double value, long double expected)
{
    return std::abs(static_cast<long double>(value) - expected) <= 1e-10L * std::max(1.0L, std::abs(expected));
}

}  // namespace

class GroupLineTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void E4_meansEqualBruteForce_data()
    {
        QTest::addColumn<int>("lines");
        QTest::addColumn<bool>("isDeviation");
        QTest::addColumn<bool>("hasNonFinite");
        QTest::newRow("E4: one line") << 1 << false << true;
        QTest::newRow("E4: one line, deviation") << 1 << true << false;
        QTest::newRow("E4: two lines") << 2 << false << true;
        QTest::newRow("E4: five lines, deviation") << 5 << true << true;
        QTest::newRow("E4: nine lines") << 9 << false << false;
    }
    /// However the points arrive.
    void E4_meansEqualBruteForce()
    {
        QFETCH(int, lines);
        QFETCH(bool, isDeviation);
        QFETCH(bool, hasNonFinite);
        const auto band = isDeviation ? Grouping::Band::Deviation : Grouping::Band::MinMax;
        std::vector<GrowingLine> sources;
        std::vector<std::shared_ptr<const LineData>> datas;
        for (int index = 0; index < lines; ++index) {
            sources.emplace_back(unsigned(index + 1), hasNonFinite);
            datas.push_back(sources.back().data);
        }
        GroupLine group(datas, {"lr=1", "loss", 0}, band);
        std::mt19937 random(7);
        const int rounds = 40 * lines;
        for (int round = 0; round < rounds; ++round) {
            GrowingLine& line = sources[random() % sources.size()];
            line.attempt = 1 + 2 * round / rounds;
            line.grow(int(random() % 60) + 1);
            group.extend();
        }
        const auto expected = slowMeans(sources, band);
        QVERIFY(expected.size() > 50);  // a step is one of all nine lines with a probability of 0.075
        const auto steps = group.mean->points.steps();
        QCOMPARE(steps.size(), expected.size());
        std::size_t at = 0;
        std::size_t broken = 0;
        for (const auto& [step, here] : expected) {
            QCOMPARE(steps[at], step);
            const double mean = group.mean->points.raw().values()[at];
            const double low = group.low->points.raw().values()[at];
            const double high = group.high->points.raw().values()[at];
            if (here.isFinite) {
                QVERIFY(isNear(mean, here.mean) && isNear(low, here.low) && isNear(high, here.high));
                QVERIFY(low <= mean && mean <= high);
            } else {
                QVERIFY(std::isnan(mean) && std::isnan(low) && std::isnan(high));
                ++broken;
            }
            QVERIFY(isNear(group.mean->points.x(at, XAxis::ActiveTime), here.active));
            QVERIFY(std::abs(group.mean->points.x(at, XAxis::WallTime) - double(here.wall)) < 0.01);
            ++at;
        }
        QCOMPARE(broken > 0, hasNonFinite);
        QCOMPARE(group.mean->points.raw().nonFinite().size(), broken);  // what the legend counts
    }

    void E4_equalValuesHaveExactlyThatMeanAndNoBand()
    {
        for (const Grouping::Band band : {Grouping::Band::MinMax, Grouping::Band::Deviation}) {
            std::vector<std::shared_ptr<const LineData>> datas;
            for (int index = 0; index < 3; ++index) {
                auto data = std::make_shared<LineData>();
                data->points.append({}, std::vector<storage::Point> {{1, 1, 0.1}, {2, 2, 1e300}});
                datas.push_back(data);
            }
            GroupLine group(datas, {"g", "loss", 0}, band);
            group.extend();
            for (const auto& line : {group.mean, group.low, group.high}) {
                QCOMPARE(line->points.raw().values()[0], 0.1);
                QCOMPARE(line->points.raw().values()[1], 1e300);
            }
        }
    }

    void E4_theFeedGivesGroups_data()
    {
        QTest::addColumn<Grouping>("grouping");
        QTest::addColumn<int>("steps");
        QTest::addColumn<QList<double>>("means");  ///< of the values at step 10, ascending
        QTest::addColumn<QList<int>>("runs");      ///< of each of them
        using By = Grouping::By;
        const QList<double> byRate = {15, 30};
        QTest::newRow("E4: by an option") << Grouping {By::Option, "optim.lr"} << 60 << byRate << QList<int> {2, 1};
        QTest::newRow("E4: on another thread") << Grouping {By::Option, "optim.lr"} << 20'000 << byRate << QList<int> {2, 1};
        QTest::newRow("E4: repeats, whatever the seed") << Grouping {By::Repeats, {}} << 60 << byRate << QList<int> {2, 1};
        QTest::newRow("E4: repeats, the seed counts")
            << Grouping {By::Repeats, {}, {"run.name"}} << 60 << QList<double> {10, 20, 30} << QList<int> {1, 1, 1};
        QTest::newRow("E4: by the project, which none has") << Grouping {By::Project, {}} << 60 << QList<double> {20} << QList<int> {3};
    }
    void E4_theFeedGivesGroups()
    {
        QFETCH(Grouping, grouping);
        QFETCH(int, steps);
        QFETCH(QList<double>, means);
        QFETCH(QList<int>, runs);
        const ui_test::TestHome home;
        std::vector<std::string> ids;
        const auto write = [&](int run, int first, int last) {
            const contract::RunFolder folder(home.home().runs() / ids[std::size_t(run)]);
            contract::JournalHeader header;
            header.run = folder.id();
            contract::JournalWriter journal(folder.journal(0), header);
            for (int step = first; step <= last; ++step) {
                journal.begin(contract::record::kStep, step).add("value", double(run + 1) * step);
                journal.commit();
            }
        };
        for (int run = 0; run < 3; ++run) {
            ids.push_back("run" + std::to_string(run) + "-20261121-10000" + std::to_string(run) + "-aaaa");
            const auto folder = home.writeRun(ids.back(), 0, "");
            contract::Experiment experiment = contract::loadExperiment(folder.config(1)).experiment;
            experiment.setText("optim.lr", run < 2 ? "1e-4" : "3e-4");
            experiment.setText("run.seed", std::to_string(run));
            contract::writeFileAtomically(folder.config(1), experiment.toToml(contract::Experiment::Write::Everything));
            write(run, 1, steps);
        }
        home.ingest();
        ui::StoreService store(home.home());
        ui::PlotFeed feed(store);
        feed.setRuns(ids);
        feed.setMetrics({"value"});
        feed.setGrouping(grouping);
        feed.setSmoothing({ui::Smoothing::Kind::RunningMean, 3});
        feed.setActive(true);
        QMap<double, int> found;  // runs by value
        const auto valuesAt = [&](int step) {
            found.clear();
            for (const auto& [key, line] : feed.lines()) {
                if (key.part == ui::LinePart::Line && std::ssize(line->smoothed.values()) >= step)
                    found[line->points.raw().values()[std::size_t(step) - 1]] = line->runs;
            }
            return found.keys();
        };
        QTRY_COMPARE(valuesAt(10), means);
        QCOMPARE(found.values(), runs);
        const auto ofOne = std::ranges::count(runs, 1);  // has no band
        QCOMPARE(std::ssize(feed.lines()), 3 * means.size() - 2 * ofOne);
        QTRY_COMPARE(valuesAt(steps).size(), means.size());
        const int more = steps + 10;
        for (int run = 0; run < 3; ++run)
            write(run, steps + 1, run == 0 ? steps + 5 : more);
        home.ingest();
        QTRY_COMPARE(valuesAt(steps + 5).size(), means.size());
        feed.setGrouping({});
        QTRY_COMPARE(feed.grouping(), Grouping());
        QTRY_COMPARE(feed.lines().size(), std::size_t(3));
        QCOMPARE(feed.lines().begin()->second->points.raw().values()[9], 10.0);
    }
};

ATELIER_UI_TEST_MAIN(GroupLineTest)
#include "tst_group_line.moc"
