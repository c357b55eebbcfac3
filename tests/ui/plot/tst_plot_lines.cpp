// M7: the looks of lines in a plot: markers, what the user has chosen, the legend's menu; values read from lines, and zoom of one axis.
#include "tests/ui/plot/panel_fixture.h"
#include "ui/plot/canvas/cursor_overlay.h"
#include "ui/plot/canvas/legend_bar.h"
#include "ui/plot/lines/marked_points.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSignalSpy>

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

using namespace ui;
using contract::LineMarker;
using tests::PanelFixture;
using tests::twoLines;

namespace {

/// A line of noise, recorded at uneven steps.
std::shared_ptr<LineData> noisyLine(int points)
{
    auto line = std::make_shared<LineData>();
    line->key = {"a", "loss", 0};
    std::mt19937 random(7);
    std::vector<storage::Point> all;
    std::int64_t step = 0;
    for (int point = 0; point < points; ++point) {
        step += 1 + static_cast<std::int64_t>(random() % 5);
        all.push_back({step, static_cast<double>(step), 1 + static_cast<double>(random() % 1000)});
    }
    line->points.append({.seriesId = 1}, all);
    return line;
}

void turnWheel(PlotCanvas& canvas, const QPoint& at)
{
    QWheelEvent turn(QPointF(at), canvas.mapToGlobal(QPointF(at)), {}, {0, 120}, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(&canvas, &turn);
}

}  // namespace

class PlotLinesTest : public QObject {
    Q_OBJECT

