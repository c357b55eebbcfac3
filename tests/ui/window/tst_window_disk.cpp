// E12: what occupies the disk, and making room, in the window.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "launcher/home/trash.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/disk/clean_up_panel.h"
#include "ui/disk/disk_dialog.h"
#include "ui/disk/surplus_model.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>

#include <filesystem>
#include <fstream>

using ui_test::button;
using ui_test::OpenWindow;

namespace fs = std::filesystem;

namespace {

void writeFile(const fs::path& path, std::size_t bytes)
{
    fs::create_directories(path.parent_path());
    std::ofstream(path) << std::string(bytes, 'x');
}

void addCheckpoint(const contract::RunFolder& run, std::int64_t step, double loss)
{
    writeFile(run.checkpoint(step) / "rank-0.safetensors", 100'000);
    contract::CheckpointManifest manifest;
    manifest.run = run.id();
    manifest.step = step;
    manifest.metrics = {{"validation/loss", loss}};
    manifest.fileBytes = {{"rank-0.safetensors", 100'000}};
    contract::writeManifest(run.checkpoint(step), manifest);
}

}  // namespace

class WindowDiskTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<contract::RunFolder> m_large, m_small;
    std::unique_ptr<OpenWindow> m_window;

    ui::DiskDialog& open()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        [&] { QTRY_COMPARE(m_window->bench().runs.rowCount(), 2); }();
        m_window->action("app.disk")->trigger();
        return dialog();
    }
    ui::DiskDialog& dialog() { return *(*m_window)->findChild<ui::DiskDialog*>(); }
    QPushButton& moveButton() { return *dialog().findChild<QPushButton*>(QStringLiteral("cleanUpButton")); }
    QAbstractItemModel& runs() { return *dialog().table().model(); }
    QString cell(int row, int column) { return runs().index(row, column).data().toString(); }

    /// "large/step-100 …" of the checkpoints that would be moved.
    QStringList preview()
    {
        QStringList names;
        const ui::SurplusModel& model = dialog().cleanUp().model();
        for (int row = 0; row < model.rowCount(); ++row)
            names << model.index(row, 0).data().toString() + '/' + model.index(row, 1).data().toString().mid(5);
        names.sort();
        return names;
    }
    static QStringList stepsOf(const contract::RunFolder& run)
    {
        QStringList steps;
        for (const std::int64_t step : run.checkpointSteps())
            steps << QString::number(step);
        return steps;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_STEP_MS", "10");
    }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_large = std::make_unique<contract::RunFolder>(m_home->writeRun("large-20261121-100000-aaaa", 100, "finished"));
        m_small = std::make_unique<contract::RunFolder>(m_home->writeRun("small-20261121-100001-bbbb", 100, "finished"));
        for (const int step : {100, 200, 300, 400, 500})
            addCheckpoint(*m_large, step, step == 200 ? 0.1 : 0.5);
        for (const int step : {150, 300})
            addCheckpoint(*m_small, step, 1);
        writeFile(m_large->checkpoint(100) / contract::kPinFile, 0);
        writeFile(m_small->samples() / "a.png", 3'000'000);
    }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void E12_bytesAreShownByRunAndKind()
    {
        open();
        QTRY_COMPARE(runs().rowCount(), 2);
        QAbstractItemModelTester tester(&runs(), QAbstractItemModelTester::FailureReportingMode::QtTest);
        // The largest first.
        QTRY_COMPARE(cell(0, 0), QStringLiteral("small"));
        QCOMPARE(cell(0, 2), QStringLiteral("3.0 MB"));
        QVERIFY2(cell(0, 6).startsWith("3.") && cell(0, 6).endsWith("MB"), qPrintable(cell(0, 6)));
        QCOMPARE(cell(1, 0), QStringLiteral("large"));
        QVERIFY2(cell(1, 1).startsWith("50") && cell(1, 1).endsWith("kB"), qPrintable(cell(1, 1)));
        QCOMPARE(cell(1, 2), QStringLiteral("–"));
        QVERIFY2(dialog().summary().contains(" in all (runs 3.") && dialog().summary().endsWith("are free."), qPrintable(dialog().summary()));
        dialog().table().sortByColumn(1, Qt::DescendingOrder);
        QCOMPARE(cell(0, 0), QStringLiteral("large"));
        m_window->action("app.disk")->trigger();
        QCOMPARE((*m_window)->findChildren<ui::DiskDialog*>().size(), 1);
        dialog().table().selectRow(1);
        QTest::mouseClick(button(dialog(), "Show checkpoints"), Qt::LeftButton);
        QCOMPARE(m_window->bench().selection.inspected(), QString::fromStdString(m_small->id()));
        QCOMPARE((*m_window)->tabs().tabText((*m_window)->tabs().currentIndex()), QStringLiteral("Checkpoints"));
    }

