// What linked plots share: place, history, cursor.
#include "ui/plot/plot_link.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class PlotLinkTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingIsSeenAndGrowsUntilMoved()
    {
        PlotLink link;
        link.setExtent({0, 100});
        QCOMPARE(link.x(), (Interval {0, 100}));
        link.setExtent({0, 150});
        QCOMPARE(link.x(), (Interval {0, 150}));
        link.panX(0.1);
        QCOMPARE(link.mode(), XMode::Free);
        link.setExtent({0, 300});
        QCOMPARE(link.x(), (Interval {15, 165}));
    }

    void followKeepsItsWidthAndAPanSwitchesItOff()
    {
        PlotLink link;
        link.setExtent({0, 100});
        link.setX({40, 60});
        link.setFollowing(true);
        QCOMPARE(link.x(), (Interval {80, 100}));
        link.setExtent({0, 130});
        QCOMPARE(link.x(), (Interval {110, 130}));
        link.panX(-1);
        QCOMPARE(link.mode(), XMode::Free);
        QCOMPARE(link.x(), (Interval {90, 110}));
    }

    void backAndForwardGoPlaceByPlace()
    {
        PlotLink link;
        link.setExtent({0, 100});
        QVERIFY(!link.canGoBack());
        link.setX({10, 20});
        link.setBox("loss", {12, 14}, {0, 1});
        link.back();
        QCOMPARE(link.x(), (Interval {10, 20}));
        QVERIFY(!link.y("loss"));
        link.back();
        QCOMPARE(link.mode(), XMode::Whole);
        QVERIFY(!link.canGoBack());
        link.forward();
        link.forward();
        QCOMPARE(*link.y("loss"), (Interval {0, 1}));
        QVERIFY(!link.canGoForward());
        link.back();
        link.setX({1, 2});
        QVERIFY(!link.canGoForward());
    }

    void oneGestureIsOneEntry()
    {
        PlotLink link;
        link.setExtent({0, 100});
        for (int turn = 0; turn < 5; ++turn)
            link.zoomX(0.8, 50, 7);
        link.zoomX(0.8, 50, 8);
        link.back();
        link.back();
        QCOMPARE(link.mode(), XMode::Whole);
        QVERIFY(!link.canGoBack());
    }

    void zoomKeepsThePointUnderThePointer()
    {
        PlotLink link;
        link.setExtent({0, 100});
        link.zoomX(0.5, 25);
        QCOMPARE(link.x(), (Interval {12.5, 62.5}));
        for (int turn = 0; turn < 1000; ++turn)
            link.zoomX(0.5, 25);
        QVERIFY(!link.x().isEmpty());
        for (int turn = 0; turn < 1000; ++turn)
            link.zoomX(2, 25);
        QVERIFY(link.x().size() <= 100 * 20);
    }

    void aPinnedCursorStays()
    {
        PlotLink link;
        QSignalSpy moved(&link, &PlotLink::cursorChanged);
        link.setCursor(5);
        link.setPinned(6);
        link.setCursor(9);
        QCOMPARE(*link.cursor(), 6.0);
        QCOMPARE(moved.count(), 2);
        link.setPinned({});
        QCOMPARE(*link.cursor(), 9.0);
    }

    void smoothingComesBackAsItWas()
    {
        PlotLink link;
        link.setSmoothing({Smoothing::Kind::RunningMedian, 20});
        link.toggleSmoothing();
        QCOMPARE(link.smoothing().kind, Smoothing::Kind::Off);
        link.toggleSmoothing();
        QCOMPARE(link.smoothing(), (Smoothing {Smoothing::Kind::RunningMedian, 20}));
    }

    void anotherXAxisBeginsWithEverything()
    {
        PlotLink link;
        link.setExtent({0, 100});
        link.setX({1, 2});
        link.setXAxis(XAxis::WallTime);
        QCOMPARE(link.mode(), XMode::Whole);
        QVERIFY(!link.canGoBack());
    }
};

QTEST_APPLESS_MAIN(PlotLinkTest)
#include "tst_plot_link.moc"
