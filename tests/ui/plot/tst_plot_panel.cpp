// A plot as a person meets it: keys, mouse, cursor, table, clipboard, look.
#include "ui/plot/numbers_model.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/readout.h"

#include "ui/base/look.h"

#include <QAbstractItemModelTester>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QTableView>
#include <QTest>

#include <algorithm>
#include <cmath>

using namespace ui;

namespace {

std::shared_ptr<LineData> makeLine(const std::string& run, int steps, double offset)
{
    auto line = std::make_shared<LineData>();
    line->key = {run, "loss", 0};
    std::vector<storage::Point> points;
    for (int step = 0; step < steps; ++step)
        points.push_back({step, step * 100.0, offset + std::exp(-step / 200.0)});
    line->points.append({.seriesId = 1, .startSeconds = 1'800'000'000}, points);
    return line;
}

std::vector<DrawnLine> twoLines()
{
    std::vector<DrawnLine> lines(2);
    lines[0].data = makeLine("a", 1000, 0);
    lines[0].name = QStringLiteral("first");
    lines[1].data = makeLine("b", 1000, 1);
    lines[1].name = QStringLiteral("second");
    lines[1].look = 1;
    return lines;
}

struct Shown {
    PlotLink link;
    PlotPanel panel {{"loss", {"loss"}}, link};

    explicit Shown(const std::vector<DrawnLine>& lines = twoLines())
    {
        link.setExtent({0, 999});
        panel.resize(700, 300);
        panel.setLines(lines);
        panel.show();
        panel.canvas().setFocus();
        panel.canvas().refresh();
    }
    PlotCanvas& canvas() { return panel.canvas(); }
    void press(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTest::keyClick(&panel.canvas(), Qt::Key(key), modifiers);
        panel.canvas().refresh();
    }
};

}  // namespace

class PlotPanelTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// Its lines are still being read, and may come when it is out of sight.
    void withoutLinesNoPointsAreCounted()
    {
        const auto tellsOfPoints = [](const PlotPanel& panel) {
            return std::ranges::any_of(panel.findChildren<QLabel*>(),
                [](const QLabel* label) { return label->text().contains("points, exact"); });
        };
        Shown empty(std::vector<DrawnLine> {});
        QVERIFY(!tellsOfPoints(empty.panel));
        Shown full;
        QVERIFY(tellsOfPoints(full.panel));
    }

    void letterKeysSwitchWhatTheyName()
    {
        Shown shown;
        shown.press(Qt::Key_L);
        QCOMPARE(shown.link.scale("loss"), Scale::Logarithmic);
        QCOMPARE(shown.canvas().yAxis->scaleType(), QCPAxis::stLogarithmic);
        shown.press(Qt::Key_C);
        QVERIFY(shown.link.isClipped("loss"));
        shown.press(Qt::Key_S);
        QCOMPARE(shown.link.smoothing().kind, Smoothing::Kind::Exponential);
        shown.press(Qt::Key_H);
        QVERIFY(!shown.link.showsSuperseded());
        shown.press(Qt::Key_X);
        QCOMPARE(shown.link.xAxis(), XAxis::ActiveTime);
        shown.press(Qt::Key_E);
        QCOMPARE(shown.link.mode(), XMode::Follow);
        shown.press(Qt::Key_F);
        QCOMPARE(shown.link.mode(), XMode::Whole);
    }

    void arrowsPanAndSignsZoom()
    {
        Shown shown;
        shown.press(Qt::Key_Plus);
        const Interval zoomed = shown.link.x();
        QVERIFY(zoomed.size() < 999);
        shown.press(Qt::Key_Right);
        QVERIFY(shown.link.x().lower > zoomed.lower);
        shown.press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(shown.link.x(), zoomed);
        shown.press(Qt::Key_Right, Qt::AltModifier);
        QVERIFY(shown.link.x() != zoomed);
        shown.press(Qt::Key_Up);
        QVERIFY(shown.link.y("loss"));
    }

    void shiftAndArrowsMoveTheCursorPointByPoint()
    {
        Shown shown;
        shown.press(Qt::Key_Right, Qt::ShiftModifier);
        const double first = *shown.link.cursor();
        QCOMPARE(first, std::round(first));
        shown.press(Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(*shown.link.cursor(), first + 1);
        shown.press(Qt::Key_Left, Qt::ShiftModifier);
        QCOMPARE(*shown.link.cursor(), first);
        shown.press(Qt::Key_Escape);
        QVERIFY(!shown.link.cursor());
    }

    void theWheelZoomsAtThePointer()
    {
        Shown shown;
        const QPoint at = shown.canvas().plotRect().center();
        const double before = shown.canvas().xAt(at.x());
        QWheelEvent turn(QPointF(at), shown.canvas().mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton,
            Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&shown.canvas(), &turn);
        shown.canvas().refresh();
        QVERIFY(std::abs(shown.canvas().xAt(at.x()) - before) < 1e-6);
        QVERIFY(shown.link.x().size() < 999);
        QVERIFY(!shown.link.y("loss"));
    }

    void theWheelOverTheYAxisZoomsThatAlone()
    {
        Shown shown;
        const QPoint at(5, shown.canvas().plotRect().center().y());
        QWheelEvent turn(QPointF(at), shown.canvas().mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton,
            Qt::NoModifier, Qt::NoScrollPhase, false);
        QApplication::sendEvent(&shown.canvas(), &turn);
        QCOMPARE(shown.link.mode(), XMode::Whole);
        QVERIFY(shown.link.y("loss"));
    }

    void aDragPansAndShiftDrawsABox()
    {
        Shown shown;
        const QPoint from = shown.canvas().plotRect().center();
        QTest::mousePress(&shown.canvas(), Qt::LeftButton, {}, from);
        QTest::mouseMove(&shown.canvas(), from + QPoint(60, 0));
        QTest::mouseRelease(&shown.canvas(), Qt::LeftButton, {}, from + QPoint(60, 0));
        QCOMPARE(shown.link.mode(), XMode::Free);
        QVERIFY(shown.link.x().lower < 0);
        QTest::mousePress(&shown.canvas(), Qt::LeftButton, Qt::ShiftModifier, from);
        QTest::mouseMove(&shown.canvas(), from + QPoint(60, 40));
        QTest::mouseRelease(&shown.canvas(), Qt::LeftButton, Qt::ShiftModifier, from + QPoint(60, 40));
        QVERIFY(shown.link.y("loss"));
        QVERIFY(shown.link.x().size() < 200);
    }

    void aClickPinsTheCursorAndCtrlCCopiesWhatItReads()
    {
        Shown shown;
        QTest::mouseClick(&shown.canvas(), Qt::LeftButton, {}, shown.canvas().plotRect().center());
        QVERIFY(shown.link.isPinned());
        QApplication::clipboard()->clear();
        QTest::keyClick(&shown.canvas(), Qt::Key_C, Qt::ControlModifier);
        const QStringList rows = QApplication::clipboard()->text().split('\n', Qt::SkipEmptyParts);
        QCOMPARE(rows.size(), 3);
        QVERIFY(rows[1].startsWith("second\t"));  // the greater value first
        QVERIFY(!shown.link.isClipped("loss"));   // Ctrl+C is not C
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

    void tShowsTheNumbersAndEscapeThePlot()
    {
        Shown shown;
        shown.press(Qt::Key_T);
        QVERIFY(shown.panel.showsTable());
        auto* table = shown.panel.findChild<QTableView*>();
        QTest::keyClick(table, Qt::Key_Escape);
        QVERIFY(!shown.panel.showsTable());
    }

    void aScreenReaderHearsWhatThePlotShows()
    {
        Shown shown;
        const QString said = shown.canvas().accessibleName();
        QVERIFY2(said.startsWith("Loss, 2 run") && said.contains("step 0 to 999"), qPrintable(said));
    }

    void aHiddenPlotIsNotDrawn()
    {
        Shown shown;
        shown.panel.hide();
        int drawn = 0;
        connect(&shown.canvas(), &PlotCanvas::refreshed, this, [&] { ++drawn; });
        shown.panel.setLines(twoLines());
        QCoreApplication::processEvents();
        shown.canvas().refresh();
        QCOMPARE(drawn, 0);
        shown.panel.show();
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
        Shown shown;
        QPalette dark;
        dark.setColor(QPalette::Base, QColor(20, 22, 26));
        dark.setColor(QPalette::Text, QColor(230, 230, 230));
        shown.panel.setPalette(dark);
        shown.canvas().refresh();
        const QImage image = shown.canvas().grab().toImage();
        QCOMPARE(image.pixelColor(3, 3), QColor(20, 22, 26));
    }
};

QTEST_MAIN(PlotPanelTest)
#include "tst_plot_panel.moc"
