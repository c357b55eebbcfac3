// E7: runs of other programs, imported in the window.
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/base/background.h"
#include "ui/import_dialog.h"
#include "ui/runs/runs_view.h"

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeWidget>

#include <filesystem>
#include <fstream>
#include <iterator>

using launcher::RunState;
using ui_test::button;
using ui_test::OpenWindow;

namespace {

const QString kForeign = QStringLiteral(ATELIER_SOURCE_DIR "/tests/fixtures/foreign");

}  // namespace

class WindowImportTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::ImportDialog& dialog() { return *(*m_window)->findChild<ui::ImportDialog*>(); }
    QPushButton& importButton() { return *dialog().findChild<QPushButton*>(QStringLiteral("importButton")); }
    QTreeWidget& list() { return *dialog().findChild<QTreeWidget*>(); }

    /// Types a path, and waits for the list of what is there.
    void look(const QString& path, int runs)
    {
        auto* const edit = dialog().findChild<QLineEdit*>();
        edit->setText(path);
        QTest::keyClick(edit, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(list().topLevelItemCount(), runs, ui_test::kTimeoutMs);
        QTRY_COMPARE(importButton().isEnabled(), runs > 0);
    }

    void import()
    {
        QSignalSpy done(&dialog(), &ui::ImportDialog::imported);
        QTest::mouseClick(&importButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(done.size(), 1, ui_test::kTimeoutMs);
    }

private Q_SLOTS:
    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_window = std::make_unique<OpenWindow>(m_home->home());
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E7_anEmptyWindowOffersToImport()
    {
        QPushButton* offer = nullptr;
        QTRY_VERIFY((offer = button((*m_window)->runsView(), QStringLiteral("Import runs…"))));
        QTest::mouseClick(offer, Qt::LeftButton);
        QVERIFY(ui_test::emptySentence(dialog()).startsWith(QStringLiteral("Choose a folder with TensorBoard's event files")));
        look(kForeign, 6);
        QCOMPARE(importButton().text(), QStringLiteral("Import 6 runs"));
        list().topLevelItem(0)->setCheckState(0, Qt::Unchecked);
        QCOMPARE(importButton().text(), QStringLiteral("Import 5 runs"));
        import();
        QCOMPARE(dialog().note(), QStringLiteral("5 runs were imported."));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.entries().size(), std::size_t(5), ui_test::kTimeoutMs);
        for (const ui::RunEntry& entry : m_window->bench().runs.entries())
            QVERIFY(m_window->becomes(entry.id(), RunState::Imported));
        QVERIFY(list().topLevelItem(1)->text(2).contains(QStringLiteral("32 values; 1 histogram was left out")));

        // The first one is shown, with where it comes from, and cannot be resumed.
        const QString id = QString::fromStdString(m_window->bench().runs.entry(m_window->bench().selection.inspected())->row.id);
        QVERIFY(id.startsWith(QStringLiteral("plain-")));
        auto* const cause = (*m_window)->findChild<QLabel*>(QStringLiteral("causeText"));
        QTRY_VERIFY2_WITH_TIMEOUT(cause->text().startsWith(QStringLiteral("Imported from TensorBoard (")), qPrintable(cause->text()), ui_test::kTimeoutMs);
        QVERIFY(!(*m_window)->findChild<QPushButton*>(QStringLiteral("resumeButton"))->isVisible());
        QVERIFY(!m_window->action("run.resume")->isEnabled());
        QVERIFY(m_window->action("run.resume")->toolTip().contains(QStringLiteral("another program has recorded it")));

        look(kForeign, 6);
        import();
        QCOMPARE(dialog().note(), QStringLiteral("1 run was imported. 5 are here already."));
    }

    /// A table of several runs, as Weights & Biases' website writes it, and one that is damaged.
    void E7_tables()
    {
        m_window->action("app.import")->trigger();
        look(kForeign + QStringLiteral("/tables/wandb_export.csv"), 2);
        QCOMPARE(list().topLevelItem(0)->text(0), QStringLiteral("swift-bird-1"));
        QCOMPARE(list().topLevelItem(0)->text(1), QStringLiteral("CSV"));
        import();
        QCOMPARE(dialog().note(), QStringLiteral("2 runs were imported."));
        QCOMPARE(list().topLevelItem(1)->text(2), QStringLiteral("16 values"));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.entries().size(), std::size_t(2), ui_test::kTimeoutMs);
        for (const ui::RunEntry& entry : m_window->bench().runs.entries()) {
            QVERIFY(m_window->becomes(entry.id(), RunState::Imported));
            QCOMPARE(entry.row.lastStep, 11);
        }
        const std::filesystem::path bad = m_home->home().data / "bad.csv";
        std::ofstream(bad) << "step,loss\n1,0.5\n2,0.4,7\n";
        look(QString::fromStdString(bad.string()), 1);
        import();
        QCOMPARE(dialog().note(), QStringLiteral("0 runs were imported. 1 could not be imported."));
        QVERIFY2(list().topLevelItem(0)->text(2).endsWith(QStringLiteral("bad.csv: line 3: has 3 cells, where the first line has 2")), qPrintable(list().topLevelItem(0)->text(2)));
        QCOMPARE(m_window->bench().runs.entries().size(), std::size_t(2));
    }

    void E7_allAreTickedOrNone()
    {
        m_window->action("app.import")->trigger();
        look(kForeign, 6);
        auto* const all = dialog().findChild<QCheckBox*>();
        QCOMPARE(all->checkState(), Qt::Checked);
        QTest::mouseClick(all, Qt::LeftButton, {}, QPoint(8, all->height() / 2));
        QCOMPARE(all->checkState(), Qt::Unchecked);
        QVERIFY(!importButton().isEnabled());
        list().topLevelItem(3)->setCheckState(0, Qt::Checked);
        QCOMPARE(all->checkState(), Qt::PartiallyChecked);
        QCOMPARE(importButton().text(), QStringLiteral("Import 1 run"));
        QTest::mouseClick(all, Qt::LeftButton, {}, QPoint(8, all->height() / 2));
        QCOMPARE(importButton().text(), QStringLiteral("Import 6 runs"));
    }

    /// The run that is being read may still appear, the others do not.
    void E7_closingCancels()
    {
        m_window->action("app.import")->trigger();
        look(kForeign, 6);
        QTest::mouseClick(&importButton(), Qt::LeftButton);
        dialog().close();
        QTRY_VERIFY(!(*m_window)->findChild<ui::ImportDialog*>());
        const std::filesystem::path incoming = m_home->home().data / "incoming";
        QTRY_VERIFY(!std::filesystem::exists(incoming) || std::filesystem::is_empty(incoming));
        QVERIFY(ui::backgroundPool().waitForDone(ui_test::kTimeoutMs));
        const auto runs = std::filesystem::directory_iterator(m_home->home().runs());
        QVERIFY(std::distance(begin(runs), end(runs)) <= 1);
    }

    void E7_whatCannotBeImportedIsSaid()
    {
        m_window->action("app.import")->trigger();
        m_window->action("app.import")->trigger();
        QCOMPARE((*m_window)->findChildren<ui::ImportDialog*>().size(), 1);
        look(QStringLiteral("/nowhere"), 0);
        QTRY_VERIFY_WITH_TIMEOUT(dialog().note().startsWith(QStringLiteral("/nowhere cannot be read")), ui_test::kTimeoutMs);
        QCOMPARE(ui_test::emptySentence(dialog()), QStringLiteral("Nothing to import was found there."));
        const std::filesystem::path source = m_home->home().data / "source";
        std::filesystem::create_directories(source);
        std::filesystem::copy_file(kForeign.toStdString() + "/trackio/drawing.db", source / "a.wandb");
        look(QString::fromStdString(source.string()), 1);
        import();
        QCOMPARE(dialog().note(), QStringLiteral("0 runs were imported. 1 could not be imported."));
        QVERIFY(list().topLevelItem(0)->text(2).endsWith(QStringLiteral("a.wandb: is not the log of a Weights & Biases run")));

        for (int i = 0; i < 9; ++i)
            std::ofstream(source / ("damaged-" + std::to_string(i) + ".db")) << "SQLite format 3" << '\0' << "and so on";
        look(QString::fromStdString(source.string()), 1);
        QTRY_COMPARE_WITH_TIMEOUT(dialog().note().count(QLatin1Char('\n')), 5, ui_test::kTimeoutMs);
        QVERIFY2(dialog().note().endsWith(QStringLiteral("\n4 more folders and files cannot be read.")), qPrintable(dialog().note()));
    }
};

ATELIER_UI_TEST_MAIN(WindowImportTest)
#include "tst_window_import.moc"
