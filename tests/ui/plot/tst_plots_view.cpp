// M7, M8, N1: curves from real journals through the real database to the screen, live.
#include "ui/plot/plot_panel.h"
#include "ui/plot/plots_toolbar.h"
#include "ui/plot/plots_view.h"

#include "storage/ingest.h"
#include "synthetic_run.h"
#include "ui/base/format.h"
#include "ui/base/state_strip.h"

#include <QElapsedTimer>
#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <optional>

using namespace ui;
namespace metric = contract::metric;

namespace {

/// A data home with one run of two ranks, and the view on it.
struct World {
    QTemporaryDir folder;
    launcher::DataHome home;
    contract::RunFolder run;
    synthetic::Attempt first;
    std::optional<storage::Store> store;
    std::unique_ptr<StoreService> service;
    Selection selection;
    std::unique_ptr<PlotsView> view;

    static launcher::DataHome homeIn(const QString& path)
    {
        launcher::DataHome home;
        home.data = home.config = home.state = home.cache = home.runtime = path.toStdString();
        home.create();
        return home;
    }

    World()
        : home(homeIn(folder.path()))
        , run(home.runs() / "digits-20261121-101500-abcd")
        , first(run, 1, 2, 0)
    {
        first.steps(1, 451);
        store.emplace(home.database());
        ingest();
    }
    ~World()
    {
        view.reset();
        service.reset();
    }

    void ingest()
    {
        storage::Ingest(*store).catchUp(run);
    }
    void open()
    {
        service = std::make_unique<StoreService>(home);
        view = std::make_unique<PlotsView>(*service, selection);
        view->resize(1100, 700);
        view->show();
    }
    void draw() { selection.setDrawn(QString::fromStdString(run.id()), true); }

    PlotPanel* panel(const char* id) const
    {
        for (PlotPanel* panel : view->panels())
            if (panel->group().id == id)
                return panel;
        return nullptr;
    }
    std::size_t points(const char* id) const
    {
        PlotPanel* found = panel(id);
        if (!found || found->canvas().lines().empty())
            return 0;
        return found->canvas().lines().front().data->points.size();
    }
};

}  // namespace

class PlotsViewTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void m07_theUsualPlotsAppearForADrawnRun()
    {
        World world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        std::vector<std::string> ids;
        for (const PlotPanel* panel : world.view->panels())
            ids.push_back(panel->group().id);
        QCOMPARE(ids, (std::vector<std::string> {metric::kLoss, metric::kGradNorm, metric::kResident,
                          metric::kImagesPerSecond, metric::kLr, metric::kStepTime}));
        QCOMPARE(world.panel(metric::kLoss)->canvas().lines().size(), std::size_t(2));      // and validation
        QCOMPARE(world.panel(metric::kResident)->canvas().lines().size(), std::size_t(2));  // a line a rank
    }

    void m08_whatIsHeldEqualsTheJournalBitForBit()
    {
        World world;
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

    void m07_newPointsArriveWithinAQuarterOfASecond()
    {
        World world;
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

    void n01_aResumedRunKeepsItsSupersededPoints()
    {
        World world;
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
        // Active time goes on where the first attempt was at step 300; wall time has the pause.
        const double before = line->points.x(299, XAxis::ActiveTime);
        const double after = line->points.x(300, XAxis::ActiveTime);
        QVERIFY(after >= before && after - before < 60);
        QVERIFY(line->points.x(300, XAxis::WallTime) > line->points.x(299, XAxis::WallTime));
    }

    void n01_anAttemptThatBeginsMeanwhileTakesOver()
    {
        World world;
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

    void m09_smoothingIsOfEveryPointAndGrowsWithThem()
    {
        World world;
        world.open();
        world.view->link().setSmoothing({Smoothing::Kind::Gaussian, 20});
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
        World world;
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
        World world;
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
        World world;
        world.open();
        world.draw();
        QTRY_VERIFY(world.points("loss") > 0);
        QVERIFY2(world.view->minimumSizeHint().width() <= 560, qPrintable(QString::number(world.view->minimumSizeHint().width())));
        for (const int width : {560, 1400, 560}) {
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
        World world;
        world.open();
        auto* frame = world.view->findChild<ViewFrame*>();
        QVERIFY(frame->state().emptySentence.startsWith("No run is drawn"));
        world.draw();
        QTRY_VERIFY(frame->state().emptySentence.isEmpty() && !frame->state().isLoading);
        world.selection.setDrawn(QString::fromStdString(world.run.id()), false);
        QTRY_VERIFY(!frame->state().emptySentence.isEmpty());
    }

    void chosenMetricsReplaceTheUsualOnes()
    {
        World world;
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kLoss), std::size_t(450));
        world.view->chooseMetrics(std::set<std::string> {metric::kLr});
        QCOMPARE(world.view->panels().size(), std::size_t(1));
        QTRY_COMPARE(world.points(metric::kLr), std::size_t(450));
        world.view->chooseMetrics({});
        QTRY_COMPARE(world.view->panels().size(), std::size_t(6));
    }

    /// Where the device's peak is known; the work alone is offered, for images per second say the same.
    void theUseOfTheDeviceIsOneOfTheUsualPlots()
    {
        World world;
        world.first.journal(0).begin(contract::record::kStep, 451)
            .add(metric::kTeraflops, 312.5).add(metric::kMfu, 0.413).commit();
        world.ingest();
        world.open();
        world.draw();
        QTRY_COMPARE(world.points(metric::kMfu), std::size_t(1));
        QVERIFY(!world.panel(metric::kTeraflops));
        QCOMPARE(groupTitle(world.panel(metric::kMfu)->group()), QStringLiteral("Model FLOPs utilisation"));
        QCOMPARE(formatValue(0.413, world.panel(metric::kMfu)->canvas().lines().front().unit, false), formatPercent(0.413));
        world.view->chooseMetrics(std::set<std::string> {metric::kTeraflops});
        QTRY_COMPARE(world.points(metric::kTeraflops), std::size_t(1));
        QCOMPARE(groupTitle(world.panel(metric::kTeraflops)->group()), QStringLiteral("TFLOP/s per rank"));
    }
};

QTEST_MAIN(PlotsViewTest)
#include "tst_plots_view.moc"
