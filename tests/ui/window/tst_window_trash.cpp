// Moving runs to the trash, bringing them back, and deleting them for good.
#include "launcher/home/trash.h"
#include "storage/store.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QInputDialog>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabWidget>
#include <QTreeView>
#include <QTreeWidget>

#include <fstream>

using launcher::RunState;
using ui_test::button;
using ui_test::OpenWindow;

namespace fs = std::filesystem;

class WindowTrashTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

    /// What `atelier rm` does.
    void removeElsewhere(const contract::RunFolder& run) const
    {
        launcher::moveToTrash(m_home->home(), run);
        storage::Store(m_home->home().database()).removeRun(run.id());
    }

    QStringList inTrash() const
    {
        QStringList names;
        for (const launcher::TrashItem& item : launcher::trashItems(m_home->home()))
            names << QString::fromStdString(item.name);
        names.sort();
        return names;
    }

    /// A checkpoint in the trash, as the Checkpoints tab leaves it. @return its place there.
    fs::path trashedCheckpoint(const std::string& run, int step) const
    {
        const fs::path place = m_home->home().trash() / "checkpoints" / run / ("step-" + std::to_string(step) + "-1795255200000");
        fs::create_directories(place);
        std::ofstream(place / "rank-0.safetensors") << std::string(2'000'000, 'w');
        return place;
    }

    ui::TrashDialog& openTrash()
    {
        m_window->action("run.openTrash")->trigger();
        return *(*m_window)->findChild<ui::TrashDialog*>();
    }

