// N5: what went wrong first in a run that failed, on one page in the window, which can be copied.
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/failure_dialog.h"

#include <QApplication>
#include <QClipboard>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>

#include <csignal>
#include <fstream>

using launcher::RunState;
using ui_test::button;
using ui_test::OpenWindow;

class WindowFailureTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_WORKER", FAKE_WORKER); }

    void N5_theRankThatCrashedIsNamed()
    {
        const ui_test::TestHome home;
        OpenWindow window(home.home());
        qputenv("FAKE_DO", "crash");
        qputenv("FAKE_RANK", "1");
        qputenv("FAKE_CODE", QByteArray::number(SIGSEGV));
        qputenv("FAKE_STEP", "60");
        const QString id = window.start(ui_test::plainExperiment(500));
        QVERIFY(!id.isEmpty() && window.becomes(id, RunState::Failed));
        for (const char* name : {"FAKE_DO", "FAKE_RANK", "FAKE_CODE", "FAKE_STEP"})
            qunsetenv(name);
        const contract::RunFolder folder(home.home().runs() / id.toStdString());
        std::ofstream(folder.log(1), std::ios::app) << "Segmentation fault <b>of the layer</b>\n";

        window.bench().selection.setInspected(id);
        QTRY_VERIFY(button(window.window(), "What went wrong…"));
        QVERIFY(window.action("run.failure")->isEnabled());
        button(window.window(), "What went wrong…")->click();
        auto* page = window->findChild<ui::FailureDialog*>();
        QVERIFY(page);
        QTRY_VERIFY_WITH_TIMEOUT(!page->text().isEmpty(), ui_test::kTimeoutMs);
        QVERIFY2(page->text().contains("Rank 1 crashed (signal 11, invalid memory access) after step 60"), qPrintable(page->text()));
        QCOMPARE(page->findChild<QTreeWidget*>()->topLevelItem(0)->text(0), QString("0"));
        QVERIFY(page->findChild<QPlainTextEdit*>()->toPlainText().endsWith("Segmentation fault <b>of the layer</b>"));
        button(*page, "Copy")->click();
        QCOMPARE(QApplication::clipboard()->text(), page->text());
        page->close();
    }

    void N5_theRanksOfAStalledRunAreShown()
    {
        const ui_test::TestHome home;
        OpenWindow window(home.home());
        qputenv("FAKE_DO", "hang");
        qputenv("FAKE_RANK", "1");
        qputenv("FAKE_STEP", "30");
        contract::Experiment experiment = ui_test::plainExperiment(100'000);
        experiment.set("launch.stall_after", std::int64_t {5});
        const QString id = window.start(experiment);
        QVERIFY(!id.isEmpty() && window.becomes(id, RunState::Stalled));
        for (const char* name : {"FAKE_DO", "FAKE_RANK", "FAKE_STEP"})
            qunsetenv(name);
        window.bench().selection.setInspected(id);
        QTRY_VERIFY(button(window.window(), "Show ranks…"));
        QVERIFY(!button(window.window(), "What went wrong…"));
        button(window.window(), "Show ranks…")->click();
        auto* page = window->findChild<ui::FailureDialog*>();
        QVERIFY(page);
        QTRY_VERIFY_WITH_TIMEOUT(!page->text().isEmpty(), ui_test::kTimeoutMs);
        QVERIFY2(page->text().contains("Furthest behind: rank ") && page->text().contains("\n  its process sleeps: it waits"), qPrintable(page->text()));
        QVERIFY(page->windowTitle().startsWith(QStringLiteral("What the ranks do")));
        const QTreeWidget& others = *page->findChild<QTreeWidget*>();
        QCOMPARE(others.topLevelItemCount(), 1);
        QCOMPARE(others.topLevelItem(0)->text(4), QStringLiteral("its process sleeps: it waits"));
        page->close();
        ::kill(*ui_test::supervisorProcess(contract::RunFolder(home.home().runs() / id.toStdString())), SIGKILL);
        QVERIFY(window.becomes(id, RunState::Interrupted));
    }

    void N5_aRunThatHasNotFailedOffersNoPage()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 10, "finished");
        home.ingest();
        OpenWindow window(home.home());
        const QString id = QString::fromStdString(run.id());
        QTRY_VERIFY_WITH_TIMEOUT(window.stateOf(id) == RunState::Finished, ui_test::kTimeoutMs);
        window.bench().selection.setInspected(id);
        QTRY_COMPARE(window.action("run.failure")->toolTip().contains("This run has not failed or stalled"), true);
        QVERIFY(!window.action("run.failure")->isEnabled());
        QVERIFY(!button(window.window(), "What went wrong…"));
    }
};

ATELIER_UI_TEST_MAIN(WindowFailureTest)
#include "tst_window_failure.moc"
