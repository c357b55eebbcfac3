// The numbers of a plot as a table.
#include "ui/plot/canvas/numbers_model.h"
#include "ui/plot/canvas/plot_panel.h"

#include "tests/ui/plot/panel_fixture.h"

#include <QAbstractItemModelTester>
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
};

QTEST_MAIN(PlotNumbersTest)
#include "tst_plot_numbers.moc"
