// M7: what a plot says of values that it cannot draw, the mouse buttons back and forward, and the scale of the screen.
#include "tests/ui/plot/panel_fixture.h"
#include "ui/plot/canvas/legend_bar.h"

#include <QLabel>

#include <limits>

using namespace ui;
using tests::PanelFixture;

class PlotMarksTest : public QObject {
    Q_OBJECT

    /// 1,000 points about 1, of which some are others.
    static std::vector<DrawnLine> lineWith(const std::map<int, double>& others)
    {
        auto data = std::make_shared<LineData>();
        data->key = {"a", "loss", 0};
        std::vector<storage::Point> points;
        for (int step = 0; step < 1000; ++step)
            points.push_back({step, step * 100.0, others.contains(step) ? others.at(step) : 1 + 0.001 * (step % 7)});
        data->points.append({.seriesId = 1, .startSeconds = 1'800'000'000}, points);
        std::vector<DrawnLine> lines(1);
        lines.front().data = data;
        lines.front().name = QStringLiteral("first");
        return lines;
    }

    /// Where marks of this shape are shown.
    static std::vector<double> marks(PlotCanvas& canvas, QCPScatterStyle::ScatterShape shape)
    {
        std::vector<double> at;
        for (int graph = 0; graph < canvas.graphCount(); ++graph) {
            if (!canvas.graph(graph)->visible() || canvas.graph(graph)->scatterStyle().shape() != shape)
                continue;
            for (const QCPGraphData& mark : *canvas.graph(graph)->data())
                at.push_back(mark.key);
        }
        return at;
    }

private Q_SLOTS:
    void m07_mouseButtonsGoBackAndForward()
    {
        PanelFixture fixture;
        fixture.viewState.setX({100, 200});
        fixture.viewState.setX({300, 400});
        const QPoint middle = fixture.canvas().plotRect().center();
        QTest::mouseClick(&fixture.canvas(), Qt::BackButton, {}, middle);
        QCOMPARE(fixture.viewState.x(), (Interval {100, 200}));
        QTest::mouseClick(&fixture.canvas(), Qt::ForwardButton, {}, middle);
        QCOMPARE(fixture.viewState.x(), (Interval {300, 400}));
        QVERIFY(!fixture.viewState.cursor() || !fixture.viewState.isPinned());
    }

    void m07_arrowsMarkWhereALineLeavesAClippedPlot()
    {
        PanelFixture fixture(lineWith({{500, 1000}, {700, -1000}}));
        QVERIFY(marks(fixture.canvas(), QCPScatterStyle::ssTriangle).empty());
        QVERIFY(marks(fixture.canvas(), QCPScatterStyle::ssTriangleInverted).empty());
        fixture.press(Qt::Key_C);
        const auto above = marks(fixture.canvas(), QCPScatterStyle::ssTriangle);
        const auto below = marks(fixture.canvas(), QCPScatterStyle::ssTriangleInverted);
        QCOMPARE(above.size(), std::size_t(1));
        QCOMPARE(below.size(), std::size_t(1));
        QVERIFY2(std::abs(above.front() - 500) < 3, qPrintable(QString::number(above.front())));
        QVERIFY2(std::abs(below.front() - 700) < 3, qPrintable(QString::number(below.front())));
        // An arrow at the upper edge.
        const QImage image = fixture.canvas().grab().toImage();
        const int x = int(fixture.canvas().xAxis->coordToPixel(above.front()));
        const QRect top(x - 6, fixture.canvas().plotRect().top(), 13, 14);
        const QColor text = fixture.canvas().palette().color(QPalette::Text);
        int solid = 0;
        for (int y = top.top(); y <= top.bottom(); ++y) {
            for (int column = top.left(); column <= top.right(); ++column)
                solid += image.pixelColor(column, y) == text ? 1 : 0;
        }
        QVERIFY2(solid >= 6, qPrintable(QString::number(solid)));
        fixture.press(Qt::Key_C);
        QVERIFY(marks(fixture.canvas(), QCPScatterStyle::ssTriangle).empty());
    }

    void m07_theCornerCountsWhatALogarithmicAxisLeavesOut()
    {
        PanelFixture fixture(lineWith({{10, 0}, {20, -1}, {30, -1000}}));
        const auto isSaid = [&] {
            const auto labels = fixture.panel.findChildren<QLabel*>();
            return std::ranges::any_of(labels, [](const QLabel* label) { return label->text().startsWith(QStringLiteral("3 ≤ 0 not shown · ")); });
        };
        QVERIFY(!isSaid());
        fixture.press(Qt::Key_L);
        QVERIFY(isSaid());
    }

    void m07_theLegendCountsWhatIsNotFinite()
    {
        const double infinity = std::numeric_limits<double>::infinity();
        PanelFixture fixture(lineWith({{10, infinity}, {20, -infinity}, {30, std::nan("")}}));
        const QString text = fixture.panel.findChild<LegendBar*>()->accessibleDescription();
        QVERIFY2(text.startsWith("first ") && text.endsWith("× 3 not finite"), qPrintable(text));
        QCOMPARE(marks(fixture.canvas(), QCPScatterStyle::ssCross).size(), std::size_t(3));
    }
};

QTEST_MAIN(PlotMarksTest)
#include "tst_plot_marks.moc"
