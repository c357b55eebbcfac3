// E6: the dock Metrics, in the real window.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/metric_browser.h"
#include "ui/plot/layout/plot_drag.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/plots_view.h"

#include <QAction>
#include <QDockWidget>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QDropEvent>
#include <QLineEdit>
#include <QTabWidget>
#include <QTest>

using ui_test::OpenWindow;

class WindowMetricsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_VERIFY(shown().contains("loss"));
    }
    ui::PlotsView* plots() { return (*m_window)->findChild<ui::PlotsView*>(); }
    ui::MetricBrowser* browser() { return (*m_window)->findChild<ui::MetricBrowser*>(); }
    QLineEdit* search() { return browser()->findChild<QLineEdit*>(); }
    QStringList shown()
    {
        QStringList ids;
        for (ui::PlotPanel* panel : plots()->panels())
            ids << QString::fromStdString(panel->group().id);
        return ids;
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        const auto folder = m_home->writeRun("digits-20261121-100000-aaaa", 60, "finished");
        contract::JournalHeader header;
        header.run = folder.id();
        contract::JournalWriter journal(folder.journal(0), header);
        for (int step = 1; step <= 60; ++step) {
            auto& line = journal.begin(contract::record::kMetrics, step);
            for (int layer = 0; layer < 300; ++layer)
                line.add("layers/" + std::to_string(layer) + "/grad_norm", double(step + layer));
            line.commit();
        }
        m_home->ingest();
        open();
        if (shown().isEmpty())
            m_window->bench().selection.setDrawn("digits-20261121-100000-aaaa", true);
        QTRY_VERIFY(shown().contains("loss"));
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E6_aMetricIsFoundDrawnTakenBackAndKept()
    {
        const QStringList usual = shown();
        m_window->action("view.metrics")->trigger();
        QTRY_VERIFY(browser()->isVisible());
        QTRY_VERIFY(search()->hasFocus());
        QTest::keyClicks(search(), "gnrm 217");
        QTest::keyClick(search(), Qt::Key_Return);
        QStringList more = usual;
        more << "layers/217/grad_norm";
        QTRY_COMPARE(shown(), more);
        const auto& lines = plots()->panels().back()->canvas().lines();
        QTRY_VERIFY(!lines.empty() && lines.front().data->points.size() == 60);
        plots()->setFocus();
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(shown(), usual);
        m_window->action("edit.redo")->trigger();
        QTRY_COMPARE(shown(), more);
        m_window.reset();
        open();
        QTRY_COMPARE(shown(), more);
        QTRY_VERIFY(browser()->findChild<ui::MetricTree*>()->chosen().contains("layers/217/grad_norm"));
    }

    void theMetricsAreListedWhileThePlotsAreNotInSight()
    {
        (*m_window)->tabs().setCurrentIndex(2);
        m_window.reset();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QVERIFY(!plots()->isVisible());
        QTRY_VERIFY(!m_window->bench().selection.drawn().isEmpty());
        (*m_window)->findChild<QDockWidget*>("metricsDock")->raise();
        QTRY_VERIFY(browser()->findChild<ui::MetricTree*>()->metrics().contains("layers/217/grad_norm"));
        QVERIFY(!plots()->isVisible());
    }

    void E6_metricsAreDroppedBeforeAPlot()
    {
        const QStringList usual = shown();
        const std::unique_ptr<QMimeData> data(ui::dragOfMetrics({"layers/3/grad_norm", "layers/5/grad_norm"}));
        auto* grid = plots()->findChild<ui::PlotGrid*>();
        ui::PlotPanel* second = plots()->panels()[1];
        const ui::PlotPanel* const first = plots()->panels()[0];
        QTRY_VERIFY(second->x() > first->geometry().right() || second->y() > first->geometry().bottom());  // in its place, not where it was made
        const QPointF left = second->mapTo(grid->viewport(), QPoint(20, 20));
        QDragEnterEvent enter(left.toPoint(), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(grid->viewport(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(left, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(grid->viewport(), &drop);
        QStringList expected = usual;
        expected.insert(1, "layers/3/grad_norm");
        expected.insert(2, "layers/5/grad_norm");
        QTRY_COMPARE(shown(), expected);
    }

    void E6_metricsAreDroppedOntoAPlot()
    {
        const QStringList usual = shown();
        const auto drop = [&](const QStringList& names, const ui::PlotPanel& onto) {
            const std::unique_ptr<QMimeData> data(ui::dragOfMetrics(names));
            auto* const grid = plots()->findChild<ui::PlotGrid*>();
            const QPointF middle = onto.mapTo(grid->viewport(), onto.rect().center());
            QDragEnterEvent enter(middle.toPoint(), Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(grid->viewport(), &enter);
            QDropEvent dropped(middle, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
            QApplication::sendEvent(grid->viewport(), &dropped);
        };
        const auto panel = [&](const char* id) { return plots()->panels()[std::size_t(shown().indexOf(QLatin1String(id)))]; };
        QTRY_VERIFY(panel("grad_norm")->pos() != panel("loss")->pos());
        // One that has no plot yet, and one that has.
        drop({"layers/3/grad_norm", "grad_norm"}, *panel("loss"));
        QStringList expected = usual;
        expected.removeOne("grad_norm");
        QTRY_COMPARE(shown(), expected);
        QCOMPARE(panel("loss")->title(), QStringLiteral("Loss, Gradient norm, layers/3/grad_norm"));
        QTRY_COMPARE(panel("loss")->canvas().lines().size(), std::size_t(3));
        QStringList names;
        for (const ui::DrawnLine& line : panel("loss")->canvas().lines())
            names << line.name;
        QVERIFY2(names.contains("layers/3/grad_norm") && names.contains("Gradient norm"), qPrintable(names.join(" | ")));
        QVERIFY(ui::drawnPen(panel("loss")->canvas().lines()[0], {}).color() != ui::drawnPen(panel("loss")->canvas().lines()[1], {}).color());
        QVERIFY(browser()->findChild<ui::MetricTree*>()->chosen().contains("layers/3/grad_norm"));

        // It is kept, and what is chosen in the dock stays where it is.
        m_window.reset();
        open();
        QTRY_COMPARE(shown(), expected);
        browser()->findChild<ui::MetricTree*>()->choose({"layers/9/grad_norm"}, true);
        QTRY_VERIFY(shown().contains("layers/9/grad_norm") && !shown().contains("grad_norm"));
        // The plot's menu takes it out again, as its tick does.
        QAction* takeOut = nullptr;
        for (QAction* action : panel("loss")->findChildren<QAction*>()) {
            if (action->text().contains("Take out"))
                takeOut = action;
        }
        QVERIFY(takeOut);
        takeOut->trigger();
        QTRY_VERIFY(shown().contains("grad_norm") && shown().contains("layers/3/grad_norm"));
        QTRY_COMPARE(panel("loss")->title(), QStringLiteral("Loss"));
    }

    /// By keys: the metrics that are selected in the dock go into a plot that its menu names.
    void E6_metricsAreAddedToAPlotByKeys()
    {
        search()->setText("layers/7/grad_norm");
        auto* const menu = browser()->findChild<QMenu*>("addToPlot");
        auto* const view = browser()->findChild<QTreeView*>();
        QTRY_VERIFY(view->selectionModel()->hasSelection());
        Q_EMIT menu->aboutToShow();
        QStringList titles;
        for (const QAction* action : menu->actions())
            titles << action->text();
        QVERIFY2(titles.contains("Loss") && titles.contains("Gradient norm"), qPrintable(titles.join(" | ")));
        menu->actions()[titles.indexOf("Gradient norm")]->trigger();
        QTRY_COMPARE(plots()->panels()[std::size_t(shown().indexOf("grad_norm"))]->title(), QStringLiteral("Gradient norm, layers/7/grad_norm"));
        // A gap gives it a plot of its own.
        plots()->addMetrics({"layers/7/grad_norm"}, "loss");
        QTRY_COMPARE(shown().indexOf("layers/7/grad_norm") + 1, shown().indexOf("loss"));
    }
};

ATELIER_UI_TEST_MAIN(WindowMetricsTest)
#include "tst_window_metrics.moc"
