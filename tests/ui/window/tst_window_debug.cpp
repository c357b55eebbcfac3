// E14: the debug package in the window, with what it holds and what was removed.
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/debug/debug_dialog.h"

#include <QAction>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTreeWidget>

#include <filesystem>
#include <fstream>

using ui_test::OpenWindow;

class WindowDebugTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    ui::DebugDialog& dialog() { return *(*m_window)->findChild<ui::DebugDialog*>(); }
    QTreeWidgetItem* row(const char* name) { return dialog().list().findItems(QLatin1String(name), Qt::MatchExactly).value(0); }

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier"); }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        const auto run = m_home->writeRun("digits-20261121-100000-aaaa", 10, "failed", "rank 1 was killed");
        std::filesystem::create_directories(run.logs());
        std::ofstream(run.log(0)) << "first\nAPI_KEY=abcdef and token=ghi\n";
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(QString::fromStdString(run.id()));
        QTRY_VERIFY(m_window->entry(m_window->bench().selection.inspected()));
        m_window->action("run.debug")->trigger();
        QTRY_VERIFY(dialog().list().topLevelItemCount() > 0);
    }

    void cleanup()
    {
        m_window.reset();
        m_home.reset();
    }

    void E14_whatIsHandedOnIsShown()
    {
        QVERIFY(row("about.txt") && row("failure.txt") && row("doctor.txt") && row("journal/rank-0.jsonl"));
        QVERIFY2(dialog().preview().contains("cause: rank 1 was killed"), qPrintable(dialog().preview()));
        dialog().list().setCurrentItem(row("logs/rank-0.log"));
        QCOMPARE(dialog().preview(), QStringLiteral("first\nAPI_KEY=[removed] and token=[removed]\n"));
        QCOMPARE(row("logs/rank-0.log")->text(2), QStringLiteral("2"));
        // Also in failure.txt, which repeats the last lines.
        QVERIFY2(dialog().note().contains("Passwords and tokens were removed in 4 places."), qPrintable(dialog().note()));
    }

    void E14_whatIsTickedIsWritten()
    {
        row("doctor.txt")->setCheckState(0, Qt::Unchecked);
        const QString files = QString::number(dialog().list().topLevelItemCount() - 1);
        QVERIFY2(dialog().note().contains("holds " + files + " files"), qPrintable(dialog().note()));
        const QTemporaryDir folder;
        QSignalSpy saved(&dialog(), &ui::DebugDialog::saved);
        dialog().save(folder.filePath("a.tar.gz"));
        QTRY_COMPARE(saved.size(), 1);
        QCOMPARE(saved[0][1].toString(), QString());
        QVERIFY(dialog().note().startsWith(folder.filePath("a.tar.gz") + " was written."));
        QProcess tar;
        tar.start("tar", {"-tzf", folder.filePath("a.tar.gz")});
        QVERIFY(tar.waitForFinished());
        const QByteArray names = tar.readAllStandardOutput();
        QCOMPARE(names.count('\n'), files.toInt());
        QVERIFY2(names.contains("digits-20261121-100000-aaaa-debug/logs/rank-0.log\n") && !names.contains("doctor.txt"), names);
        dialog().save(QStringLiteral("/nowhere/a.tar.gz"));
        QTRY_COMPARE(saved.size(), 2);
        QVERIFY2(dialog().note().contains("/nowhere/a.tar.gz"), qPrintable(dialog().note()));
    }

    void E14_nothingIsWrittenWhenNothingIsTicked()
    {
        auto* const save = dialog().findChild<QPushButton*>(QStringLiteral("saveDebugPackage"));
        QVERIFY(save->isEnabled());
        for (int at = 0; at < dialog().list().topLevelItemCount(); ++at)
            dialog().list().topLevelItem(at)->setCheckState(0, Qt::Unchecked);
        QVERIFY(!save->isEnabled());
    }
};

ATELIER_UI_TEST_MAIN(WindowDebugTest)
#include "tst_window_debug.moc"
