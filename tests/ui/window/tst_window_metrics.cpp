// E6: the dock Metrics, in the real window.
#include "engine/contract/run/journal_writer.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/plot/metric_browser.h"
#include "ui/plot/plot_drag.h"
#include "ui/plot/plot_grid.h"
#include "ui/plot/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QAction>
#include <QDropEvent>
#include <QLineEdit>
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

    void E6_metricsAreDroppedBeforeAPlot()
    {
        const QStringList usual = shown();
        const std::unique_ptr<QMimeData> data(ui::dragOfMetrics({"layers/3/grad_norm", "layers/5/grad_norm"}));
        auto* grid = plots()->findChild<ui::PlotGrid*>();
        ui::PlotPanel* second = plots()->panels()[1];
        QTRY_VERIFY(second->pos() != plots()->panels()[0]->pos());
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
};

ATELIER_UI_TEST_MAIN(WindowMetricsTest)
#include "tst_window_metrics.moc"
