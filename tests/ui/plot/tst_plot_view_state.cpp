// The view state that linked plots share: visible range, history, cursor.
#include "ui/plot/layout/plot_view_state.h"

#include <QSignalSpy>
#include <QTest>

#include <memory>

using namespace ui;

class PlotViewStateTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void everythingIsSeenAndGrowsUntilMoved()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        QCOMPARE(viewState.x(), (Interval {0, 100}));
        viewState.setExtent({0, 150});
        QCOMPARE(viewState.x(), (Interval {0, 150}));
        viewState.setX({15, 65});
        QCOMPARE(viewState.mode(), XMode::Free);
        viewState.setExtent({0, 300});
        QCOMPARE(viewState.x(), (Interval {15, 65}));
    }

    void nothingLeadsPastTheFirstOrLastPoint_data()
    {
        QTest::addColumn<Interval>("from");
        QTest::addColumn<double>("pan");
        QTest::addColumn<double>("zoom");
        QTest::addColumn<Interval>("to");
        QTest::newRow("defect-52: far to the left") << Interval {200, 400} << -50.0 << 1.0 << Interval {100, 300};
        QTest::newRow("defect-52: far to the right") << Interval {200, 400} << 50.0 << 1.0 << Interval {900, 1100};
        QTest::newRow("defect-52: within") << Interval {200, 400} << 0.5 << 1.0 << Interval {300, 500};
        QTest::newRow("defect-52: all of it, moved") << Interval {100, 1100} << -0.3 << 1.0 << Interval {100, 1100};
        QTest::newRow("defect-52: zoomed out at the left") << Interval {100, 200} << 0.0 << 4.0 << Interval {100, 500};
        QTest::newRow("defect-52: zoomed out far") << Interval {200, 400} << 0.0 << 40.0 << Interval {100, 1100};
    }
    void nothingLeadsPastTheFirstOrLastPoint()
    {
        QFETCH(Interval, from);
        QFETCH(double, pan);
        QFETCH(double, zoom);
        QFETCH(Interval, to);
        PlotViewState viewState;
        viewState.setExtent({100, 1100});
        viewState.setX(from);
        viewState.panX(pan);
        viewState.zoomX(zoom, from.lower + from.size() / 2);
        QCOMPARE(viewState.x(), to);
    }

    /// defect-52: what is as wide as all points shows those that come, too.
    void zoomingOutShowsEverythingAgain()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        viewState.setBox("loss", {10, 20}, {0, 1});
        viewState.zoomX(100, 15);
        QCOMPARE(viewState.mode(), XMode::Whole);
        QVERIFY(viewState.y("loss"));
        viewState.setExtent({0, 150});
        QCOMPARE(viewState.x(), (Interval {0, 150}));
        viewState.setFollowing(true);
        viewState.setExtent({0, 5});
        QCOMPARE(viewState.x(), (Interval {0, 5}));
    }

    void choicesComeBack_data()
    {
        QTest::addColumn<QByteArray>("json");
        QTest::addColumn<bool>("isDefault");
        PlotChoices all {.xAxis = XAxis::WallTime, .smoothing = {Smoothing::Kind::Gaussian, 20}, .showsSuperseded = false,
            .grouping = {Grouping::By::Option, "optim.lr", {"run.*"}, Grouping::Band::Deviation},
            .logarithmic = {"loss", "a \"b\" ü"}, .clipped = {"perf/mfu"}, .tables = {"loss"},
            .place = {XMode::Free, {0.1, 12.3456789}, {{"loss", {-1, 1e-300}}}},
            .plots = {.metrics = std::set<std::string> {}, .order = {"b", "a"}, .hidden = {"c"}, .placed = {{"d", "b"}}}};
        QTest::newRow("defect-43, E4: all of them") << toJson(all) << false;
        QTest::newRow("defect-43: none") << QByteArray() << true;
        QTest::newRow("defect-43: no JSON") << QByteArray("{\"x\":") << true;
        QTest::newRow("defect-43: nonsense") << QByteArray(R"({"x":7,"smoothing":-1,"width":-3,"logarithmic":4,"metrics":"all","place":{"mode":2,"x":[3,1],"y":{"loss":[1]}},"order":7,"hidden":{}})") << true;
    }
    void choicesComeBack()
    {
        QFETCH(QByteArray, json);
        QFETCH(bool, isDefault);
        PlotViewState viewState;
        viewState.setChoices(plotChoicesFromJson(json));
        QCOMPARE(viewState.choices() == PlotChoices(), isDefault);
        PlotChoices again = viewState.choices();
        again.plots = plotChoicesFromJson(json).plots;
        QCOMPARE(plotChoicesFromJson(toJson(again)) == again, true);
        if (isDefault)
            return;
        QCOMPARE(toJson(again), json);
        QCOMPARE(viewState.scale("loss"), Scale::Logarithmic);
        QVERIFY(viewState.isClipped("perf/mfu"));
        QVERIFY(viewState.showsTable("loss"));
        QCOMPARE(viewState.x(), (Interval {0.1, 12.3456789}));
        QVERIFY(again.plots.metrics && again.plots.metrics->empty());
    }

    void m09_everyWidthThatCanBeTypedIsRestored()
    {
        PlotChoices choices;
        choices.smoothing = {Smoothing::Kind::Gaussian, kMostSmoothed};
        QCOMPARE(plotChoicesFromJson(toJson(choices)).smoothing, choices.smoothing);
    }

    void followKeepsItsWidthAndAPanSwitchesItOff()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        viewState.setX({40, 60});
        viewState.setFollowing(true);
        QCOMPARE(viewState.x(), (Interval {80, 100}));
        viewState.setExtent({0, 130});
        QCOMPARE(viewState.x(), (Interval {110, 130}));
        viewState.panX(-1);
        QCOMPARE(viewState.mode(), XMode::Free);
        QCOMPARE(viewState.x(), (Interval {90, 110}));
    }

    void backAndForwardGoPlaceByPlace()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        QVERIFY(!viewState.canGoBack());
        viewState.setX({10, 20});
        viewState.setBox("loss", {12, 14}, {0, 1});
        viewState.back();
        QCOMPARE(viewState.x(), (Interval {10, 20}));
        QVERIFY(!viewState.y("loss"));
        viewState.back();
        QCOMPARE(viewState.mode(), XMode::Whole);
        QVERIFY(!viewState.canGoBack());
        viewState.forward();
        viewState.forward();
        QCOMPARE(*viewState.y("loss"), (Interval {0, 1}));
        QVERIFY(!viewState.canGoForward());
        viewState.back();
        viewState.setX({1, 2});
        QVERIFY(!viewState.canGoForward());
    }

    void oneGestureIsOneEntry()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        for (int turn = 0; turn < 5; ++turn)
            viewState.zoomX(0.8, 50, 7);
        viewState.zoomX(0.8, 50, 8);
        viewState.back();
        viewState.back();
        QCOMPARE(viewState.mode(), XMode::Whole);
        QVERIFY(!viewState.canGoBack());
    }

    void zoomKeepsThePointUnderThePointer()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        viewState.zoomX(0.5, 25);
        QCOMPARE(viewState.x(), (Interval {12.5, 62.5}));
        for (int turn = 0; turn < 1000; ++turn)
            viewState.zoomX(0.5, 25);
        QVERIFY(!viewState.x().isEmpty());
        for (int turn = 0; turn < 1000; ++turn)
            viewState.zoomX(2, 25);
        QVERIFY(viewState.x().size() <= 100 * 20);
    }

    void aPinnedCursorStays()
    {
        PlotViewState viewState;
        QSignalSpy moved(&viewState, &PlotViewState::cursorChanged);
        viewState.setCursor(5);
        viewState.setPinned(6);
        viewState.setCursor(9);
        QCOMPARE(*viewState.cursor(), 6.0);
        QCOMPARE(moved.count(), 2);
        viewState.setPinned({});
        QCOMPARE(*viewState.cursor(), 9.0);
    }

    void n03_aPinOutOfSightIsScrolledTo_data()
    {
        QTest::addColumn<double>("pin");
        QTest::addColumn<double>("lower");
        QTest::newRow("N3 in sight") << 130.0 << 100.0;
        QTest::newRow("N3 to the right") << 500.0 << 450.0;
        QTest::newRow("N3 to the left") << 60.0 << 10.0;
        QTest::newRow("N3 near the end") << 990.0 << 900.0;
        QTest::newRow("N3 beyond the points") << 1200.0 << 1150.0;
    }
    void n03_aPinOutOfSightIsScrolledTo()
    {
        QFETCH(double, pin);
        PlotViewState viewState;
        viewState.setExtent({0, 1000});
        viewState.setX({100, 200});
        viewState.setPinned(pin);
        QTEST(viewState.x().lower, "lower");
        QCOMPARE(viewState.x().size(), 100.0);
        viewState.setX({300, 310});
        viewState.setPinned(pin);  // again
        QVERIFY(viewState.x().lower <= pin && pin <= viewState.x().upper);
        viewState.fit();
        viewState.setPinned(30);
        QCOMPARE(viewState.mode(), XMode::Whole);
    }

    void m09_smoothingStepsThroughAllKindsAndOff()
    {
        PlotViewState viewState;
        viewState.setSmoothing({Smoothing::Kind::Off, 20});
        using enum Smoothing::Kind;
        for (const auto kind : {Exponential, Gaussian, RunningMean, RunningMedian, Off, Exponential}) {
            viewState.setNextSmoothing();
            QCOMPARE(viewState.smoothing(), (Smoothing {kind, 20}));
        }
    }

    void theLabelsHaveTheRoomOfTheWidest()
    {
        PlotViewState viewState;
        QObject first;
        auto second = std::make_unique<QObject>();
        QSignalSpy changed(&viewState, &PlotViewState::labelWidthChanged);
        viewState.setLabelWidth(&first, 60);
        viewState.setLabelWidth(second.get(), 90);
        QCOMPARE(viewState.labelWidth(), 90);
        QCOMPARE(changed.count(), 2);
        viewState.setLabelWidth(second.get(), 80);  // little less
        viewState.setLabelWidth(&first, 70);
        QCOMPARE(viewState.labelWidth(), 90);
        QCOMPARE(changed.count(), 2);
        second.reset();  // it is gone, but the other needs nearly as much
        QCOMPARE(viewState.labelWidth(), 90);
        viewState.setLabelWidth(&first, 60);
        QCOMPARE(viewState.labelWidth(), 60);
        QCOMPARE(changed.count(), 3);
    }

    void anotherXAxisBeginsWithEverything()
    {
        PlotViewState viewState;
        viewState.setExtent({0, 100});
        viewState.setX({1, 2});
        viewState.setXAxis(XAxis::WallTime);
        QCOMPARE(viewState.mode(), XMode::Whole);
        QVERIFY(!viewState.canGoBack());
    }
};

QTEST_APPLESS_MAIN(PlotViewStateTest)
#include "tst_plot_view_state.moc"
