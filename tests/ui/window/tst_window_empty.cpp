// M14: a view in which there is nothing says so in one sentence, and offers the next action.
#include "tests/ui/support/held.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/state_strip.h"
#include "ui/compare/compare_view.h"
#include "ui/disk/disk_dialog.h"
#include "ui/inspector/inspector.h"
#include "ui/launch/launch_window.h"
#include "ui/plot/layout/metric_browser.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_view.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QDesktopServices>
#include <QDockWidget>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QTabWidget>
#include <QUrl>

#include <fstream>

using ui_test::button;
using ui_test::emptySentence;
using ui_test::errorSentence;
using ui_test::OpenWindow;

namespace {

const QString kOnly = QStringLiteral("alpha-20261121-100000-aaaa"), kAdded = QStringLiteral("beta-20261121-100001-bbbb");

}  // namespace

class WindowEmptyTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;
    QList<QUrl> m_opened;

    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_VERIFY(m_window->bench().watch.isLoaded());
    }
    template <typename View>
    View& view()
    {
        return *(*m_window)->template findChild<View*>();
    }
    QWidget& dock(const char* name)
    {
        auto* const dock = (*m_window)->findChild<QDockWidget*>(QLatin1String(name));
        dock->show();
        dock->raise();
        return *dock;
    }
    ui::Selection& selection() { return m_window->bench().selection; }
    bool offersNewExperiment(QWidget& parent, const QString& text)
    {
        if (!QTest::qWaitFor([&] { return button(parent, text) != nullptr; }, 20'000))
            return false;
        button(parent, text)->click();
        return (*m_window)->openLaunchWindow().isVisible();
    }

public Q_SLOTS:
    void takeUrl(const QUrl& url) { m_opened << url; }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void m14_whereNoRunIsDrawnTheNewestOnesCanBe()
    {
        m_home->writeRun(kOnly.toStdString(), 10, "finished");
        m_home->ingest();
        open();
        selection().setAllDrawn({});
        QTRY_VERIFY(emptySentence(view<ui::PlotsView>()).startsWith("No run is drawn."));
        QVERIFY(button(view<ui::PlotsView>(), "Draw the newest run"));
        QWidget& metrics = dock("metricsDock");
        QTRY_COMPARE(emptySentence(metrics), QStringLiteral("Draw a run to see its metrics."));
        button(metrics, "Draw the newest run")->click();
        QCOMPARE(selection().drawnIds(), QStringList(kOnly));
        m_window->action("view.tab4")->trigger();
        auto& compare = view<ui::CompareView>();
        QTRY_VERIFY(button(compare, "New experiment"));  // there is only one run
        m_home->writeRun(kAdded.toStdString(), 10, "finished");
        m_home->ingest();
        m_window->action("view.readAgain")->trigger();
        QTRY_VERIFY(button(compare, "Draw the two newest runs"));
        button(compare, "Draw the two newest runs")->click();
        QTRY_COMPARE(emptySentence(compare), QString());
        QCOMPARE(selection().drawn().size(), 2);
        selection().setAllDrawn({});
        m_window->action("view.tab1")->trigger();
        QTRY_VERIFY(button(view<ui::PlotsView>(), "Draw the newest run"));
        button(view<ui::PlotsView>(), "Draw the newest run")->click();
        QTRY_VERIFY(emptySentence(view<ui::PlotsView>()).isEmpty());
    }

    void m14_anActionThatNeedsARunSaysThatNoneIsSelected()
    {
        open();
        const auto ids = {"run.queue", "run.duplicate", "run.pack", "run.debug"};
        for (const char* id : ids) {
            QVERIFY2(!m_window->action(id)->isEnabled(), id);
            QVERIFY2(m_window->action(id)->toolTip().contains("No run is selected."), id);
        }
        for (const QAction* const entry : (*m_window)->menuBar()->actions())
            QVERIFY2(entry->menu()->toolTipsVisible(), qPrintable(entry->text()));
        m_home->writeRun(kOnly.toStdString(), 10, "finished");
        m_home->ingest();
        m_window->action("view.readAgain")->trigger();
        QTRY_VERIFY(m_window->entry(kOnly));
        (*m_window)->openRun(kOnly);
        for (const char* id : ids)
            QTRY_VERIFY2(m_window->action(id)->isEnabled(), id);
    }

    void m14_anEmptyQueueOffersAnExperiment()
    {
        open();
        QWidget& queue = dock("queueDock");
        QTRY_VERIFY(emptySentence(queue).startsWith("No run waits."));
        QVERIFY(offersNewExperiment(queue, "New experiment"));
    }

    void m14_anEmptyDiskOffersAnExperiment()
    {
        open();
        m_window->action("app.disk")->trigger();
        auto& disk = view<ui::DiskDialog>();
        QVERIFY(offersNewExperiment(disk, "New experiment"));
    }

    void m14_theFolderOfADamagedQueueIsOpened()
    {
        std::ofstream(m_home->home().state / "queue.json") << "{";
        open();
        QWidget& queue = dock("queueDock");
        QTRY_VERIFY(!errorSentence(queue).isEmpty());
        QTRY_VERIFY(button(queue, "Open folder"));
        QDesktopServices::setUrlHandler(QStringLiteral("file"), this, "takeUrl");
        button(queue, "Open folder")->click();
        QDesktopServices::unsetUrlHandler(QStringLiteral("file"));
        QCOMPARE(m_opened, QList<QUrl>({QUrl::fromLocalFile(QString::fromStdString(m_home->home().state.string()))}));
    }

    void m14_theInspectorIsCancelled()
    {
        m_home->writeRun(kOnly.toStdString(), 10, "finished");
        m_home->writeRun(kAdded.toStdString(), 10, "finished");
        m_home->ingest();
        open();
        (*m_window)->openRun(kOnly);
        QTRY_COMPARE(m_window->bench().facts.facts().runId, kOnly);
        auto& inspector = view<ui::Inspector>();
        {
            const ui_test::HeldReader held(m_window->bench().store);
            selection().setInspected(kAdded);
            QTRY_VERIFY(button(inspector, "Cancel"));
            button(inspector, "Cancel")->click();
            QCOMPARE(errorSentence(inspector), QStringLiteral("Reading was cancelled."));
            QVERIFY(!button(inspector, "Cancel"));
        }
        QTRY_VERIFY(button(inspector, "Retry"));
        button(inspector, "Retry")->click();
        QTRY_COMPARE(m_window->bench().facts.facts().runId, kAdded);
        QCOMPARE(errorSentence(inspector), QString());
    }

    void m14_theListOfRunsIsCancelled()
    {
        m_home->writeRun(kOnly.toStdString(), 10, "finished");
        m_home->ingest();
        ui::MainWindow window(m_home->home());
        {
            const ui_test::HeldReader held(window.workbench().store);
            window.show();
            QTRY_VERIFY(button(window.runsView(), "Cancel"));
            button(window.runsView(), "Cancel")->click();
            QCOMPARE(errorSentence(window.runsView()), QStringLiteral("Reading was cancelled."));
            QVERIFY(!window.workbench().watch.isLoaded());
        }
        QTRY_VERIFY(button(window.runsView(), "Retry"));
        button(window.runsView(), "Retry")->click();
        QTRY_COMPARE(window.workbench().runs.rowCount(), 1);
        QTRY_COMPARE(errorSentence(window.runsView()), QString());
    }
};

ATELIER_UI_TEST_MAIN(WindowEmptyTest)
#include "tst_window_empty.moc"
