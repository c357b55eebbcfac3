// M7, M8, N1: curves from real journals through the real database to the screen, live.
#include "tests/ui/plot/plots_world.h"

#include "ui/base/check_menu.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"
#include "ui/plot/lines/plot_feed.h"
#include "ui/plot/plots_toolbar.h"

#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

using namespace ui;
namespace metric = contract::metric;

class PlotsViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void m07_theUsualPlotsAppearForADrawnRun()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        std::vector<std::string> ids;
        for (const PlotPanel* panel : world.view->panels())
            ids.push_back(panel->group().id);
        QCOMPARE(ids, (std::vector<std::string> {metric::kLoss, metric::kGradNorm, metric::kResident,
                          metric::kImagesPerSecond, metric::kLr, metric::kStepTime}));
        QCOMPARE(world.panel(metric::kLoss)->canvas().lines().size(), std::size_t(2));      // and validation
        QCOMPARE(world.panel(metric::kResident)->canvas().lines().size(), std::size_t(2));  // one line per rank
    }

    /// A commit to one of two drawn runs is read of that one alone; both stay drawn, in their order.
    void defect24_aRunThatGrowsIsReadAlone()
    {
        PlotsWorld world;
        const contract::RunFolder other(world.home.runs() / "other-20261121-101600-dcba");
        synthetic::Attempt second(other, 1, 1, 0);
        second.steps(1, 101);
        storage::Ingest(*world.store).catchUp(other);
        StoreService service(world.home);
        PlotFeed feed(service);
        feed.setRuns({other.id(), world.run.id()});
        feed.setMetrics({metric::kLoss});
        feed.setActive(true);
        const auto size = [&](const contract::RunFolder& run) {
            const auto found = feed.lines().find({run.id(), metric::kLoss, 0});
            return found == feed.lines().end() ? std::size_t(0) : found->second->points.size();
        };
        QTRY_COMPARE(size(world.run), std::size_t(450));
        QTRY_COMPARE(size(other), std::size_t(100));
        QTRY_VERIFY(feed.isUpToDate());
        // The other is gone from the database. Nobody says so to the feed, which would notice if it read that run again.
        world.store->removeRun(other.id());
        world.first.steps(451, 461);
        world.ingest();
        QTRY_COMPARE(size(world.run), std::size_t(460));
        QCOMPARE(size(other), std::size_t(100));
        QCOMPARE(feed.runs().size(), std::size_t(2));
        QCOMPARE(feed.runs().front().id, other.id());
        QCOMPARE(feed.runs().back().lastRecordUnixMs, world.store->run(world.run.id())->lastRecordUnixMs);
        feed.retry();
        QTRY_COMPARE(feed.runs().size(), std::size_t(1));
    }

    void m08_whatIsHeldEqualsTheJournalBitForBit()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        for (const storage::SeriesRow& row : world.store->series(world.run.id())) {
            if (row.metric != metric::kLoss)
                continue;
            const auto stored = world.store->points(row.id);
            const LinePoints& shown = world.panel(metric::kLoss)->canvas().lines().front().data->points;
            QCOMPARE(stored.size(), shown.size());
            for (std::size_t at = 0; at < stored.size(); ++at) {
                QCOMPARE(shown.steps()[at], stored[at].step);
                QCOMPARE(shown.raw().values()[at], stored[at].value);
            }
        }
    }

    /// N10: of a line that is too long to be held whole, whatever is zoomed into is exact, and said to be.
    void n10_theVisiblePartOfAVeryLongLineIsExact()
    {
        PlotsWorld world;
        world.open({.heldWhole = 200, .detail = 2000});
        world.view->chooseMetrics(std::set<std::string> {metric::kLoss});
        world.draw();
        QTRY_VERIFY(world.points(metric::kLoss) > 0);
        PlotCanvas& canvas = world.panel(metric::kLoss)->canvas();
        QVERIFY(canvas.lines().front().data->isThinned);
        std::vector<storage::Point> all;
        for (const storage::SeriesRow& row : world.store->series(world.run.id())) {
            if (row.metric == metric::kLoss)
                all = world.store->points(row.id);
        }
        QCOMPARE(all.size(), std::size_t(450));
        PlotViewState& state = world.view->viewState();
        for (const Interval x : {Interval {100.5, 140}, Interval {3, 9}, Interval {431, 450}, Interval {57.2, 57.9}, Interval {10, 300}}) {
            state.setX(x);
            QTRY_VERIFY(canvas.shownX() == x && canvas.drawn().isExact);
            std::size_t count = 0;
            double least = 1e300, most = -1e300;
            for (const storage::Point& point : all) {
                if (double(point.step) < x.lower || double(point.step) > x.upper)
                    continue;
                ++count;
                least = std::min(least, point.value);
                most = std::max(most, point.value);
            }
            QCOMPARE(canvas.drawn().points, count);
            if (count == 0)
                continue;
            const DrawnLine& line = canvas.lines().front();
            const LinePoints& seen = line.pointsWithin(XAxis::Step, x);
            const auto steps = seen.steps();
            const std::size_t first = std::size_t(std::ranges::lower_bound(steps, std::int64_t(std::ceil(x.lower))) - steps.begin());
            const MinMax range = seen.raw().finiteRange(first, first + count);
            QCOMPARE(range.minimum, least);
            QCOMPARE(range.maximum, most);
            QVERIFY(canvas.shownY().lower <= least && canvas.shownY().upper >= most);
        }
        // The line goes on where the view is exact.
        state.setX({400, 500});
        QTRY_COMPARE(canvas.drawn().points, std::size_t(51));
        QVERIFY(canvas.drawn().isExact);
        world.first.steps(451, 461);
        world.ingest();
        QTRY_COMPARE(canvas.drawn().points, std::size_t(61));
    }

    /// Not by the points that are left of it; also while it grows, and when the smoothing changes.
    void M9_aVeryLongLineIsSmoothedByAllItsPoints()
    {
        PlotsWorld world;
        world.open({.heldWhole = 200, .detail = 2000});
        world.view->chooseMetrics(std::set<std::string> {metric::kLoss});
        world.draw();
        QTRY_VERIFY(world.points(metric::kLoss) > 0);
        const auto line = [&]() -> const LineData& { return *world.panel(metric::kLoss)->canvas().lines().front().data; };
        const auto isExact = [&](const Smoothing& smoothing) {
            std::vector<std::int64_t> steps;
            std::vector<double> values;
            for (const storage::SeriesRow& row : world.store->series(world.run.id())) {
                if (row.metric != metric::kLoss || row.rank != line().key.rank)
                    continue;
                for (const storage::Point& point : world.store->points(row.id)) {
                    steps.push_back(point.step);
                    values.push_back(point.value);
                }
            }
            Smoother reference(smoothing);
            reference.extend(steps, values);
            const auto held = line().points.steps();
            if (line().smoother.smoothing() != smoothing || line().smoothed.size() != held.size() || held.back() != steps.back())
                return false;
            for (std::size_t at = 0; at < held.size(); ++at) {
                // Of a bucket's points one is its least, the other one its greatest smoothed value.
                const auto bucket = [&](std::int64_t first, std::int64_t last) {
                    MinMax range;
                    for (std::size_t index = 0; index < steps.size(); ++index) {
                        if (steps[index] >= first && steps[index] <= last && std::isfinite(reference.values()[index]))
                            range.add(reference.values()[index]);
                    }
                    const double value = line().smoothed.values()[at];
                    return std::abs(value - range.minimum) < 1e-12 || std::abs(value - range.maximum) < 1e-12;
                };
                if (std::isfinite(line().smoothed.values()[at]) && !bucket(at == 0 ? held[0] : held[at - 1], held[at]) && !bucket(held[at], at + 1 == held.size() ? held[at] : held[at + 1]))
                    return false;
            }
            return true;
        };
        for (const Smoothing& smoothing : {Smoothing {Smoothing::Kind::Exponential, 5}, Smoothing {Smoothing::Kind::RunningMedian, 9}, Smoothing {Smoothing::Kind::Gaussian, 4}}) {
            world.view->viewState().setSmoothing(smoothing);
            QTRY_VERIFY(isExact(smoothing));
            QVERIFY(line().isThinned);
            const int grown = int(line().points.steps().back()) + 1;
            world.first.steps(grown, grown + 10);
            world.ingest();
            QTRY_COMPARE(line().points.steps().back(), grown + 9);
            QTRY_VERIFY(isExact(smoothing));
        }
    }

    void n10_whatIsTooMuchToBeReadStaysThinned()
    {
        PlotsWorld world;
        world.open({.heldWhole = 200, .detail = 300});
        world.view->chooseMetrics(std::set<std::string> {metric::kLoss});
        world.draw();
        QTRY_VERIFY(world.points(metric::kLoss) > 0);
        PlotCanvas& canvas = world.panel(metric::kLoss)->canvas();
        world.view->viewState().setX({100, 110});
        QTRY_VERIFY(canvas.drawn().isExact);
        world.view->viewState().fit();
        QTRY_VERIFY(!canvas.drawn().isExact);
    }

    void m07_newPointsArriveWithinAQuarterOfASecond()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        PlotPanel* panel = world.panel(metric::kLoss);
        std::vector<qint64> delays;
        for (std::int64_t step = 451; step < 471; ++step) {
            QElapsedTimer clock;
            clock.start();
            world.first.steps(step, step + 1);
            world.ingest();
            QSignalSpy drawn(&panel->canvas(), &PlotCanvas::refreshed);
            while (world.points(metric::kLoss) != std::size_t(step) && clock.elapsed() < 5000)
                QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
            QTRY_VERIFY(!drawn.isEmpty());
            delays.push_back(clock.elapsed());
        }
        std::sort(delays.begin(), delays.end());
        qInfo("written to drawn: median %lld ms, p95 %lld ms", delays[10], delays[18]);
        QVERIFY(delays[18] <= 250);
    }

    /// Section 4: at most 30 frames a second, however fast records come.
    void m07_plotsKeepTheirPaceWhileRecordsStreamIn()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        PlotCanvas& canvas = world.panel(metric::kLoss)->canvas();
        QSignalSpy drawn(&canvas, &PlotCanvas::refreshed);
        constexpr int kRecords = 400;
        QElapsedTimer clock;
        clock.start();
        for (std::int64_t step = 451; step < 451 + kRecords; ++step) {
            world.first.steps(step, step + 1);
            world.ingest();
            QCoreApplication::processEvents();
        }
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450 + kRecords));
        const auto frames = clock.elapsed() * 30 / 1000 + 2;
        QVERIFY2(drawn.size() <= frames, qPrintable(QStringLiteral("%1 redraws where %2 are enough").arg(drawn.size()).arg(frames)));
        QVERIFY(drawn.size() < kRecords);
    }

    void n01_aResumedRunKeepsItsSupersededPoints()
    {
        PlotsWorld world;
        synthetic::Attempt second(world.run, 2, 2, 300);
        second.steps(301, 401);
        world.ingest();
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(400));
        const auto line = world.panel(metric::kLoss)->canvas().lines().front().data;
        QCOMPARE(line->superseded.size(), std::size_t(1));
        QCOMPARE(line->superseded[0].size(), std::size_t(150));
        QCOMPARE(line->superseded[0].steps().front(), 301);
        QCOMPARE(line->points.attempt(299), 1);
        QCOMPARE(line->points.attempt(300), 2);
        // Active time continues from the first attempt's at step 300; wall time includes the pause.
        const double before = line->points.x(299, XAxis::ActiveTime);
        const double after = line->points.x(300, XAxis::ActiveTime);
        QVERIFY(after >= before && after - before < 60);
        QVERIFY(line->points.x(300, XAxis::WallTime) > line->points.x(299, XAxis::WallTime));
    }

    void n01_anAttemptThatBeginsMeanwhileTakesOver()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        synthetic::Attempt second(world.run, 2, 2, 300);
        second.steps(301, 311);
        world.ingest();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(310));
        second.steps(311, 321);
        world.ingest();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(320));
    }

    void m09_theWidthIsTyped_data()
    {
        QTest::addColumn<QString>("typed");
        QTest::addColumn<double>("width");
        QTest::newRow("M9 a number") << "5000" << 5000.0;
        QTest::newRow("M9 with the word") << "7 steps" << 7.0;
        QTest::newRow("M9 none: as before") << "many" << 50.0;
        QTest::newRow("M9 zero: one") << "0" << 1.0;
        QTest::newRow("M9 more than any run has") << "99999999999" << 1e7;
    }
    void m09_theWidthIsTyped()
    {
        QFETCH(QString, typed);
        ui::PlotViewState state;
        state.setSmoothing({ui::Smoothing::Kind::Exponential, 50});
        ui::PlotsToolbar bar(state);
        bar.show();
        const auto boxes = bar.findChildren<QComboBox*>();
        const auto width = std::ranges::find_if(boxes, &QComboBox::isEditable);
        QVERIFY(width != boxes.end() && (*width)->isEnabled());
        QCOMPARE((*width)->currentText(), QStringLiteral("50 steps"));
        (*width)->lineEdit()->selectAll();
        QTest::keyClicks((*width)->lineEdit(), typed);
        QTest::keyClick((*width)->lineEdit(), Qt::Key_Return);
        QTEST(state.smoothing().width, "width");
        QCOMPARE((*width)->currentText(), QStringLiteral("%1 steps").arg(int(state.smoothing().width)));
    }

    void m09_smoothingIsOfEveryPointAndGrowsWithThem()
    {
        PlotsWorld world;
        world.open();
        world.view->viewState().setSmoothing({Smoothing::Kind::Gaussian, 20});
        world.draw();
        const auto smoothed = [&] {
            return world.points(metric::kLoss) == 0
                ? std::size_t(0)
                : world.panel(metric::kLoss)->canvas().lines().front().data->smoothed.size();
        };
        QTRY_COMPARE(smoothed(), std::size_t(450));
        world.first.steps(451, 461);
        world.ingest();
        QTRY_COMPARE(smoothed(), std::size_t(460));
        const auto line = world.panel(metric::kLoss)->canvas().lines().front().data;
        Smoother whole({Smoothing::Kind::Gaussian, 20});
        whole.extend(line->points.steps(), line->points.raw().values());
        for (std::size_t at = 0; at < 460; ++at)
            QVERIFY(std::abs(whole.values()[at] - line->smoothed.values()[at]) < 1e-12);
    }

    void m07_aHiddenViewAsksForNothing()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        world.view->hide();
        QSignalSpy changed(world.service.get(), &StoreService::changed);
        world.first.steps(451, 461);
        world.ingest();
        QTRY_VERIFY(!changed.isEmpty());
        QCOMPARE(world.points(metric::kLoss), std::size_t(450));
        world.view->show();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(460));
    }

    void m14_aSilentRunIsToldBelowThePlots()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_VERIFY(world.points("loss") > 0);
        const auto* label = world.view->findChild<QLabel*>(QStringLiteral("staleText"));
        QVERIFY(!label->isVisible());
        world.view->setStale(QStringLiteral("Last record 14 s ago"));
        QVERIFY(label->isVisible());
        QCOMPARE(label->text(), QStringLiteral("Last record 14 s ago"));
        world.view->setStale({});
        QVERIFY(!label->isVisible());
    }

    void aNarrowViewKeepsEveryControlInSight()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_VERIFY(world.points("loss") > 0);
        QVERIFY2(world.view->minimumSizeHint().width() <= 360, qPrintable(QString::number(world.view->minimumSizeHint().width())));
        for (const int width : {360, 560, 1400, 360}) {
            world.view->resize(width, 700);
            QTRY_COMPARE(world.view->width(), width);
            for (const QWidget* control : world.view->findChild<PlotsToolbar*>()->findChildren<QWidget*>()) {
                if (control->focusPolicy() == Qt::NoFocus || !control->isVisible())
                    continue;
                const auto there = [&] { return QRect(control->mapTo(world.view.get(), QPoint()), control->size()); };
                QTRY_VERIFY2(world.view->rect().contains(there()), qPrintable(control->accessibleName()));
                QTRY_VERIFY2(control->width() >= control->minimumSizeHint().width(), qPrintable(control->accessibleName()));
            }
        }
    }

    void m14_withoutARunTheViewSaysWhatToDo()
    {
        PlotsWorld world;
        world.open();
        auto* frame = world.view->findChild<ViewFrame*>();
        QVERIFY(frame->state().emptySentence.startsWith("No run is drawn"));
        world.draw();
        QTRY_VERIFY(frame->state().emptySentence.isEmpty() && !frame->state().isLoading);
        world.selection.setDrawn(QString::fromStdString(world.run.id()), false);
        QTRY_VERIFY(!frame->state().emptySentence.isEmpty());
    }

    /// defect-52: where there is no run to draw, the way on is to start one.
    void anEmptyHomeOffersToStartARun()
    {
        PlotsWorld world;
        world.open();
        auto* frame = world.view->findChild<ViewFrame*>();
        world.view->setEmptyActions({{"New experiment", [] {}}});
        world.view->setHasRuns(false);
        QVERIFY(frame->state().emptySentence.startsWith("No runs yet"));
        QCOMPARE(frame->state().emptyActions.size(), 1);
        world.view->setHasRuns(true);
        QVERIFY(frame->state().emptySentence.startsWith("No run is drawn"));
    }

    void theMetricsMenuStaysOpen_data()
    {
        QTest::addColumn<bool>("byKeys");
        QTest::newRow("defect-52: ticked by mouse") << false;
        QTest::newRow("defect-52: ticked by keys") << true;
    }
    void theMetricsMenuStaysOpen()
    {
        QFETCH(bool, byKeys);
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.view->panels().size(), std::size_t(6));
        auto* menu = world.view->findChild<CheckMenu*>();
        menu->popup(world.view->mapToGlobal(QPoint(10, 10)));
        QTRY_VERIFY(menu->isVisible());
        int ticked = 0;
        for (QAction* action : menu->actions()) {
            const QString name = action->text();
            if (!name.contains("lr)") && !name.contains("grad"))
                continue;
            QVERIFY2(action->isChecked(), qPrintable(name));
            menu->setActiveAction(action);
            if (byKeys)
                QTest::keyClick(menu, Qt::Key_Space);
            else
                QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
            QVERIFY(!action->isChecked());
            QVERIFY(menu->isVisible());
            ++ticked;
        }
        QCOMPARE(ticked, 2);
        QCOMPARE(world.view->panels().size(), std::size_t(4));
        QTest::keyClick(menu, Qt::Key_Escape);
        QVERIFY(!menu->isVisible());
    }

    void chosenMetricsReplaceTheUsualOnes()
    {
        PlotsWorld world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        world.view->chooseMetrics(std::set<std::string> {metric::kLr});
        QCOMPARE(world.view->panels().size(), std::size_t(1));
        QTRY_COMPARE(world.points(metric::kLr), std::size_t(450));
        world.view->chooseMetrics({});
        QTRY_COMPARE(world.view->panels().size(), std::size_t(6));
    }

    /// Model FLOPs utilisation has a default plot where the device's peak is known. TFLOP/s has none, since it shows
    /// the same as images per second; the user can choose it.
    void theUseOfTheDeviceIsOneOfTheUsualPlots()
    {
        PlotsWorld world;
        world.first.journal(0).begin(contract::record::kStep, 451)
            .add(metric::kTeraflops, 312.5).add(metric::kMfu, 0.413).commit();
        world.ingest();
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kMfu), std::size_t(1));
        QVERIFY(!world.panel(metric::kTeraflops));
        QCOMPARE(groupTitle(world.panel(metric::kMfu)->group()), QStringLiteral("Model FLOPs utilisation"));
        QCOMPARE(formatValue(0.413, world.panel(metric::kMfu)->canvas().lines().front().unit), formatPercent(0.413));
        world.view->chooseMetrics(std::set<std::string> {metric::kTeraflops});
        QTRY_COMPARE(world.points(metric::kTeraflops), std::size_t(1));
        QCOMPARE(groupTitle(world.panel(metric::kTeraflops)->group()), QStringLiteral("TFLOP/s per rank"));
    }
};

QTEST_MAIN(PlotsViewTest)
#include "tst_plots_view.moc"