private Q_SLOTS:
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void delTrashesARunOnlyInTheTable_data()
    {
        QTest::addColumn<int>("tab");
        QTest::newRow("defect-20: in the plots") << 0;
        QTest::newRow("defect-20: in the samples") << 1;
    }
    void delTrashesARunOnlyInTheTable()
    {
        QFETCH(int, tab);
        const std::string id = "done-20261121-100000-aaaa";
        std::ofstream(m_home->writeRun(id, 100, "finished").journal(0), std::ios::app)
            << R"({"type":"sample","step":50,"t_ms":60000,"file":"samples/50.png","prompt":"3","seed":7,"guidance":2,)"
            << R"("steps":30,"weights":"ema"})" << '\n';
        open();
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        QSignalSpy trashed(&m_window->bench().control, &ui::RunControl::trashed);
        (*m_window)->tabs().setCurrentIndex(tab);
        QWidget* view = (*m_window)->tabs().currentWidget();
        if (view->focusProxy())
            view = view->focusProxy();
        QTRY_VERIFY(view->isVisible());
        view->setFocus();
        QTRY_VERIFY(view->hasFocus());
        QTest::keyClick(view, Qt::Key_Delete);
        // The pool of background work runs its jobs in order, so a trashed run would be gone by then.
        auto* table = (*m_window)->runsView().findChild<QWidget*>("runsTable");
        table->setFocus();
        QVERIFY(table->hasFocus());
        QTest::keyClick(table, Qt::Key_F2);
        auto* name = (*m_window)->findChild<QInputDialog*>();
        QVERIFY(name);
        name->setTextValue("other");
        name->accept();
        QTRY_COMPARE(m_window->entry(QString::fromStdString(id))->name(), QStringLiteral("other"));
        QCOMPARE(trashed.count(), 0);
        (*m_window)->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        table->setFocus();
        QTRY_VERIFY(table->hasFocus());
        QTest::keyClick(table, Qt::Key_Delete);
        QTRY_COMPARE(trashed.count(), 1);
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 0);
    }

    void aTrashedRunCanBeBroughtBack()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        open();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 0);
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(m_window->stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_VERIFY(!m_window->action("edit.undo")->isEnabled());
    }

    void M10_oneMessageCountsTheRunsThatAreTrashedOrRestored()
    {
        const QString first = "first-20261121-100000-aaaa", second = "second-20261121-100001-bbbb";
        m_home->writeRun(first.toStdString(), 10, "finished");
        m_home->writeRun(second.toStdString(), 10, "finished");
        open();
        const auto areThere = [&] { return m_window->stateOf(first) == RunState::Finished && m_window->stateOf(second) == RunState::Finished; };
        QTRY_VERIFY(areThere());
        const auto message = [this] { return (*m_window)->statusBar()->currentMessage(); };
        (*m_window)->runsView().findChild<QTreeView*>("runsTable")->selectAll();
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(message(), QStringLiteral("2 runs were moved to the trash. Undo restores them."));
        QTRY_COMPARE(m_window->bench().trash.items().size(), std::size_t {2});
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 0);
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(message(), QStringLiteral("2 items were restored."));
        QTRY_VERIFY(areThere());
        (*m_window)->openRun(first);
        QTRY_COMPARE(m_window->bench().selection.inspected(), first);
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_COMPARE(message(), QStringLiteral("first was moved to the trash. Undo restores it."));
        QTRY_COMPARE(m_window->bench().trash.items().size(), std::size_t {1});
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(message(), QStringLiteral("first was restored."));
    }

    void defect16_undoAgreesWithTheTrash()
    {
        const auto first = m_home->writeRun("first-20261121-100000-aaaa", 10, "finished");
        const auto second = m_home->writeRun("second-20261121-100000-bbbb", 10, "finished");
        launcher::moveToTrash(m_home->home(), first);
        open();  // what an earlier window or the command line removed can be undone
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_VERIFY(!m_window->action("edit.undo")->isEnabled());
        // What the command line restores or deletes for good meanwhile cannot.
        launcher::moveToTrash(m_home->home(), second);
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        launcher::erase(m_home->home(), launcher::trashItems(m_home->home()).front());
        QTRY_VERIFY(!m_window->action("edit.undo")->isEnabled());
    }

    /// A run that another program has removed is neither drawn nor inspected any more. When it comes back, it is both again.
    void aRunThatIsRemovedElsewhereLeavesTheViews()
    {
        const auto stays = m_home->writeRun("stays-20261121-100000-aaaa", 10, "finished");
        const auto goes = m_home->writeRun("goes-20261121-100001-bbbb", 10, "finished");
        const QString id = QString::fromStdString(goes.id());
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        (*m_window)->openRun(id);
        ui::Selection& selection = m_window->bench().selection;
        QVERIFY(selection.isDrawn(id));
        const int look = selection.lookOf(id);
        removeElsewhere(goes);
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        QTRY_VERIFY(!selection.isDrawn(id));
        QTRY_COMPARE(selection.inspected(), QString::fromStdString(stays.id()));
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY(selection.isDrawn(id));
        QCOMPARE(selection.lookOf(id), look);
    }

    void theTrashListsRestoresAndIsEmptied()
    {
        const auto first = m_home->writeRun("first-20261121-100000-aaaa", 10, "finished");
        const auto second = m_home->writeRun("second-20261121-100001-bbbb", 10, "finished");
        removeElsewhere(first);
        removeElsewhere(second);
        const auto kept = m_home->writeRun("kept-20261121-100002-cccc", 10, "finished");
        const fs::path checkpoint = trashedCheckpoint(kept.id(), 40);
        open();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        ui::TrashDialog& dialog = openTrash();
        QTRY_COMPARE(dialog.list().topLevelItemCount(), 3);
        QVERIFY(!button(dialog, "Restore")->isEnabled());
        const auto row = [&](const std::string& name) { return dialog.list().findItems(QString::fromStdString(name), Qt::MatchExactly).value(0); };
        QVERIFY(row(kept.id() + "/step-40") && row(second.id()));
        QCOMPARE(row(kept.id() + "/step-40")->text(1), QStringLiteral("2.0 MB"));
        row(first.id())->setSelected(true);
        button(dialog, "Restore")->click();
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 2);
        QTRY_COMPARE(dialog.list().topLevelItemCount(), 2);

        // The question names what goes, and what comes to the trash after it stays.
        button(dialog, "Empty trash…")->click();
        auto* question = (*m_window)->findChild<QMessageBox*>("emptyQuestion");
        QVERIFY(question);
        QVERIFY2(question->text().startsWith("Delete 2 items for good? This frees 2."), qPrintable(question->text()));
        QVERIFY(question->informativeText().contains(QString::fromStdString(second.id())));
        QVERIFY(question->informativeText().contains(QString::fromStdString(kept.id() + "/step-40")));
        removeElsewhere(first);
        QSignalSpy erased(&m_window->bench().control, &ui::RunControl::erased);
        button(*question, "Delete for good")->click();
        QTRY_COMPARE(erased.count(), 1);
        QCOMPARE(erased.front().front().toInt(), 2);
        QCOMPARE(inTrash(), QStringList(QString::fromStdString(first.id())));
        QVERIFY(!fs::exists(checkpoint));
        QTRY_COMPARE(dialog.list().topLevelItemCount(), 1);
    }

    void anEmptyTrashSaysSoAndACancelledQuestionDeletesNothing()
    {
        open();
        ui::TrashDialog& dialog = openTrash();
        QTRY_COMPARE(ui_test::emptySentence(dialog), QStringLiteral("The trash is empty."));
        QVERIFY(!button(dialog, "Empty trash…")->isEnabled());
        removeElsewhere(m_home->writeRun("gone-20261121-100000-aaaa", 10, "finished"));
        QTRY_COMPARE(dialog.list().topLevelItemCount(), 1);
        QCOMPARE(ui_test::emptySentence(dialog), QString());
        button(dialog, "Empty trash…")->click();
        auto* question = (*m_window)->findChild<QMessageBox*>("emptyQuestion");
        QVERIFY(question && question->text().startsWith("Delete 1 item for good?"));
        question->reject();
        QCOMPARE(inTrash().size(), 1);
    }

    /// A checkpoint whose run is not there cannot be restored: the status bar says why, and it stays in the trash.
    void aCheckpointWithoutItsRunStaysInTheTrash()
    {
        trashedCheckpoint("gone-20261121-100000-aaaa", 40);
        open();
        ui::TrashDialog& dialog = openTrash();
        QTRY_COMPARE(dialog.list().topLevelItemCount(), 1);
        dialog.list().selectAll();
        QSignalSpy refused(&m_window->bench().control, &ui::RunControl::refused);
        dialog.restoreSelected();
        QTRY_COMPARE(refused.count(), 1);
        QVERIFY2(refused.front()[1].toString().contains("restore the run first"), qPrintable(refused.front()[1].toString()));
        QCOMPARE(inTrash().size(), 1);
    }
};

ATELIER_UI_TEST_MAIN(WindowTrashTest)
#include "tst_window_trash.moc"
