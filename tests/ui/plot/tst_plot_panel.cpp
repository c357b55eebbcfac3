// A plot panel as the user sees it: keys, mouse, cursor, table, clipboard, colours.
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/canvas/numbers_model.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/canvas/readout.h"

#include "tests/ui/plot/panel_fixture.h"
#include "ui/base/look.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

using namespace ui;
using tests::makeLine;
using tests::PanelFixture;
using tests::twoLines;

class PlotPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// While the lines are still being read, the panel shows no number of points.
    void withoutLinesNoPointsAreCounted()
    {
        const auto showsPointCount = [](const PlotPanel& panel) {
            return std::ranges::any_of(panel.findChildren<QLabel*>(),
                [](const QLabel* label) { return label->text().contains("points, exact"); });
        };
        PanelFixture empty(std::vector<DrawnLine> {});
        QVERIFY(!showsPointCount(empty.panel));
        PanelFixture full;
        QVERIFY(showsPointCount(full.panel));
    }

    void letterKeysSwitchWhatTheyName()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_L);
        QCOMPARE(fixture.viewState.scale("loss"), Scale::Logarithmic);
        QCOMPARE(fixture.canvas().yAxis->scaleType(), QCPAxis::stLogarithmic);
        fixture.press(Qt::Key_C);
        QVERIFY(fixture.viewState.isClipped("loss"));
        fixture.press(Qt::Key_S);
        QCOMPARE(fixture.viewState.smoothing().kind, Smoothing::Kind::Exponential);
        fixture.press(Qt::Key_H);
        QVERIFY(!fixture.viewState.showsSuperseded());
        fixture.press(Qt::Key_X);
        QCOMPARE(fixture.viewState.xAxis(), XAxis::Samples);
        fixture.press(Qt::Key_E);
        QCOMPARE(fixture.viewState.mode(), XMode::Follow);
        fixture.press(Qt::Key_F);
        QCOMPARE(fixture.viewState.mode(), XMode::Whole);
    }

    void arrowsPanAndSignsZoom()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_Plus);
        const Interval zoomed = fixture.viewState.x();
        QVERIFY(zoomed.size() < 999);
        fixture.press(Qt::Key_Right);
        QVERIFY(fixture.viewState.x().lower > zoomed.lower);
        fixture.press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(fixture.viewState.x(), zoomed);
        fixture.press(Qt::Key_Right, Qt::AltModifier);
        QVERIFY(fixture.viewState.x() != zoomed);
        fixture.press(Qt::Key_Up);
        QVERIFY(fixture.viewState.y("loss"));
    }

    void shiftAndArrowsMoveTheCursorPointByPoint()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_Right, Qt::ShiftModifier);
        const double first = *fixture.viewState.cursor();
        QCOMPARE(first, std::round(first));
        fixture.press(Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(*fixture.viewState.cursor(), first + 1);
        fixture.press(Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(*fixture.viewState.cursor(), first);
        fixture.press(Qt::Key_Escape);
        QVERIFY(!fixture.viewState.cursor());
    }

    void theWheelZoomsAtThePointer()
    {
        PanelFixture fixture;
        const QPoint at = fixture.canvas().plotRect().center();
        const double before = fixture.canvas().xAt(at.x());
        QWheelEvent turn(QPointF(at), fixture.canvas().mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton,
            Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&fixture.canvas(), &turn);
        fixture.canvas().refresh();
        QVERIFY(std::abs(fixture.canvas().xAt(at.x()) - before) < 1e-6);
        QVERIFY(fixture.viewState.x().size() < 999);
        QVERIFY(!fixture.viewState.y("loss"));
    }

    void theWheelOverTheYAxisZoomsThatAlone()
    {
        PanelFixture fixture;
        const QPoint at(5, fixture.canvas().plotRect().center().y());
        QWheelEvent turn(QPointF(at), fixture.canvas().mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton,
            Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&fixture.canvas(), &turn);
        QCOMPARE(fixture.viewState.mode(), XMode::Whole);
        QVERIFY(fixture.viewState.y("loss"));
    }

    void aDragZoomsIntoWhatItSpans_data()
    {
        QTest::addColumn<QPoint>("moved");
        QTest::addColumn<bool>("zoomsX");
        QTest::addColumn<bool>("zoomsY");
        QTest::newRow("defect-52: a box") << QPoint(60, 40) << true << true;
        QTest::newRow("defect-52: a box, backwards") << QPoint(-60, -40) << true << true;
        QTest::newRow("defect-52: a range of steps") << QPoint(60, 3) << true << false;
        QTest::newRow("defect-52: a range of values") << QPoint(-3, 40) << false << true;
    }
    void aDragZoomsIntoWhatItSpans()
    {
        QFETCH(QPoint, moved);
        QFETCH(bool, zoomsX);
        QFETCH(bool, zoomsY);
        PanelFixture fixture;
        const QPoint from = fixture.canvas().plotRect().center();
        const double x = fixture.canvas().xAt(from.x());
        fixture.drag(Qt::LeftButton, {}, from, moved);
        QCOMPARE(fixture.viewState.mode(), zoomsX ? XMode::Free : XMode::Whole);
        QCOMPARE(fixture.viewState.y("loss").has_value(), zoomsY);
        if (!zoomsX)
            return;
        const Interval seen = fixture.viewState.x();
        QVERIFY(seen.size() > 50 && seen.size() < 200);
        QVERIFY(std::abs((moved.x() > 0 ? seen.lower : seen.upper) - x) < 5);
    }

    void otherDragsPanWithinThePoints_data()
    {
        QTest::addColumn<Qt::MouseButton>("button");
        QTest::addColumn<Qt::KeyboardModifiers>("modifiers");
        QTest::addColumn<bool>("isOnAxis");
        QTest::newRow("defect-52: with Shift") << Qt::LeftButton << Qt::KeyboardModifiers(Qt::ShiftModifier) << false;
        QTest::newRow("defect-52: the middle button") << Qt::MiddleButton << Qt::KeyboardModifiers() << false;
        QTest::newRow("defect-52: the right button") << Qt::RightButton << Qt::KeyboardModifiers() << false;
        QTest::newRow("defect-52: the axis") << Qt::LeftButton << Qt::KeyboardModifiers() << true;
    }
    void otherDragsPanWithinThePoints()
    {
        QFETCH(Qt::MouseButton, button);
        QFETCH(Qt::KeyboardModifiers, modifiers);
        QFETCH(bool, isOnAxis);
        PanelFixture fixture;
        fixture.viewState.setX({400, 500});
        fixture.canvas().refresh();
        const QRect area = fixture.canvas().plotRect();
        const QPoint from(area.left() + 40, isOnAxis ? area.bottom() + 6 : area.center().y());
        fixture.drag(button, modifiers, from, QPoint(area.width() / 2, 0));
        QVERIFY2(std::abs(fixture.viewState.x().lower - 350) < 2, qPrintable(QString::number(fixture.viewState.x().lower)));
        QVERIFY(std::abs(fixture.viewState.x().size() - 100) < 1e-9);
        for (int drags = 0; drags < 12; ++drags)
            fixture.drag(button, modifiers, from, QPoint(area.width() / 2, 0));
        QCOMPARE(fixture.viewState.x().lower, 0.0);
        QVERIFY(std::abs(fixture.viewState.x().upper - 100) < 1e-6);
    }

    void legendNumbersAreWhole_data()
    {
        QTest::addColumn<double>("value");
        QTest::newRow("defect-47: 5.671e-10") << 5.671e-10;
        QTest::newRow("defect-47: a plain number") << 0.123456;
    }
    /// At no width is a text of the legend cut off at its right edge.
    void legendNumbersAreWhole()
    {
        QFETCH(double, value);
        std::vector<DrawnLine> lines = twoLines();
        for (DrawnLine& line : lines) {
            auto data = std::make_shared<LineData>();
            data->points.append({.seriesId = 1}, std::vector<storage::Point> {{1, 100, value}});
            line.data = data;
        }
        lines[0].name = QStringLiteral("Learning rate of the first run");
        LegendBar legend;
        legend.setLines(lines);
        for (int width = 40; width < 500; ++width) {
            legend.resize(width, legend.sizeHint().height());
            const QImage image = legend.grab().toImage();
            const QColor background = image.pixelColor(0, 0);
            for (int y = 0; y < image.height(); ++y)
                QVERIFY2(image.pixelColor(width - 1, y) == background, qPrintable(QString::number(width)));
        }
    }

    void hoverShowsTheDigitsThatMatter_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<Unit>("unit");
        QTest::addColumn<Interval>("visible");
        QTest::addColumn<QString>("text");
        QTest::newRow("defect-47: over the whole range") << 0.12345678901234567 << Unit::None << Interval {0, 1} << "0.1235";
        QTest::newRow("defect-47: zoomed in") << 0.12345678901234567 << Unit::None << Interval {0.1234, 0.1235} << "0.1234568";
        QTest::newRow("defect-47: bytes") << 1234567890.0 << Unit::Bytes << Interval {1.2e9, 1.3e9} << "1.23 GB";
        QTest::newRow("defect-47: a share") << 0.41337 << Unit::Share << Interval {0, 1} << "41.3 %";
        QTest::newRow("defect-47: not finite") << std::nan("") << Unit::Bytes << Interval {0, 1} << "NaN";
    }
    void hoverShowsTheDigitsThatMatter()
    {
        QFETCH(double, value);
        QFETCH(Unit, unit);
        QFETCH(Interval, visible);
        QTEST(formatReading(value, unit, visible), "text");
    }

    void aClickPinsTheCursorAndCtrlCCopiesWhatItReads()
    {
        PanelFixture fixture;
        QTest::mouseClick(&fixture.canvas(), Qt::LeftButton, {}, fixture.canvas().plotRect().center());
        QVERIFY(fixture.viewState.isPinned());
        QApplication::clipboard()->clear();
        QTest::keyClick(&fixture.canvas(), Qt::Key_C, Qt::ControlModifier);
        const QStringList rows = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 3);
        QVERIFY(rows[1].startsWith("second\t"));  // the greater value first
        QVERIFY(!fixture.viewState.isClipped("loss"));   // Ctrl+C is not C
    }

    void readingsAreTheNearestPointsGreatestFirst()
    {
        const auto lines = twoLines();
        const auto readings = readingsAt(lines, 100.4, XAxis::Step);
        QCOMPARE(readings.size(), std::size_t(2));
        QCOMPARE(readings[0].line, std::size_t(1));
        QCOMPARE(readings[0].step, 100);
        QCOMPARE(readings[0].raw, 1 + std::exp(-0.5));
        QCOMPARE(readings[1].activeSeconds, 10.0);
        QCOMPARE(readings[1].wallSeconds, 1'800'000'010.0);
        QVERIFY(readingsAt(lines, 5000, XAxis::Step).empty());
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

    void tShowsTheNumbersAndEscapeThePlot()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_T);
        QVERIFY(fixture.panel.showsTable());
        auto* table = fixture.panel.findChild<QTableView*>();
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(!fixture.panel.showsTable());
    }

    void aScreenReaderHearsWhatThePlotShows()
    {
        PanelFixture fixture;
        const QString name = fixture.canvas().accessibleName();
        QVERIFY2(name.startsWith("Loss, 2 run") && name.contains("step 0 to 999"), qPrintable(name));
    }

    void aHiddenPlotIsNotDrawn()
    {
        PanelFixture fixture;
        fixture.panel.hide();
        int drawn = 0;
        connect(&fixture.canvas(), &PlotCanvas::refreshed, this, [&] { ++drawn; });
        fixture.panel.setLines(twoLines());
        QCoreApplication::processEvents();
        fixture.canvas().refresh();
        QCOMPARE(drawn, 0);
        fixture.panel.show();
        QTRY_VERIFY(drawn > 0);
    }

    void linesOfOneRunDifferAndKeepTheirContrast()
    {
        QPalette light;
        light.setColor(QPalette::Base, Qt::white);
        light.setColor(QPalette::Text, Qt::black);
        for (int look = 0; look < 10; ++look) {
            std::set<QRgb> colours;
            for (int rank = 0; rank < 8; ++rank) {
                DrawnLine line;
                line.look = look;
                line.variant = rank;
                line.variants = 8;
                const QColor colour = drawnPen(line, light).color();
                colours.insert(colour.rgb());
                const double ratio = contrast(colour, light.color(QPalette::Base));
                QVERIFY2(ratio >= 2.99, qPrintable(QStringLiteral("look %1 rank %2: %3").arg(look).arg(rank).arg(ratio)));
            }
            QCOMPARE(colours.size(), std::size_t(8));
        }
    }

    void aPaletteChangeRepaintsInItsColours()
    {
        PanelFixture fixture;
        QPalette dark;
        dark.setColor(QPalette::Base, QColor(20, 22, 26));
        dark.setColor(QPalette::Text, QColor(230, 230, 230));
        fixture.panel.setPalette(dark);
        fixture.canvas().refresh();
        const QImage image = fixture.canvas().grab().toImage();
        QCOMPARE(image.pixelColor(3, 3), QColor(20, 22, 26));
    }
};

QTEST_MAIN(PlotPanelTest)
#include "tst_plot_panel.moc"