    void E12_theRulesArePreviewed_data()
    {
        QTest::addColumn<bool>("isLast");
        QTest::addColumn<int>("every");
        QTest::addColumn<int>("best");
        QTest::addColumn<QString>("direction");
        QTest::addColumn<QStringList>("moved");
        // 100 is pinned, 500 and 300 the latest.
        QTest::newRow("E12 the last two") << true << 0 << 0 << "lowest" << QStringList {"large/200", "large/300"};
        QTest::newRow("E12 every 200") << false << 200 << 0 << "lowest" << QStringList {"large/300", "small/150"};
        QTest::newRow("E12 the best") << false << 0 << 1 << "lowest" << QStringList {"large/300", "large/400", "small/150"};
        QTest::newRow("E12 the two highest") << false << 0 << 2 << "highest" << QStringList {"large/200", "large/300"};
        QTest::newRow("E12 no rule") << false << 0 << 0 << "lowest" << QStringList {};
    }
    void E12_theRulesArePreviewed()
    {
        QFETCH(bool, isLast);
        QFETCH(int, every);
        QFETCH(int, best);
        QFETCH(QString, direction);
        QFETCH(QStringList, moved);
        open();
        const auto boxes = dialog().cleanUp().findChildren<QCheckBox*>();
        const auto spins = dialog().cleanUp().findChildren<QSpinBox*>();
        boxes.at(0)->setChecked(isLast);
        boxes.at(1)->setChecked(every > 0);
        boxes.at(2)->setChecked(best > 0);
        spins.at(1)->setValue(std::max(1, every));
        spins.at(2)->setValue(std::max(1, best));
        dialog().findChildren<QComboBox*>().at(1)->setCurrentText(direction);
        QTRY_COMPARE(preview(), moved);
        QTRY_COMPARE(moveButton().isEnabled(), !moved.isEmpty());
        if (!isLast && every + best == 0)
            QTRY_COMPARE(ui_test::emptySentence(dialog().cleanUp()), QStringLiteral("Tick a rule to see which checkpoints it would not keep."));
    }

    void E12_checkpointsAreMovedAndComeBack()
    {
        open();
        QTRY_COMPARE(preview(), QStringList({"large/200", "large/300"}));
        QVERIFY2(moveButton().text().startsWith("Move 2 checkpoints, 20"), qPrintable(moveButton().text()));
        QTest::mouseClick(&moveButton(), Qt::LeftButton);
        QTRY_COMPARE(stepsOf(*m_large), QStringList({"100", "400", "500"}));
        QTRY_VERIFY2(dialog().cleanUp().note().startsWith("2 checkpoints, 20"), qPrintable(dialog().cleanUp().note()));
        QTRY_COMPARE(launcher::trashItems(m_home->home()).size(), std::size_t(2));
        QTRY_VERIFY2(dialog().summary().contains(", trash 20"), qPrintable(dialog().summary()));
        QTRY_COMPARE(preview(), QStringList());
        QTRY_VERIFY(cell(1, 1).startsWith("30"));
        QTest::mouseClick(button(dialog(), "Undo"), Qt::LeftButton);
        QTRY_COMPARE(stepsOf(*m_large), QStringList({"100", "200", "300", "400", "500"}));
        QTRY_COMPARE(preview(), QStringList({"large/200", "large/300"}));
        QVERIFY(!button(dialog(), "Undo"));
    }

    void E12_theRulesApplyToTheSelectedRuns()
    {
        open();
        QTRY_COMPARE(preview(), QStringList({"large/200", "large/300"}));
        auto& last = *dialog().findChildren<QSpinBox*>().at(0);
        last.selectAll();
        QTest::keyClicks(&last, "1\r");  // Return does not close the window
        QTRY_COMPARE(preview().size(), 4);
        QVERIFY(preview().contains("small/150"));
        dialog().table().selectRow(0);
        QTRY_COMPARE(preview(), QStringList("small/150"));
        QTest::mouseClick(&moveButton(), Qt::LeftButton);
        QTRY_COMPARE(stepsOf(*m_small), QStringList("300"));
        QCOMPARE(stepsOf(*m_large).size(), 5);
        // What is selected stays selected while sizes are read again.
        QTRY_COMPARE(dialog().table().selectionModel()->selectedRows().size(), 1);
    }

    void E12_activeRunsAreLeftAlone()
    {
        open();
        const QString id = m_window->start(ui_test::plainExperiment(100'000));
        QVERIFY(!id.isEmpty());
        const contract::RunFolder active(m_home->home().runs() / id.toStdString());
        for (const int step : {1, 2, 3})
            addCheckpoint(active, step, 1);
        QTest::mouseClick(button(dialog(), "Reload"), Qt::LeftButton);
        QTRY_COMPARE(dialog().cleanUp().note(), QStringLiteral("1 active run is left alone; it keeps its checkpoints itself."));
        QCOMPARE(preview(), QStringList({"large/200", "large/300"}));
        for (int row = 0; row < 3; ++row) {  // the active run alone
            if (runs().index(row, 0).data(Qt::ToolTipRole) == id)
                dialog().table().selectRow(row);
        }
        QTRY_COMPARE(preview(), QStringList());
        QCOMPARE(ui_test::emptySentence(dialog().cleanUp()), QStringLiteral("The rules keep every checkpoint."));
    }

    void E12_aDamagedCheckpointIsLeftAlone()
    {
        writeFile(m_large->checkpoint(200) / contract::kManifestFile, 5);
        open();
        QTRY_COMPARE(preview(), QStringList("large/300"));
        QCOMPARE(dialog().cleanUp().note(), QStringLiteral("1 checkpoint is left alone because it cannot be read."));
    }

    void E12_runsAreMovedToTheTrash()
    {
        open();
        QTRY_COMPARE(runs().rowCount(), 2);
        auto& trash = *dialog().findChild<QPushButton*>(QStringLiteral("trashRuns"));
        QVERIFY(!trash.isEnabled());
        dialog().table().selectRow(0);
        QCOMPARE(trash.text(), QStringLiteral("Move 1 run to the trash"));
        QTRY_VERIFY(m_window->entry(QString::fromStdString(m_small->id()))->status);
        QTest::mouseClick(&trash, Qt::LeftButton);
        QTRY_COMPARE(m_window->bench().runs.rowCount(), 1);
        QTRY_COMPARE(runs().rowCount(), 1);
        QVERIFY(!fs::exists(m_small->root()));
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_COMPARE(runs().rowCount(), 2);
    }
};

ATELIER_UI_TEST_MAIN(WindowDiskTest)
#include "tst_window_disk.moc"
