// A plot panel as the user sees it: keys, mouse, cursor, clipboard, colours.
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/canvas/readout.h"

#include "tests/ui/plot/panel_fixture.h"
#include "ui/base/look.h"
#include "ui/plot/canvas/cursor_overlay.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <set>

using namespace ui;
using tests::makeLine;
using tests::PanelFixture;
using tests::twoLines;

class PlotPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void N10_thePlotSaysHowManyPointsItShowsAndWhetherAll_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<bool>("isThinned");
        QTest::addColumn<Interval>("shown");
        QTest::addColumn<QString>("note");
        QTest::newRow("one") << 1 << false << Interval {0, 1} << "1 point, exact";
        QTest::newRow("a million") << 1'000'000 << false << Interval {0, 999'999} << "1,000,000 points, exact";
        QTest::newRow("a part of them") << 1'000'000 << false << Interval {100, 199} << "100 points, exact";
        QTest::newRow("thinned") << 1000 << true << Interval {0, 999} << "1,000 points, thinned";
        QTest::newRow("elsewhere") << 1000 << false << Interval {5000, 6000} << "no points in this range, Fit shows all";
        QTest::newRow("not read yet") << 0 << false << Interval {0, 1} << "";
    }
    void N10_thePlotSaysHowManyPointsItShowsAndWhetherAll()
    {
        QFETCH(int, points);
        QFETCH(bool, isThinned);
        QFETCH(Interval, shown);
        std::vector<DrawnLine> lines;
        if (points > 0) {
            const auto data = makeLine("a", points, 0);
            data->isThinned = isThinned;
            lines.resize(1);
            lines.front().data = data;
        }
        PanelFixture fixture(lines);
        fixture.viewState.setExtent({0, double(points)});
        fixture.viewState.setX(shown);
        fixture.canvas().refresh();
        QStringList notes;
        for (const QLabel* const label : fixture.panel.findChildren<QLabel*>())
            notes << label->text();
        QFETCH(QString, note);
        QVERIFY2(notes.contains(note), qPrintable(notes.join(" | ")));
    }

    void letterKeysSwitchWhatTheyName()
    {
        PanelFixture fixture;
        fixture.press(Qt::Key_L);
        QCOMPARE(fixture.viewState.scale("loss"), Scale::Logarithmic);
        QCOMPARE(fixture.canvas().yAxis->scaleType(), QCPAxis::stLogarithmic);
        fixture.press(Qt::Key_C);
        QVERIFY(fixture.viewState.isClipped("loss"));
        using enum Smoothing::Kind;
        for (const auto kind : {Exponential, Gaussian, RunningMean, RunningMedian, Off}) {  // M9
            fixture.press(Qt::Key_S);
            QCOMPARE(fixture.viewState.smoothing().kind, kind);
        }
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
        fixture.viewState.setX({10, 20});
        fixture.press(Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(*fixture.viewState.cursor(), first + 1);
        QVERIFY(fixture.viewState.x().lower <= first && first <= fixture.viewState.x().upper);  // N3: it comes into sight
        QCOMPARE(fixture.viewState.x().size(), 10.0);
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

    /// The y labels of a plot that is zoomed far into are painted whole, and the plot linked with it stays aligned.
    void longLabelsHaveRoom()
    {
        std::vector<DrawnLine> lines = twoLines();
        for (DrawnLine& line : lines)
            line.unit = Unit::Bytes;
        PanelFixture fixture(lines);
        PlotPanel linked({"other", {"other"}}, fixture.viewState);
        linked.resize(700, 300);
        linked.setLines(twoLines());
        linked.show();
        linked.canvas().refresh();
        const int usual = fixture.canvas().plotRect().left();
        QCOMPARE(linked.canvas().plotRect().left(), usual);

        fixture.viewState.setY("loss", Interval {148.64500e6, 148.64502e6});
        fixture.canvas().refresh();
        const QString labels = fixture.canvas().yAxis->tickVectorLabels().join(' ');
        QVERIFY2(labels.contains("148.645005 MB"), qPrintable(labels));
        const QImage image = fixture.canvas().grab().toImage();
        for (int y = 0; y < image.height(); ++y)
            QVERIFY2(image.pixel(0, y) == image.pixel(0, 0) && image.pixel(1, y) == image.pixel(0, 0), qPrintable(QString::number(y)));
        const int wide = fixture.canvas().plotRect().left();
        QVERIFY(wide > usual);
        QTRY_COMPARE(linked.canvas().plotRect().left(), wide);

        fixture.viewState.setY("loss", Interval {148.6450e6, 148.6452e6});  // a digit less: the plots stand still
        fixture.canvas().refresh();
        QCOMPARE(fixture.canvas().plotRect().left(), wide);
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

    /// Names that differ at their ends can be told apart when they have no room.
    void namesInTheLegendAreShortenedInTheirMiddle()
    {
        const auto pictureOf = [](const QString& name) {
            std::vector<DrawnLine> lines {twoLines().front()};
            lines.front().name = name;
            LegendBar legend;
            legend.setLines(lines);
            legend.resize(160, legend.sizeHint().height());
            return legend.grab().toImage();
        };
        QVERIFY(pictureOf("digits total_steps=600 optim.lr=1e-3 seed=1") != pictureOf("digits total_steps=600 optim.lr=1e-3 seed=2"));
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

    void n01_supersededPointsAreReadToo()
    {
        auto lines = twoLines();
        const auto resumed = makeLine("a", 1000, 0);
        const std::vector<storage::Point> former {{499, 49'900, 7}, {500, 50'000, 8.5}, {501, 50'100, 7}};
        resumed->superseded.emplace_back().append({.seriesId = 2, .attempt = 3, .startSeconds = 1'800'000'000}, former);
        lines[0].data = resumed;
        PanelFixture fixture(lines);
        const auto& overlay = *fixture.panel.findChild<CursorOverlay*>();
        const auto said = [&] {
            QStringList all;
            for (const CursorOverlay::Row& row : overlay.valuesBox().rows)
                all << row.name + ' ' + row.raw + (row.isFaint ? " faint" : "");
            return all;
        };
        fixture.viewState.setPinned(500);
        QCOMPARE(said().size(), 3);
        QCOMPARE(said().last(), QStringLiteral("first, attempt 3, superseded 8.5 faint"));
        QVERIFY(overlay.valuesBox().more.isEmpty());
        QTest::keyClick(&fixture.canvas(), Qt::Key_C, Qt::ControlModifier);
        const QStringList copied = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(copied.size(), 4);
        QVERIFY2(copied[1].startsWith("second\t500\t1\tfalse\t") && copied[3].startsWith("first\t500\t3\ttrue\t"), qPrintable(copied.join('\n')));
        fixture.viewState.setPinned(400);  // where there is none
        QCOMPARE(said().size(), 2);
        fixture.viewState.setPinned(500);
        fixture.press(Qt::Key_H);  // hidden
        QCOMPARE(said().size(), 2);
    }

    /// What has no room in the box is counted, and Ctrl+C copies it.
    void theBoxSaysHowManyLinesHaveNoRoom()
    {
        std::vector<DrawnLine> lines(20);
        for (std::size_t line = 0; line < lines.size(); ++line) {
            lines[line].data = makeLine("run" + std::to_string(line), 1000, double(line));
            lines[line].name = QStringLiteral("line %1").arg(line);
        }
        PanelFixture fixture(lines);
        fixture.viewState.setPinned(500);
        const auto box = fixture.panel.findChild<CursorOverlay*>()->valuesBox();
        QCOMPARE(box.rows.size(), std::size_t(12));
        QCOMPARE(box.rows.front().name, QStringLiteral("line 19"));
        QVERIFY2(box.more.contains("8 more"), qPrintable(box.more));
        QTest::keyClick(&fixture.canvas(), Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(QApplication::clipboard()->text().count('\n'), 21);
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

    void E11_aScreenReaderHearsWhatThePlotShows()
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

    void M7_thePinOfAHiddenPlotReadsTheLinesThatAreLeft()
    {
        PanelFixture fixture;
        QTest::mouseClick(&fixture.canvas(), Qt::LeftButton, {}, fixture.canvas().plotRect().center());
        const auto* const overlay = fixture.panel.findChild<CursorOverlay*>();
        QCOMPARE(overlay->readings().size(), std::size_t(2));
        fixture.panel.hide();
        fixture.panel.setLines({twoLines().front()});
        QCOMPARE(overlay->readings().size(), std::size_t(1));
        QCOMPARE(overlay->readings().front().line, std::size_t(0));
        fixture.panel.show();
        fixture.panel.grab();
    }

    void aPlotThatBecameLargerIsFilled()
    {
        PanelFixture fixture;
        fixture.panel.resize(1100, 500);
        QTRY_COMPARE(fixture.canvas().viewport().size(), fixture.canvas().size());
        fixture.canvas().refresh();
        const QImage image = fixture.canvas().grab().toImage();
        const QRect area = fixture.canvas().plotRect();
        QVERIFY(area.right() > 1000);
        const auto isLine = [&](int x, int y) {
            const QColor pixel = image.pixelColor(x, y);
            return pixel.red() - pixel.blue() > 40;  // the second line is orange, all else is grey or blue
        };
        int atTheEnd = 0, atTheBeginning = 0;  // where the line is at its highest
        for (int y = area.top(); y <= area.bottom(); ++y) {
            atTheEnd += isLine(area.right() - 3, y) ? 1 : 0;
            atTheBeginning += y < area.top() + area.height() / 4 && isLine(area.left() + 2, y) ? 1 : 0;
        }
        QVERIFY2(atTheEnd > 0 && atTheBeginning > 0, qPrintable(QStringLiteral("%1 and %2 pixels of the line").arg(atTheEnd).arg(atTheBeginning)));
    }

    /// The spread of the rewards of two runs is drawn; of three, the bands would cover the lines.
    void bandsAreOfFewRuns()
    {
        const PlotGroup group {.id = "mean", .metrics = {"mean", "high", "low"}, .band = {"low", "high"}};
        std::map<ui::LineKey, std::shared_ptr<ui::LineData>> all;
        std::vector<ui::DrawnRunName> runs;
        for (const char* run : {"a", "b", "c"}) {
            runs.push_back({run, QString::fromLatin1(run), 0});
            for (const char* metric : {"mean", "high", "low"}) {
                const auto data = makeLine(run, 10, 0);
                data->key.metric = metric;
                all[data->key] = data;
            }
            const auto lines = linesOf(group, runs, all);
            const auto edges = std::ranges::count_if(lines, [](const DrawnLine& line) { return line.edge != DrawnLine::Edge::None; });
            QCOMPARE(edges, runs.size() > 2 ? 0 : 2 * std::ssize(runs));
            QCOMPARE(std::ssize(lines) - edges, std::ssize(runs));
        }
        QCOMPARE(linesOf(group, runs, all).back().name, "c");
    }

    void E11_linesOfOneRunDifferAndKeepTheirContrast()
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

    void E11_aPaletteChangeRepaintsInItsColours()
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
