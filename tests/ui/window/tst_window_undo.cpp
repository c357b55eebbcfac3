// E5: what Ctrl+Z and Ctrl+Shift+Z are about in each part of the window.
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/compare/compare_view.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/layout/metric_browser.h"
#include "ui/plot/layout/metric_tree.h"
#include "ui/plot/plots_view.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

using ui_test::OpenWindow;

static const QString kOlder = QStringLiteral("alpha-20261121-100000-aaaa");
static const QString kNewer = QStringLiteral("beta-20261121-100001-bbbb");

class WindowUndoTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::PlotsView* plots() { return (*m_window)->findChild<ui::PlotsView*>(); }
    ui::CompareView* compare() { return (*m_window)->findChild<ui::CompareView*>(); }
    ui::Selection& selection() { return m_window->bench().selection; }
    QString undoText() { return m_window->action("edit.undo")->text(); }
    void focus(QWidget* widget)
    {
        m_window->window().activateWindow();
        widget->setFocus();
        QTRY_COMPARE(QApplication::focusWidget(), widget);
    }
    void press(Qt::KeyboardModifiers more = {}) { QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier | more); }
    /// An edit, so that there is something else to undo.
    void archive()
    {
        selection().setInspected(kOlder);
        focus((*m_window)->runsView().findChild<QTreeView*>("runsTable"));
        m_window->action("run.archive")->trigger();
        QTRY_COMPARE(undoText(), QStringLiteral("&Undo: archive"));
        QTRY_VERIFY(m_window->entry(kOlder)->row.isArchived);
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun(kOlder.toStdString(), 40, "finished");
        m_home->writeRun(kNewer.toStdString(), 70, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        m_window->action("view.archived")->trigger();
        selection().setAllDrawn({kOlder, kNewer});
        QTRY_VERIFY(plots()->panels().size() > 3);
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void e05_aMetricThatWasTickedIsUndoneInTheDockMetrics()
    {
        archive();
        const auto before = plots()->choices().plots;
        m_window->action("view.metrics")->trigger();
        auto* const browser = (*m_window)->findChild<ui::MetricBrowser*>();
        auto* const tree = browser->findChild<QTreeView*>();
        QTRY_VERIFY(tree->isVisible() && tree->model()->rowCount() > 0);
        focus(tree);
        plots()->chooseMetrics(std::set<std::string> {"loss"});
        QVERIFY(plots()->choices().plots != before);
        press();
        QVERIFY(plots()->choices().plots == before);
        QVERIFY(m_window->entry(kOlder)->row.isArchived);
        press(Qt::ShiftModifier);
        QVERIFY(plots()->choices().plots != before);
    }

    void e05_theBaselineIsUndoneInTheTabCompare()
    {
        archive();
        m_window->action("view.tab4")->trigger();
        QComboBox* baseline = nullptr;
        for (QComboBox* const box : compare()->findChildren<QComboBox*>()) {
            if (box->accessibleName() == QStringLiteral("Baseline"))
                baseline = box;
        }
        QTRY_VERIFY(baseline && baseline->isVisible() && baseline->count() == 2);
        focus(baseline);
        QTest::keyClick(baseline, Qt::Key_Down);
        QCOMPARE(selection().chosenBaseline(), kNewer);
        QCOMPARE(undoText(), QStringLiteral("&Undo: baseline"));
        press();
        QVERIFY(selection().chosenBaseline() != kNewer);
        QVERIFY(m_window->entry(kOlder)->row.isArchived);
        press(Qt::ShiftModifier);
        QCOMPARE(selection().chosenBaseline(), kNewer);
    }

    /// What was undone last is done again first.
    void e05_aMoveToTheTrashIsRedone()
    {
        archive();
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY(!m_window->entry(kOlder)->row.isArchived);
        m_window->action("edit.redo")->trigger();
        QTRY_VERIFY(m_window->entry(kOlder)->row.isArchived);
        selection().setInspected(kNewer);
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        focus((*m_window)->runsView().findChild<QTreeView*>("runsTable"));
        QTRY_COMPARE(undoText(), QStringLiteral("&Undo move to trash"));
        press();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_COMPARE(undoText(), QStringLiteral("&Undo: archive"));
        press();
        QTRY_VERIFY(!m_window->entry(kOlder)->row.isArchived);
        QCOMPARE(m_window->action("edit.redo")->text(), QStringLiteral("&Redo: archive"));
        press(Qt::ShiftModifier);
        QTRY_VERIFY(m_window->entry(kOlder)->row.isArchived);
        QTRY_COMPARE(m_window->action("edit.redo")->text(), QStringLiteral("&Redo: move to trash"));
        press(Qt::ShiftModifier);
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        QVERIFY(!m_window->entry(kNewer));
        QTRY_VERIFY(!m_window->action("edit.redo")->isEnabled());
        QTRY_COMPARE(undoText(), QStringLiteral("&Undo move to trash"));
        press();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
    }
};

ATELIER_UI_TEST_MAIN(WindowUndoTest)
#include "tst_window_undo.moc"
