// The numbers of a plot: at its axes, and as a table.
#include "ui/plot/canvas/axis_tickers.h"
#include "ui/plot/canvas/numbers_model.h"
#include "ui/plot/canvas/plot_panel.h"

#include "tests/ui/plot/panel_fixture.h"
#include "ui/access/elided_tips.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <ctime>
#include <set>

using namespace ui;
using tests::makeLine;
using tests::PanelFixture;
using tests::twoLines;

class PlotNumbersTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void M7_axisLabelsAreExactAndOfOneNotation_data()
    {
        QTest::addColumn<Unit>("unit");
        QTest::addColumn<Scale>("scale");
        QTest::addColumn<Interval>("visible");
        QTest::addColumn<QStringList>("labels");
        using enum Scale;
        QTest::newRow("quarters") << Unit::None << Linear << Interval {0.99, 1.11} << QStringList {"1.000", "1.025", "1.050", "1.075", "1.100"};
        QTest::newRow("thousands") << Unit::None << Linear << Interval {990, 1110} << QStringList {"1000", "1025", "1050", "1075", "1100"};
        QTest::newRow("up to a thousand") << Unit::None << Linear << Interval {-20, 1130} << QStringList {"0", "250", "500", "750", "1000"};
        QTest::newRow("small") << Unit::None << Linear << Interval {6e-5, 1.74e-4} << QStringList {"7.5e-05", "1e-04", "1.25e-04", "1.5e-04"};
        QTest::newRow("below zero") << Unit::None << Linear << Interval {-0.6, 0.6} << QStringList {"-0.50", "-0.25", "0.00", "0.25", "0.50"};
        QTest::newRow("memory") << Unit::Bytes << Linear << Interval {92e6, 104e6}
                                << QStringList {"92.5 MB", "95.0 MB", "97.5 MB", "100.0 MB", "102.5 MB"};
        QTest::newRow("share") << Unit::Share << Linear << Interval {0.991, 1.0024} << QStringList {"99.25 %", "99.50 %", "99.75 %", "100.00 %"};
        QTest::newRow("logarithmic") << Unit::None << Logarithmic << Interval {0.005, 20} << QStringList {"0.01", "0.1", "1", "10"};
        QTest::newRow("many powers") << Unit::None << Logarithmic << Interval {5e-6, 0.02}
                                     << QStringList {"1e-05", "1e-04", "1e-03", "1e-02"};
    }
    void M7_axisLabelsAreExactAndOfOneNotation()
    {
        QFETCH(Unit, unit);
        QFETCH(Scale, scale);
        QFETCH(Interval, visible);
        QFETCH(QStringList, labels);
        const auto ticker = valueTicker(unit, scale, visible);
        ticker->setTickCount(5);
        QVector<double> ticks;
        QVector<QString> shown;
        ticker->generate({visible.lower, visible.upper}, QLocale::c(), 'g', 6, ticks, nullptr, &shown);
        QCOMPARE(QStringList(shown), labels);
    }

    void theTableHoldsEveryStepAndGrows()
    {
        NumbersModel model;
        QAbstractItemModelTester tester(&model);
        auto lines = twoLines();
        model.setLines(lines);
        QCOMPARE(model.rowCount(), 1000);
        QCOMPARE(model.columnCount(), 3);
        int resets = 0;
        connect(&model, &QAbstractItemModel::modelReset, this, [&] { ++resets; });
        lines[0].data = makeLine("a", 1005, 0);
        model.setLines(lines);
        QCOMPARE(model.rowCount(), 1005);
        QCOMPARE(resets, 0);
        QVERIFY(!model.data(model.index(1004, 2), Qt::DisplayRole).isValid());
    }

    void theTableTakesInWhatIsNew_data()
    {
        QTest::addColumn<std::vector<std::int64_t>>("first");
        QTest::addColumn<std::vector<std::int64_t>>("second");
        QTest::newRow("defect-25: at the end") << std::vector<std::int64_t> {500} << std::vector<std::int64_t> {500, 501};
        QTest::newRow("defect-25: in between") << std::vector<std::int64_t> {} << std::vector<std::int64_t> {301, 302, 303};
        QTest::newRow("defect-25: both") << std::vector<std::int64_t> {510, 520} << std::vector<std::int64_t> {301, 505, 530};
        QTest::newRow("defect-25: nothing") << std::vector<std::int64_t> {} << std::vector<std::int64_t> {};
    }
    /// Of one line every second step up to 498, of the other up to 300; then some more of each.
    void theTableTakesInWhatIsNew()
    {
        QFETCH(std::vector<std::int64_t>, first);
        QFETCH(std::vector<std::int64_t>, second);
        NumbersModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        auto lines = twoLines();
        std::set<std::int64_t> all;
        const auto append = [&](std::size_t line, const std::vector<std::int64_t>& steps) {
            auto data = std::make_shared<LineData>(*lines[line].data);  // as after smoothing on another thread
            for (const std::int64_t step : steps) {
                data->points.append({.seriesId = 1}, std::vector<storage::Point> {{step, 0, double(step)}});
                all.insert(step);
            }
            lines[line].data = data;
        };
        for (std::size_t line = 0; line < 2; ++line) {
            lines[line].data = std::make_shared<LineData>();
            std::vector<std::int64_t> steps;
            for (std::int64_t step = 0; step < (line == 0 ? 500 : 302); step += 2)
                steps.push_back(step);
            append(line, steps);
        }
        model.setLines(lines);
        QSignalSpy resets(&model, &QAbstractItemModel::modelReset);
        append(0, first);
        append(1, second);
        model.setLines(lines);
        QCOMPARE(resets.count(), 0);
        std::vector<std::int64_t> shown;
        for (int row = 0; row < model.rowCount(); ++row)
            shown.push_back(QLocale().toLongLong(model.index(row, 0).data().toString()));
        QCOMPARE(shown, std::vector<std::int64_t>(all.begin(), all.end()));
    }

    /// defect-25: an update costs its own steps, not those of all lines again.
    void theTableDoesNotMergeEverythingAtEachUpdate()
    {
        std::vector<DrawnLine> lines(20);
        std::vector<std::shared_ptr<LineData>> data;
        for (std::size_t line = 0; line < lines.size(); ++line) {
            data.push_back(makeLine("run-" + std::to_string(line), 100'000, 0));
            lines[line].data = data.back();
        }
        NumbersModel model;
        const std::clock_t begin = std::clock();
        model.setLines(lines);
        const std::clock_t opening = std::clock() - begin;
        std::clock_t updating = 0;
        for (std::int64_t step = 100'000; step < 100'010; ++step) {
            for (const auto& line : data)
                line->points.append({.seriesId = 1}, std::vector<storage::Point> {{step, 0, 1}});
            const std::clock_t before = std::clock();
            model.setLines(lines);
            updating += std::clock() - before;
        }
        QCOMPARE(model.rowCount(), 100'010);
        QVERIFY2(updating < opening, qPrintable(QStringLiteral("opened in %1, ten updates in %2").arg(opening).arg(updating)));
    }

    void E11_tShowsTheNumbersAndEscapeThePlot()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_T);
        QVERIFY(fixture.panel.showsTable());
        auto* table = fixture.panel.findChild<QTableView*>();
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(!fixture.panel.showsTable());
    }

    void M14_aHeadingThatHasNoRoomIsElidedAndHasAToolTip()
    {
        std::vector<DrawnLine> lines = twoLines();
        lines[0].name = QStringLiteral("a run with a long name, total_steps=60 seed=1");
        PanelFixture fixture(lines);
        fixture.press(Qt::Key_T);
        const QHeaderView& header = *fixture.panel.findChild<QTableView*>()->horizontalHeader();
        QCOMPARE(header.textElideMode(), Qt::ElideMiddle);
        QCOMPARE(elidedText(*header.viewport(), {header.sectionViewportPosition(1) + 5, 5}), lines[0].name);
    }

    void theColumnsOfTheTableFitTheirNamesUpToALimit_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("fits");
        QTest::newRow("usual") << QStringLiteral("digits lr=3e-4 seed=123456") << true;
        QTest::newRow("long") << QString(200, QLatin1Char('n')) << false;
    }
    void theColumnsOfTheTableFitTheirNamesUpToALimit()
    {
        QFETCH(QString, name);
        std::vector<DrawnLine> lines = twoLines();
        lines[0].name = name;
        PanelFixture fixture(lines);
        fixture.press(Qt::Key_T);
        const QHeaderView& header = *fixture.panel.findChild<QTableView*>()->horizontalHeader();
        QTEST(header.sectionSize(1) > header.fontMetrics().horizontalAdvance(name), "fits");
        QVERIFY(header.sectionSize(0) < header.sectionSize(1) && header.sectionSize(1) < fixture.panel.width() / 2);
    }
};

QTEST_MAIN(PlotNumbersTest)
#include "tst_plot_numbers.moc"