    /// Opens the legend's menu at @p x and takes its only entry. @return its text, and the runs whose lines are then asked for
    QStringList linesAskedAt(PlotPanel& panel, int x)
    {
        auto* legend = panel.findChild<LegendBar*>();
        QSignalSpy asked(&panel, &PlotPanel::lineRequested);
        QContextMenuEvent event(QContextMenuEvent::Mouse, QPoint(x, legend->height() / 2), legend->mapToGlobal(QPoint(x, 4)));
        QApplication::sendEvent(legend, &event);
        auto* menu = legend->findChild<QMenu*>();
        if (!menu || menu->actions().size() != 1)
            return {"no menu"};
        const QString text = menu->actions().front()->text();
        menu->actions().front()->trigger();
        delete menu;
        return QStringList(text) + (asked.count() == 1 ? asked.front().front().toStringList() : QStringList("not asked"));
    }

private Q_SLOTS:
    void M7_markersAreSparseAndSitOnRecordedPoints_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<Interval>("visible");
        QTest::newRow("M7 all of many") << 100'000 << Interval {0, 300'000};
        QTest::newRow("M7 a part") << 100'000 << Interval {1000.5, 3000.5};
        QTest::newRow("M7 fewer points than markers") << 6 << Interval {0, 100};
        QTest::newRow("M7 closer than numbers can tell") << 100'000 << Interval {2999.9999999999995, 3000.0000000000005};
        QTest::newRow("M7 none") << 0 << Interval {0, 1};
    }
    void M7_markersAreSparseAndSitOnRecordedPoints()
    {
        QFETCH(int, points);
        QFETCH(Interval, visible);
        const auto line = noisyLine(points);
        const double distance = visible.size() / 12;
        const auto marked = markedPoints(line->points, line->points.raw(), XAxis::Step, Scale::Linear, visible, distance);
        const auto steps = line->points.steps();
        for (std::size_t mark = 0; mark < marked.size(); ++mark) {
            const auto found = std::ranges::lower_bound(steps, static_cast<std::int64_t>(marked[mark].x));
            QVERIFY(found != steps.end() && static_cast<double>(*found) == marked[mark].x);
            QCOMPARE(marked[mark].y, line->points.raw().values()[static_cast<std::size_t>(found - steps.begin())]);
            QVERIFY(marked[mark].x >= visible.lower && marked[mark].x <= visible.upper);
            if (mark > 1)  // only the first one of a view may be close to the next one
                QVERIFY(marked[mark].x - marked[mark - 2].x >= distance * 0.7);
        }
        const auto seen = std::ranges::count_if(steps, [&](std::int64_t step) { return double(step) >= visible.lower && double(step) <= visible.upper; });
        QVERIFY2(std::ssize(marked) <= 20 && std::ssize(marked) >= std::min<std::ptrdiff_t>(seen, points < 10 ? 2 : 8), qPrintable(QString::number(marked.size())));
    }

    void M7_markersStayWhereTheyAreWhileTheViewMoves()
    {
        const auto line = noisyLine(10'000);
        std::set<double> known;
        for (int moved = 0; moved < 200; ++moved) {
            const Interval visible {1000.0 + 7 * moved, 5000.0 + 7 * moved};
            const auto marked = markedPoints(line->points, line->points.raw(), XAxis::Step, Scale::Linear, visible, 300);
            for (const Vertex& point : marked)
                known.insert(point.x);
        }
        QVERIFY2(known.size() <= 25, qPrintable(QString::number(known.size())));  // 5,400 steps in cells of 256
    }

    void M7_valuesThatALogarithmicAxisCannotShowHaveNoMarker()
    {
        auto line = std::make_shared<LineData>();
        std::vector<storage::Point> points;
        for (int step = 0; step < 100; ++step)
            points.push_back({step, double(step), step < 50 ? -1.0 : step < 75 ? std::nan("") : 1.0});
        line->points.append({.seriesId = 1}, points);
        for (const Vertex& point : markedPoints(line->points, line->points.raw(), XAxis::Step, Scale::Logarithmic, {0, 99}, 4))
            QVERIFY(point.x >= 75);
    }

    void M7_aMarkerIsPaintedOnTheLineThatIsInFront_data()
    {
        QTest::addColumn<bool>("isSmoothed");
        QTest::newRow("M7 raw") << false;
        QTest::newRow("M7 smoothed") << true;
    }
    void M7_aMarkerIsPaintedOnTheLineThatIsInFront()
    {
        QFETCH(bool, isSmoothed);
        const auto data = noisyLine(500);
        if (isSmoothed) {
            data->smoother = Smoother({Smoothing::Kind::RunningMean, 400});
            data->smooth();
        }
        std::vector<DrawnLine> lines(1);
        lines.front().data = data;
        const auto painted = [&](LineMarker marker) {
            lines.front().look = Look(0, {.colour = 0xd55e00, .marker = marker});
            PanelFixture fixture(lines);
            fixture.viewState.setExtent({0, double(data->points.steps().back())});
            fixture.canvas().refresh();
            int pixels = 0;  // in the colour of the line, around the marked points
            const QImage image = fixture.canvas().grab().toImage();
            const QRgb colour = lineColour(lines.front().look, fixture.canvas().palette()).rgb();
            const Curve& curve = isSmoothed ? data->smoothed : data->points.raw();
            for (const Vertex& point : markedPoints(data->points, curve, XAxis::Step, Scale::Linear, fixture.canvas().shownX(),
                     fixture.canvas().shownX().size() * 60 / fixture.canvas().plotRect().width())) {
                const QPoint at(int(fixture.canvas().xAxis->coordToPixel(point.x)), int(fixture.canvas().yAxis->coordToPixel(point.y)));
                for (int y = -2; y <= 2; ++y)
                    for (int x = -2; x <= 2; ++x)
                        pixels += image.rect().contains(at + QPoint(x, y)) && image.pixelColor(at + QPoint(x, y)).rgb() == colour ? 1 : 0;
            }
            return pixels;
        };
        const int without = painted(LineMarker::None), with = painted(LineMarker::Square);
        QVERIFY2(with > without + 100, qPrintable(QStringLiteral("%1 and %2 pixels").arg(without).arg(with)));
    }

    void M7_metricsOfARunDifferFromItsChosenColour()
    {
        std::vector<DrawnLine> lines(3);
        std::set<QRgb> colours;
        for (int metric = 0; metric < 3; ++metric) {
            lines[std::size_t(metric)].look = Look(0, {.colour = kLineColours[1] & 0xffffff});
            lines[std::size_t(metric)].variant = metric;
            lines[std::size_t(metric)].variants = 3;
            lines[std::size_t(metric)].isVariantMetric = true;
            colours.insert(drawnPen(lines[std::size_t(metric)], QApplication::palette()).color().rgb());
        }
        QCOMPARE(colours.size(), std::size_t(3));
    }

    void M7_hoverShowsAllDigitsOfWhatWasRecorded_data()
    {
        QTest::addColumn<double>("value");
        QTest::addColumn<Unit>("unit");
        QTest::addColumn<QString>("text");
        QTest::newRow("M7 a loss") << 0.12345678901234568 << Unit::None << "0.12345678901234568";
        QTest::newRow("M7 a short one") << 0.1 << Unit::None << "0.1";
        QTest::newRow("M7 a small one") << 1.5e-9 << Unit::None << "1.5e-09";
        QTest::newRow("M7 milliseconds") << 812.3456 << Unit::Milliseconds << "812.3456 ms";
        QTest::newRow("M7 bytes") << 1234567890.0 << Unit::Bytes << "1.23456789 GB";
        QTest::newRow("M7 round bytes") << 21.3e9 << Unit::Bytes << "21.3 GB";
        QTest::newRow("M7 few bytes") << 120.0 << Unit::Bytes << "120 bytes";
        QTest::newRow("M7 no bytes") << 0.0 << Unit::Bytes << "0 bytes";
        QTest::newRow("M7 a share") << 0.41337 << Unit::Share << "41.337 %";
        QTest::newRow("M7 a small share") << 1e-7 << Unit::Share << "0.00001 %";
        QTest::newRow("M7 all") << 1.0 << Unit::Share << "100 %";
        QTest::newRow("M7 not finite") << std::nan("") << Unit::Share << "NaN";
    }
    void M7_hoverShowsAllDigitsOfWhatWasRecorded()
    {
        QFETCH(double, value);
        QFETCH(Unit, unit);
        QTEST(formatRecorded(value, unit), "text");
    }

    /// Two values that differ in the last digit look different in the hover box.
    void M7_theHoverBoxTellsTheLastDigit()
    {
        const auto boxOf = [](double value) {
            auto lines = twoLines();
            auto data = std::make_shared<LineData>();
            data->key = {"a", "loss", 0};
            data->points.append({.seriesId = 1}, std::vector<storage::Point> {{0, 0, value}, {500, 1, value}, {999, 2, value}});
            lines.resize(1);
            lines.front().data = data;
            PanelFixture fixture(lines);
            fixture.viewState.setCursor(500.0);
            auto* overlay = fixture.canvas().findChild<CursorOverlay*>();
            overlay->setShowsValues(true);
            return fixture.canvas().grab().toImage();
        };
        QVERIFY(boxOf(0.12345678901234568) != boxOf(0.12345678901234566));
        QVERIFY(boxOf(0.12345678901234568) == boxOf(0.12345678901234568));
    }

    void M7_theWheelOverAnAxisZoomsThatAlone_data()
    {
        QTest::addColumn<bool>("isOverX");
        QTest::newRow("M7 the x axis") << true;
        QTest::newRow("M7 the y axis") << false;
    }
    void M7_theWheelOverAnAxisZoomsThatAlone()
    {
        QFETCH(bool, isOverX);
        PanelFixture fixture;
        fixture.viewState.setBox("loss", {200, 600}, {0.5, 1.5});  // within a plot, both would be zoomed
        fixture.canvas().refresh();
        const QRect area = fixture.canvas().plotRect();
        turnWheel(fixture.canvas(), isOverX ? QPoint(area.center().x(), area.bottom() + 8) : QPoint(5, area.center().y()));
        QCOMPARE(fixture.viewState.x() != Interval(200, 600), isOverX);
        QCOMPARE(*fixture.viewState.y("loss") != Interval(0.5, 1.5), !isOverX);
    }

    void M7_altAndTheSignsZoomTheValues()
    {
        PanelFixture fixture;
        const Interval x = fixture.viewState.x(), y = fixture.canvas().shownY();
        fixture.press(Qt::Key_Plus, Qt::AltModifier | Qt::ShiftModifier);  // where + is the upper case of another key
        QCOMPARE(fixture.viewState.x(), x);
        const Interval nearer = *fixture.viewState.y("loss");
        QVERIFY(nearer.size() < y.size() * 0.85);
        QVERIFY(std::abs(nearer.lower + nearer.upper - y.lower - y.upper) < 0.02 * y.size());
        fixture.press(Qt::Key_Minus, Qt::AltModifier);
        QVERIFY(std::abs(fixture.viewState.y("loss")->size() - y.size()) < 0.02 * y.size());
        fixture.press(Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(*fixture.viewState.y("loss"), nearer);
        QCOMPARE(fixture.viewState.x(), x);
    }

    void M7_theLegendOffersTheLineUnderThePointer()
    {
        PanelFixture fixture;
        QCOMPARE(linesAskedAt(fixture.panel, 8), QStringList("no menu"));  // of the machine's plots, for example
        fixture.panel.setArrangeable();
        fixture.panel.grab();
        QList<QStringList> fromTheLeft;
        for (int x = 0; x < fixture.panel.findChild<LegendBar*>()->width(); x += 10) {
            const QStringList asked = linesAskedAt(fixture.panel, x);
            if (fromTheLeft.isEmpty() || fromTheLeft.back() != asked)
                fromTheLeft << asked;
        }
        QCOMPARE(fromTheLeft, QList<QStringList>({{"&Line…", "a"}, {"&Line…", "b"}, {"&Lines of all…", "a", "b"}}));
    }
};

QTEST_MAIN(PlotLinesTest)
#include "tst_plot_lines.moc"
