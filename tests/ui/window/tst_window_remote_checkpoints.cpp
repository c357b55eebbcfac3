// E13: checkpoints on another machine, and what its trash holds.
#include "launcher/home/trash.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/remote_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/checkpoint/difference_dialog.h"
#include "ui/checkpoint/export_there_dialog.h"
#include "ui/checkpoint/tensor_model.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QAction>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>

#include <signal.h>
#include <utility>

using launcher::RunState;
using tests::contentOf;
using ui_test::kTimeoutMs;

class WindowRemoteCheckpointsTest : public QObject, ui_test::RemoteWindow {
    Q_OBJECT

private:
    /// A run with checkpoints of steps 10 and 20, shown in the tab Checkpoints.
    ui::CheckpointsView& openCheckpoints()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        for (const int step : {10, 20})
            tests::writeCheckpoint(run.checkpoint(step), {{{"out.bias", "F32", {2}}, {3, 4 + float(step)}}}, {});
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const view = m_window->window().findChild<ui::CheckpointsView*>();
        m_window->window().tabs().setCurrentWidget(view);
        return *view;
    }

    /// Makes commands that begin with one of @p words, as in "checkpoints verify", take for ever there.
    void makeEndless(const QStringList& words)
    {
        const QString pids = there().writeFile(QStringLiteral("endless"), {});
        const QString program = there().writeFile(QStringLiteral("slow"),
            "#!/bin/sh\ncase \"$1 $2\" in '" + words.join("'|'").toUtf8() + "') echo $$ >> '" + pids.toUtf8()
                + "'; exec sleep 1000;; esac\nexec '" + there().program().toUtf8() + "' \"$@\"\n");
        QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
        m_machine->setEnvironment("ATELIER_PROGRAM='" + program.toUtf8() + "'");
        m_endless = pids;
    }
    /// How many of these commands have begun, and how many of them have not ended.
    std::pair<int, int> endless() const
    {
        std::pair<int, int> count {0, 0};
        for (const QByteArray& pid : contentOf(m_endless.toStdString()).split('\n')) {
            if (pid.isEmpty())
                continue;
            ++count.first;
            const QByteArray stat = contentOf(("/proc/" + pid + "/stat").toStdString());
            count.second += stat.isEmpty() || stat.contains(") Z ") ? 0 : 1;
        }
        return count;
    }
    QString m_endless;

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

    void E13_checkpointsAreHandledWhereTheyAre()
    {
        ui::CheckpointsView* const view = &openCheckpoints();
        const contract::RunFolder run = there().onlyRun();
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 2, kTimeoutMs);
        view->showStep(20);
        auto* const tensors = view->findChild<ui::TensorModel*>();
        QTRY_COMPARE(tensors->rowCount(), 1);  // by the manifest, which is copied
        view->verifySelected();
        QTRY_COMPARE_WITH_TIMEOUT(view->message(), QStringLiteral("step-20 is intact."), kTimeoutMs);
        view->togglePinned();
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.checkpoint(20) / "PINNED"), kTimeoutMs);
        const auto isPinned = [&] { return view->model().checkpoint(view->model().checkpoint(0).step == 20 ? 0 : 1).isPinned; };
        QTRY_VERIFY_WITH_TIMEOUT(isPinned(), kTimeoutMs);

        view->exportSelected();
        auto* const dialog = view->findChild<ui::ExportThereDialog*>();
        QVERIFY(dialog);
        auto* const folder = dialog->findChild<QLineEdit*>(QStringLiteral("exportFolder"));
        auto* const note = dialog->findChild<QLabel*>(QStringLiteral("exportNote"));
        QPushButton* const start = ui_test::button(*dialog, QStringLiteral("Export"));
        folder->setText(QStringLiteral("relative"));
        QVERIFY(!start->isEnabled());
        const QString full = QFileInfo(there().writeFile(QStringLiteral("occupied"), "x")).absolutePath();
        folder->setText(full);
        start->click();
        QTRY_VERIFY_WITH_TIMEOUT(note->text().startsWith("Nothing complete was written."), kTimeoutMs);
        folder->setText(full + "/exported; touch evil");
        start->click();
        QTRY_VERIFY_WITH_TIMEOUT(note->text().startsWith("Written on " + host()), kTimeoutMs);
        QVERIFY(QFileInfo::exists(full + "/exported; touch evil/model.safetensors"));
        dialog->close();

        view->table().selectAll();
        view->compareSelected();
        auto* const difference = view->findChild<ui::DifferenceDialog*>();
        QTRY_VERIFY_WITH_TIMEOUT(difference->summary().contains("1 of 2 values changed; the largest change is 10"), kTimeoutMs);
        difference->close();

        view->showStep(10);
        view->deleteSelected();
        QTRY_VERIFY_WITH_TIMEOUT(!std::filesystem::exists(run.checkpoint(10)), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 1, kTimeoutMs);
        QCOMPARE(view->message(), "Moved to the trash of " + host() + ". Undo restores it.");
    }

    void E13_whatIsDeletedThereIsRestoredFromHere()
    {
        ui::CheckpointsView& view = openCheckpoints();
        const contract::RunFolder run = there().onlyRun();
        const QString id = QString::fromStdString(run.id());
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        const auto hasCheckpoint = [&](int step) { return std::filesystem::exists(run.checkpoint(step) / "manifest.json"); };
        // Both together, and both come back together.
        view.table().selectAll();
        view.deleteSelected();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 0, kTimeoutMs);
        QVERIFY(!hasCheckpoint(10) && !hasCheckpoint(20));
        QToolButton* undo = nullptr;
        for (auto* const each : view.findChildren<QToolButton*>())
            undo = each->text() == "Undo" ? each : undo;
        QTRY_VERIFY_WITH_TIMEOUT(undo->isVisible(), kTimeoutMs);
        undo->click();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QVERIFY(hasCheckpoint(10) && hasCheckpoint(20));
        QTRY_VERIFY_WITH_TIMEOUT(!undo->isVisible(), kTimeoutMs);
        // A run, in the same way.
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!std::filesystem::exists(run.root()) && !m_window->entry(id), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->action("edit.undo")->isEnabled() && m_window->action("edit.undo")->text() == "&Undo move to trash", kTimeoutMs);
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.root()) && m_window->stateOf(id) == RunState::Finished, kTimeoutMs);
        // What was deleted twice, by others, is told apart.
        m_window->window().openRun(id);
        there().runWell({"checkpoints", "remove", id, "--step", "10"});
        tests::writeCheckpoint(run.checkpoint(10), {{{"out.bias", "F32", {2}}, {7, 8}}}, {});
        there().runWell({"checkpoints", "remove", id, "--step", "10"});
        const auto trashed = launcher::trashItems(there().home());
        QCOMPARE(trashed.size(), std::size_t {2});
        m_window->action("run.openTrash")->trigger();
        auto* const dialog = m_window->window().findChild<ui::TrashDialog*>();
        QCOMPARE(dialog->windowTitle(), "Trash of " + host());
        QTRY_COMPARE_WITH_TIMEOUT(dialog->list().topLevelItemCount(), 2, kTimeoutMs);
        QCOMPARE(dialog->list().topLevelItem(1)->text(0), id + "/step-10");
        QVERIFY(dialog->list().topLevelItem(1)->text(1) != "0 B");
        dialog->list().topLevelItem(1)->setSelected(true);
        ui_test::button(*dialog, QStringLiteral("Restore"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(dialog->list().topLevelItemCount(), 1, kTimeoutMs);
        QVERIFY(hasCheckpoint(10) && !std::filesystem::exists(trashed[1].place) && std::filesystem::exists(trashed[0].place));
        dialog->askEmpty();
        QTRY_VERIFY(ui_test::button(*dialog, QStringLiteral("Delete for good")));
        ui_test::button(*dialog, QStringLiteral("Delete for good"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(ui_test::emptySentence(*dialog), QStringLiteral("The trash is empty."), kTimeoutMs);
        QVERIFY(!std::filesystem::exists(trashed[0].place) && hasCheckpoint(10));
        QTRY_VERIFY2(m_window->window().statusBar()->currentMessage().startsWith("1 item was deleted for good, "), qPrintable(m_window->window().statusBar()->currentMessage()));
        // Without a connection it says so.
        m_machine->setReachable(false);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::errorSentence(*dialog).contains("connection"), kTimeoutMs);
    }

    void E13_whoWaitsForTheMachineMayCancel_data()
    {
        QTest::addColumn<QString>("how");
        QTest::newRow("by the button") << "button";
        QTest::newRow("by closing") << "close";
        QTest::newRow("because the connection breaks") << "break";
    }
    void E13_whoWaitsForTheMachineMayCancel()
    {
        QFETCH(QString, how);
        makeEndless({"checkpoints verify", "checkpoints diff", "checkpoints export"});
        ui::CheckpointsView& view = openCheckpoints();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        const auto isConnected = [&] { return label() == "Connected to " + host(); };
        const auto breakIfWanted = [&] {
            if (how != "break")
                return;
            ::kill(m_machine->servers().at(0), SIGKILL);
            QTRY_VERIFY_WITH_TIMEOUT(!isConnected(), kTimeoutMs);
        };

        view.table().selectAll();
        view.verifySelected();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(1, 1), kTimeoutMs);
        QToolButton* cancel = nullptr;
        for (auto* const each : view.findChildren<QToolButton*>())
            cancel = each->isVisible() && each->text() == "Cancel" ? each : cancel;
        QVERIFY(cancel);
        breakIfWanted();
        if (how != "break")
            cancel->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(1, 0), kTimeoutMs);  // nor is the second checkpoint read
        QTRY_VERIFY(!cancel->isVisible());
        if (how != "break")
            QCOMPARE(view.message(), QStringLiteral("The verification was cancelled."));
        else
            QVERIFY2(!view.message().contains("intact"), qPrintable(view.message()));

        QTRY_VERIFY_WITH_TIMEOUT(isConnected(), kTimeoutMs);
        view.table().selectAll();
        view.compareSelected();
        auto* const difference = view.findChild<ui::DifferenceDialog*>();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(2, 1), kTimeoutMs);
        breakIfWanted();
        if (how == "close")
            difference->close();
        if (how == "button") {
            QTRY_VERIFY(ui_test::button(*difference, QStringLiteral("Cancel")));
            ui_test::button(*difference, QStringLiteral("Cancel"))->click();
        }
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(2, 0), kTimeoutMs);
        if (how == "button")
            QTRY_COMPARE(ui_test::errorSentence(*difference), QStringLiteral("The checkpoints could not be compared. The comparison was cancelled."));
        if (how != "close")
            difference->close();

        QTRY_VERIFY_WITH_TIMEOUT(isConnected(), kTimeoutMs);
        view.showStep(20);
        QTRY_VERIFY(view.table().selectionModel()->selectedRows().size() == 1);
        view.exportSelected();
        auto* const dialog = view.findChild<ui::ExportThereDialog*>();
        dialog->findChild<QLineEdit*>(QStringLiteral("exportFolder"))->setText(QStringLiteral("/nowhere"));
        ui_test::button(*dialog, QStringLiteral("Export"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(3, 1), kTimeoutMs);
        breakIfWanted();
        if (how == "close")
            delete dialog;
        if (how == "button")
            ui_test::button(*dialog, QStringLiteral("Cancel"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(3, 0), kTimeoutMs);
        if (how == "button") {
            QTRY_COMPARE(text(*dialog, "exportNote"), QStringLiteral("The export was cancelled. Nothing complete was written."));
            ui_test::button(*dialog, QStringLiteral("Close"))->click();
            QTRY_VERIFY(!view.findChild<ui::ExportThereDialog*>());
        }
    }

    void E13_whatChangesSomethingThereIsFinished()
    {
        // The command is in the middle of something when the machine that asked for it goes.
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        tests::writeCheckpoint(run.checkpoint(10), {{{"out.bias", "F32", {2}}, {3, 4}}}, {});
        const QString begun = there().writeFile(QStringLiteral("begun"), {});
        const QString program = there().writeFile(QStringLiteral("slow"),
            "#!/bin/sh\n[ \"$2\" = pin ] && { echo >> '" + begun.toUtf8() + "'; until [ -e '" + begun.toUtf8() + ".go' ]; do sleep 0.05; done; }\nexec '"
                + there().program().toUtf8() + "' \"$@\"\n");
        QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
        m_machine->setEnvironment("ATELIER_PROGRAM='" + program.toUtf8() + "'");
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const view = m_window->window().findChild<ui::CheckpointsView*>();
        m_window->window().tabs().setCurrentWidget(view);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 1, kTimeoutMs);
        view->togglePinned();
        QTRY_VERIFY_WITH_TIMEOUT(!contentOf(begun.toStdString()).isEmpty(), kTimeoutMs);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(label() != "Connected to " + host(), kTimeoutMs);
        there().writeFile(QStringLiteral("begun.go"), {});
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.checkpoint(10) / "PINNED"), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(view->model().checkpoint(0).isPinned, kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowRemoteCheckpointsTest)
#include "tst_window_remote_checkpoints.moc"
