// M11: damaged and former checkpoints in the tab Checkpoints, and deleting without a question (§5).
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_bar.h"
#include "ui/checkpoint/checkpoints_view.h"

#include <QMessageBox>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QToolButton>

#include <fstream>

using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace fs = std::filesystem;

class WindowCheckpointsTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;
    std::optional<contract::RunFolder> m_run;
    ui::CheckpointsView* m_view = nullptr;

    void write(const fs::path& folder) const { tests::writeCheckpoint(folder, {{{"out.bias", "F32", {2}}, {3, 4}}}, {}); }

    /// Shows the tab when @p rows checkpoints are listed.
    void open(int rows)
    {
        m_home->ingest();
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(QString::fromStdString(m_run->id()));
        m_view = (*m_window)->findChild<ui::CheckpointsView*>();
        (*m_window)->tabs().setCurrentWidget(m_view);
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), rows, kTimeoutMs);
    }
    /// "step-10 latest", in the order of the model.
    QStringList rows() const
    {
        QStringList all;
        const ui::CheckpointModel& model = m_view->model();
        for (int row = 0; row < model.rowCount(); ++row) {
            const QString name = QString::fromStdString(fs::path(model.checkpoint(row).path).filename().string());
            all << (name + " " + model.index(row, ui::CheckpointModel::Marks).data().toString()).trimmed();
        }
        return all;
    }
    void select(const QString& name) const
    {
        const QAbstractItemModel& sorted = *m_view->table().model();
        for (int row = 0; row < sorted.rowCount(); ++row) {
            m_view->table().selectRow(row);
            const auto step = sorted.index(row, ui::CheckpointModel::Step).data(ui::CheckpointModel::SortRole).toLongLong();
            const bool isFormer = sorted.index(row, ui::CheckpointModel::Marks).data().toString().contains("former");
            if (name == QStringLiteral("step-%1").arg(step) + (isFormer ? "-former-1" : ""))
                return;
        }
        QFAIL(qPrintable(name + " is not there"));
    }
    bool can(const QString& text) const
    {
        const auto buttons = m_view->findChild<ui::CheckpointsBar*>()->findChildren<QToolButton*>();
        const auto found = std::ranges::find(buttons, text, &QToolButton::text);
        return found != buttons.end() && (*found)->isEnabled() && !(*found)->isHidden();
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_run.emplace(m_home->writeRun("digits-20261121-100000-aaaa", 60, "finished"));
        for (const int step : {10, 20})
            write(m_run->checkpoint(step));
    }
    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void M11_damagedAndFormerCheckpointsAreListedVerifiedAndDeleted()
    {
        write(m_run->checkpoint(30));
        fs::resize_file(m_run->checkpoint(30) / contract::kManifestFile, 20);
        write(m_run->checkpoint(40));
        fs::remove(m_run->checkpoint(40) / contract::kManifestFile);
        const fs::path former = m_run->formerCheckpoint(10, 1);
        write(former);
        std::ofstream(former / contract::kPinFile).close();
        open(5);
        QCOMPARE(rows().mid(0, 3), QStringList({"step-10", "step-10-former-1 former · ⚑ pinned", "step-20 latest"}));
        QVERIFY2(rows()[3].startsWith("step-30 damaged: "), qPrintable(rows()[3]));
        QVERIFY2(rows()[4].startsWith("step-40 damaged: "), qPrintable(rows()[4]));

        select("step-30");
        QVERIFY(can("Verify") && can("Open folder") && can("Delete"));
        QVERIFY(!can("Resume from here") && !can("Export…"));
        m_view->verifySelected();
        QTRY_VERIFY2_WITH_TIMEOUT(m_view->message().contains("manifest.json"), qPrintable(m_view->message()), kTimeoutMs);
        m_view->deleteSelected();
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), 4, kTimeoutMs);
        QVERIFY(!fs::exists(m_run->checkpoint(30)));
        m_view->undoDelete();
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), 5, kTimeoutMs);

        select("step-40");
        m_view->deleteSelected();
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), 4, kTimeoutMs);

        select("step-10-former-1");
        QVERIFY(can("Verify") && can("Export…") && can("Unpin"));
        QVERIFY(!can("Resume from here"));
        m_view->verifySelected();
        QTRY_COMPARE_WITH_TIMEOUT(m_view->message(), QStringLiteral("step-10-former-1 is intact."), kTimeoutMs);
        m_view->togglePinned();
        QTRY_COMPARE_WITH_TIMEOUT(rows()[1], QStringLiteral("step-10-former-1 former"), kTimeoutMs);
        m_view->deleteSelected();
        QTRY_COMPARE_WITH_TIMEOUT(rows().size(), 3, kTimeoutMs);
        QVERIFY(!fs::exists(former) && fs::exists(m_run->checkpoint(10)));
    }

    void M11_oneThatIsDamagedMeanwhileStaysInTheList()
    {
        open(2);
        fs::remove(m_run->checkpoint(20) / contract::kManifestFile);
        m_home->ingest();
        QTRY_VERIFY2_WITH_TIMEOUT(rows()[1].startsWith("step-20 damaged: "), qPrintable(rows().join('\n')), kTimeoutMs);
        QCOMPARE(rows()[0], QStringLiteral("step-10 latest"));
    }

    void section5_deletingCheckpointsDoesNotAskAndOffersUndo()
    {
        open(2);
        m_view->table().setFocus();
        m_view->table().selectAll();
        QVERIFY(!can("Undo"));
        QTest::keyClick(&m_view->table(), Qt::Key_Delete);
        QVERIFY(!m_view->findChild<QMessageBox*>());
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), 0, kTimeoutMs);
        QVERIFY(!fs::exists(m_run->checkpoint(10)) && !fs::exists(m_run->checkpoint(20)));
        QVERIFY2(m_view->message().startsWith("2 checkpoints with ") && m_view->message().endsWith("Undo restores them."), qPrintable(m_view->message()));
        QVERIFY(can("Undo"));
        m_view->table().setFocus();
        QTest::keyClick(&m_view->table(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(m_view->model().rowCount(), 2, kTimeoutMs);
        QVERIFY(fs::exists(m_run->checkpoint(10)) && fs::exists(m_run->checkpoint(20)));
    }
};

ATELIER_UI_TEST_MAIN(WindowCheckpointsTest)
#include "tst_window_checkpoints.moc"
