// M14: whoever waits for two seconds may cancel, in every view and dialog that reads for long.
#include "launcher/home/disk_usage.h"
#include "launcher/home/trash.h"
#include "tests/paths.h"
#include "tests/ui/support/held.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/state_strip.h"
#include "ui/disk/clean_up_panel.h"
#include "ui/disk/disk_dialog.h"

#include <QAction>
#include <QCheckBox>
#include <QDialog>
#include <QDockWidget>
#include <QLineEdit>
#include <QPushButton>

#include <algorithm>
#include <memory>

using ui_test::button;
using ui_test::errorSentence;
using ui_test::HeldPool;
using ui_test::HeldReader;
using ui_test::OpenWindow;

namespace {

constexpr char kCancelled[] = "alpha-20261121-100000-aaaa", kOther[] = "beta-20261121-100001-bbbb";

/// The frame in @p parent that shows the button Cancel; nullptr: none does.
ui::ViewFrame* waitingFrame(QWidget& parent)
{
    for (ui::ViewFrame* frame : parent.findChildren<ui::ViewFrame*>()) {
        if (frame->isVisible() && button(*frame, "Cancel"))
            return frame;
    }
    return nullptr;
}

}  // namespace

class WindowCancelTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    /// Cancels the waiting view in @p parent, and then reads again what @p held keeps back until then.
    template <typename Held>
    void cancelAndRetry(QWidget& parent, std::unique_ptr<Held> held)
    {
        QTRY_VERIFY(waitingFrame(parent));
        ui::ViewFrame* const frame = waitingFrame(parent);
        QVERIFY(frame->state().isLoading);
        button(*frame, "Cancel")->click();
        QVERIFY(!frame->state().isLoading);
        QVERIFY(!button(*frame, "Cancel"));
        QVERIFY2(errorSentence(*frame).endsWith("Reading was cancelled."), qPrintable(errorSentence(*frame)));
        held.reset();
        QTRY_VERIFY(button(*frame, "Retry"));
        button(*frame, "Retry")->click();
        QTRY_VERIFY(!frame->state().isLoading && !frame->state().error);
    }

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier"); }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun(kCancelled, 100, "failed", "Rank 1 was killed (signal 9) after step 41");
        m_home->writeRun(kOther, 100, "finished");
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        (*m_window)->openRun(kCancelled);
        QTRY_COMPARE(m_window->stateOf(kCancelled), std::optional(launcher::RunState::Failed));
    }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void M14_aDialogThatReadsFilesIsCancelled_data()
    {
        QTest::addColumn<QByteArray>("action");
        QTest::addColumn<QString>("dialog");
        QTest::newRow("M14 disk usage") << QByteArray("app.disk") << "diskDialog";
        QTest::newRow("M14 trash") << QByteArray("run.openTrash") << "trashDialog";
        QTest::newRow("M14 what went wrong") << QByteArray("run.failure") << "failureDialog";
        QTest::newRow("M14 debug package") << QByteArray("run.debug") << "debugDialog";
        QTest::newRow("M14 packing") << QByteArray("run.pack") << "packDialog";
    }
    void M14_aDialogThatReadsFilesIsCancelled()
    {
        QFETCH(QByteArray, action);
        QFETCH(QString, dialog);
        QTRY_VERIFY(m_window->action(action)->isEnabled());
        auto held = std::make_unique<HeldPool>();
        m_window->action(action)->trigger();
        QTRY_VERIFY((*m_window)->findChild<QDialog*>(dialog));
        cancelAndRetry(*(*m_window)->findChild<QDialog*>(dialog), std::move(held));
    }

    void M14_aViewThatReadsTheDatabaseIsCancelled_data()
    {
        QTest::addColumn<QByteArray>("action");
        QTest::newRow("M14 samples") << QByteArray("view.tab2");
        QTest::newRow("M14 checkpoints") << QByteArray("view.tab3");
        QTest::newRow("M14 comparison") << QByteArray("view.tab4");
        QTest::newRow("M14 data") << QByteArray("view.tab5");
    }
    void M14_aViewThatReadsTheDatabaseIsCancelled()
    {
        QFETCH(QByteArray, action);
        m_window->bench().selection.setDrawn(kCancelled, true);
        m_window->bench().selection.setDrawn(kOther, true);
        QTRY_VERIFY(m_window->action(action)->isEnabled());
        auto held = std::make_unique<HeldReader>(m_window->bench().store);
        m_window->action(action)->trigger();
        cancelAndRetry(*(*m_window)->centralWidget(), std::move(held));
    }

    void M14_curvesThatAreReadAreCancelled_data()
    {
        QTest::addColumn<QString>("dock");
        QTest::newRow("M14 plots") << QString();
        QTest::newRow("M14 steps") << "stepsDock";
        QTest::newRow("M14 system") << "systemDock";
    }
    void M14_curvesThatAreReadAreCancelled()
    {
        QFETCH(QString, dock);
        QWidget* view = (*m_window)->centralWidget();
        if (dock.isEmpty()) {
            m_window->action("view.tab1")->trigger();
        } else {
            auto* const widget = (*m_window)->findChild<QDockWidget*>(dock);
            QVERIFY(widget);
            widget->show();
            widget->raise();
            view = widget;
        }
        auto held = std::make_unique<HeldReader>(m_window->bench().store);
        ui::Selection& selection = m_window->bench().selection;
        selection.setDrawn(kOther, !selection.isDrawn(kOther));
        selection.setInspected(kOther);
        cancelAndRetry(*view, std::move(held));
    }

    void M14_aTrialOfRulesIsCancelled()
    {
        QTRY_VERIFY(m_window->action("run.rules")->isEnabled());
        m_window->action("run.rules")->trigger();
        QTRY_VERIFY((*m_window)->findChild<QDialog*>("rulesDialog"));
        auto* dialog = (*m_window)->findChild<QDialog*>("rulesDialog");
        auto held = std::make_unique<HeldReader>(m_window->bench().store);
        dialog->findChild<QLineEdit*>()->setText("loss > 0: notify");
        cancelAndRetry(*dialog, std::move(held));
    }

    void M14_theListOfTheDataIsCancelled()
    {
        auto held = std::make_unique<HeldPool>();
        m_window->action("view.tab5")->trigger();
        cancelAndRetry(*(*m_window)->centralWidget(), std::move(held));
    }

    void M14_aSearchForSurplusCheckpointsIsCancelled()
    {
        m_window->action("app.disk")->trigger();
        auto* panel = (*m_window)->findChild<ui::CleanUpPanel*>();
        QVERIFY(panel);
        QTRY_VERIFY(!(*m_window)->findChild<ui::DiskDialog*>()->summary().isEmpty());
        auto held = std::make_unique<HeldPool>();
        const auto boxes = panel->findChildren<QCheckBox*>();
        (*std::ranges::find(boxes, QStringLiteral("those of &every"), &QCheckBox::text))->click();
        cancelAndRetry(*panel, std::move(held));
    }

    void M14_aScanOfTheDiskStops()
    {
        std::stop_source stop;
        const auto before = launcher::diskUsage(m_home->home(), stop.get_token());
        QCOMPARE(before.runs.size(), std::size_t(2));
        QVERIFY(before.runs.back().total() > 0);
        const std::filesystem::path run = m_home->home().runs() / kCancelled;
        QVERIFY(launcher::folderBytes(run, stop.get_token()) > 0);
        stop.request_stop();
        QVERIFY(launcher::diskUsage(m_home->home(), stop.get_token()).runs.empty());
        QCOMPARE(launcher::folderBytes(run, stop.get_token()), std::uint64_t(0));
    }

    void M14_aSearchIsCancelled()
    {
        m_window->action("view.search")->trigger();
        auto* dialog = (*m_window)->findChild<QDialog*>("searchDialog");
        QVERIFY(dialog);
        auto held = std::make_unique<HeldPool>();
        dialog->findChild<QLineEdit*>()->setText("digits");
        button(*dialog, "&Search")->click();
        QTRY_VERIFY(waitingFrame(*dialog));
        button(*waitingFrame(*dialog), "Cancel")->click();
        QVERIFY(!waitingFrame(*dialog));
        QVERIFY(button(*dialog, "&Search"));
    }
};

ATELIER_UI_TEST_MAIN(WindowCancelTest)
#include "tst_window_cancel.moc"
