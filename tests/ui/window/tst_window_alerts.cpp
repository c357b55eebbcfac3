// E9: the window lists what has happened in all runs, counts what is unread, and leads to the run and the step.
#include "engine/contract/run/journal_writer.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/runs/launch.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/notify/alerts_button.h"
#include "ui/notify/alerts_dialog.h"
#include "ui/notify/alerts_model.h"
#include "ui/notify/notifications.h"
#include "ui/plot/plots_view.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTest>
#include <QTreeView>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

ui::AlertsModel& alertsOf(OpenWindow& window) { return *window->findChild<ui::AlertsModel*>(); }
ui::AlertsButton& buttonOf(OpenWindow& window) { return *window->findChild<ui::AlertsButton*>(); }

/// "digits: Failed", newest first.
QStringList rowsOf(OpenWindow& window)
{
    const ui::AlertsModel& model = alertsOf(window);
    QStringList rows;
    for (int row = 0; row < model.rowCount(); ++row)
        rows << model.index(row, ui::AlertsModel::Run).data().toString() + ": " + model.index(row, ui::AlertsModel::What).data().toString();
    return rows;
}

ui::AlertsDialog* openList(OpenWindow& window)
{
    QTest::mouseClick(&buttonOf(window), Qt::LeftButton);
    return window->findChild<ui::AlertsDialog*>();
}

}  // namespace

class WindowAlertsTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { qputenv("ATELIER_WORKER", FAKE_WORKER); }

    /// The window starts the real scheduler, which cannot start the run.
    void E9_E1_theWindowTellsWhatTheQueueCouldNotStart()
    {
        const ui_test::TestHome home;
        OpenWindow window(home.home());
        const auto end = qScopeGuard([&] {
            std::filesystem::remove(home.home().state / "queue.json");
            if (const pid_t process = launcher::schedulerProcess(home.home()))
                ::kill(process, SIGKILL);
        });
        QSignalSpy raised(&window->findChild<ui::Notifications*>()->alerts(), &ui::RunAlerts::raised);
        QTRY_COMPARE_WITH_TIMEOUT(window.bench().queue.state().reasons.size(), std::size_t(0), kTimeoutMs);
        QString id;
        {
            const auto run = launcher::createRun(home.home(), ui_test::plainExperiment(5));
            std::filesystem::remove_all(run.folder.root() / "logs");
            std::ofstream(run.folder.root() / "logs") << "in the way";
            id = QString::fromStdString(run.folder.id());
            launcher::editQueue(home.home(), [&](launcher::Queue& queue) { queue.waiting.push_back({.run = run.folder.id(), .problem = {}}); });
        }
        home.ingest();
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), QStringList {"small: Could not be started"}, kTimeoutMs);
        QCOMPARE(buttonOf(window).text(), QStringLiteral("1"));
        QVERIFY(window.becomes(id, RunState::Queued));
        const QString details = alertsOf(window).index(0, ui::AlertsModel::Details).data().toString();
        QVERIFY2(details.contains("logs") && details.contains("release the run in the queue"), qPrintable(details));
        QCOMPARE(raised.count(), 1);
        QCOMPARE(raised[0][0].value<ui::Alert>().title, QStringLiteral("small could not be started"));
        ui::AlertsDialog* const dialog = openList(window);
        dialog->list().setCurrentIndex(dialog->list().model()->index(0, 0));
        ui_test::button(*dialog, QStringLiteral("&Show"))->click();
        QCOMPARE(window.bench().selection.inspected(), id);
        QCOMPARE(buttonOf(window).text(), QString());
        QCOMPARE(rowsOf(window).size(), 1);

        // When the cause is away and the run is released, it starts.
        std::filesystem::remove(home.home().runs() / id.toStdString() / "logs");
        window.bench().queue.hold({id}, false);
        QVERIFY(window.becomes(id, RunState::Finished));
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), QStringList({"small: Finished", "small: Could not be started"}), kTimeoutMs);
        QCOMPARE(alertsOf(window).unread(), 1);
        QVERIFY(ui_test::endRuns(home.home()));
    }

    void E9_E1_theWindowTellsThatTheQueueIsHeld()
    {
        const ui_test::TestHome home;
        qputenv("FAKE_DO", "exit");
        const auto unset = qScopeGuard([] { qunsetenv("FAKE_DO"); });
        const auto end = qScopeGuard([&] {
            std::filesystem::remove(home.home().state / "queue.json");
            if (const pid_t process = launcher::schedulerProcess(home.home()))
                ::kill(process, SIGKILL);
        });
        OpenWindow window(home.home());
        QSignalSpy raised(&window->findChild<ui::Notifications*>()->alerts(), &ui::RunAlerts::raised);
        const auto bad = launcher::createRun(home.home(), ui_test::plainExperiment(100)).folder, next = launcher::createRun(home.home(), ui_test::plainExperiment(2)).folder;
        launcher::editQueue(home.home(), [&](launcher::Queue& queue) {
            queue.stopsOnError = true;
            queue.waiting = {{.run = bad.id(), .problem = {}}, {.run = next.id(), .problem = {}}};
        });
        home.ingest();
        QTRY_VERIFY_WITH_TIMEOUT(rowsOf(window).contains("small: The queue is held") && rowsOf(window).contains("small: Failed"), kTimeoutMs);
        QCOMPARE(buttonOf(window).text(), QStringLiteral("2"));
        const int row = int(rowsOf(window).indexOf("small: The queue is held"));
        QCOMPARE(alertsOf(window).alert(row).run, bad.id());
        const QString details = alertsOf(window).index(row, ui::AlertsModel::Details).data().toString();
        QVERIFY2(details.startsWith("the run has failed: ") && details.contains("until you release them"), qPrintable(details));
        QTRY_VERIFY(std::ranges::any_of(raised, [](const auto& each) { return each[0].template value<ui::Alert>().title == "The queue is held after small"; }));
        QCOMPARE(window.stateOf(QString::fromStdString(next.id())), RunState::Queued);
        QVERIFY(ui_test::endRuns(home.home()));
    }

    void E9_unreadAlertsAreCountedAndStayUnreadUntilTheyAreRead()
    {
        const ui_test::TestHome home;
        home.writeRun("old-20261121-090000-aaaa", 60, "finished");
        home.ingest();
        {
            OpenWindow window(home.home());
            new QAbstractItemModelTester(&alertsOf(window), QAbstractItemModelTester::FailureReportingMode::QtTest, &window.window());
            QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), QStringList {"old: Finished"}, kTimeoutMs);
            QCOMPARE(alertsOf(window).unread(), 0);  // it was over before there was a window
            QCOMPARE(buttonOf(window).text(), QString());
            QCOMPARE(buttonOf(window).accessibleName(), QStringLiteral("Alerts, none unread"));
            home.writeRun("new-20261121-100000-bbbb", 60, "failed", "Rank 1 was killed (signal 9)");
            home.writeRun("more-20261121-110000-cccc", 70, "finished");
            home.ingest();
            QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window).size(), 3, kTimeoutMs);
            QTRY_COMPARE(buttonOf(window).text(), QStringLiteral("2"));
            QCOMPARE(buttonOf(window).accessibleName(), QStringLiteral("Alerts, 2 unread"));
        }
        {
            OpenWindow window(home.home());  // the next one
            QTRY_COMPARE_WITH_TIMEOUT(buttonOf(window).text(), QStringLiteral("2"), kTimeoutMs);
            ui::AlertsDialog* const dialog = openList(window);
            QVERIFY(dialog);
            QVERIFY(QTest::qWaitForWindowExposed(dialog));
            QCOMPARE(buttonOf(window).text(), QStringLiteral("2"));  // to open the list is not to have read it
            const QAbstractItemModel& model = *dialog->list().model();
            int failed = 0;
            while (model.index(failed, ui::AlertsModel::Run).data() != "new")
                ++failed;
            QCOMPARE(model.index(failed, ui::AlertsModel::Details).data().toString(), QStringLiteral("Rank 1 was killed (signal 9)"));
            QVERIFY(model.index(failed, ui::AlertsModel::What).data(Qt::FontRole).value<QFont>().bold());
            dialog->list().setCurrentIndex(model.index(failed, 0));
            ui_test::button(*dialog, QStringLiteral("&Show"))->click();
            QCOMPARE(buttonOf(window).text(), QStringLiteral("1"));
            QVERIFY(!model.index(failed, ui::AlertsModel::What).data(Qt::FontRole).isValid());
            ui_test::button(*dialog, QStringLiteral("&Mark all as read"))->click();
            QCOMPARE(alertsOf(window).unread(), 0);
            QVERIFY(!ui_test::button(*dialog, QStringLiteral("&Mark all as read"))->isEnabled());
            QCOMPARE(rowsOf(window).size(), 3);  // what was read stays in the list
        }
        OpenWindow window(home.home());
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window).size(), 3, kTimeoutMs);
        QCOMPARE(alertsOf(window).unread(), 0);
    }

    void E9_timesAndWordsAreShownWhole()
    {
        const ui_test::TestHome home;
        OpenWindow(home.home());  // what comes after the first window is unread, and so in bold
        home.writeRun("digits-20261121-100000-aaaa", 60, "failed", "Rank 1 was killed");
        home.ingest();
        OpenWindow window(home.home());
        QTRY_COMPARE_WITH_TIMEOUT(alertsOf(window).unread(), 1, kTimeoutMs);
        QTreeView& list = openList(window)->list();
        QTRY_VERIFY(list.isVisible());
        for (const int column : {ui::AlertsModel::Time, ui::AlertsModel::What, ui::AlertsModel::Step})
            QTRY_VERIFY(list.columnWidth(column) >= static_cast<QAbstractItemView&>(list).sizeHintForColumn(column));
    }

    void E9_showLeadsToTheRunAndTheStep()
    {
        const ui_test::TestHome home;
        const auto run = home.writeRun("digits-20261121-100000-aaaa", 60, "failed", "Rank 1 was killed");
        home.writeRun("other-20261121-110000-bbbb", 60, "finished");
        home.ingest();
        OpenWindow window(home.home());
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window).size(), 2, kTimeoutMs);
        window->tabs().setCurrentIndex(3);
        window.action("view.alerts")->trigger();
        auto* const dialog = window->findChild<ui::AlertsDialog*>();
        QAbstractItemModel& model = *dialog->list().model();
        const int row = model.index(0, ui::AlertsModel::Run).data() == "digits" ? 0 : 1;
        QCOMPARE(model.index(row, ui::AlertsModel::Step).data().toString(), QStringLiteral("60"));
        dialog->list().setCurrentIndex(model.index(row, 0));
        QTest::keyClick(&dialog->list(), Qt::Key_Return);
        QCOMPARE(window.bench().selection.inspected().toStdString(), run.id());
        QCOMPARE(window->tabs().currentIndex(), 0);
        const ui::PlotViewState& plots = static_cast<ui::PlotsView*>(window->tabs().widget(0))->viewState();
        QTRY_VERIFY_WITH_TIMEOUT(plots.isPinned(), kTimeoutMs);  // once the curves have been read
        QCOMPARE(*plots.cursor(), 60.0);
    }

    /// What happens while the window is open, with a real supervisor: a rule, and an end that nobody has written.
    void E9_whatHappensNowIsListed()
    {
        const ui_test::TestHome home;
        qputenv("FAKE_DO", "diverge");
        const auto unset = qScopeGuard([] { qunsetenv("FAKE_DO"); });
        OpenWindow window(home.home());
        QTRY_COMPARE(alertsOf(window).rowCount(), 0);
        window.action("view.alerts")->trigger();
        auto* const dialog = window->findChild<ui::AlertsDialog*>();
        QVERIFY2(ui_test::emptySentence(*dialog).startsWith("Nothing has happened yet"), qPrintable(ui_test::emptySentence(*dialog)));
        const QString id = window.start(ui_test::plainExperiment(100'000'000));
        QVERIFY(!id.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), QStringList {"small: A rule has fired"}, kTimeoutMs);
        QVERIFY(alertsOf(window).index(0, ui::AlertsModel::Details).data().toString().contains("loss is not finite"));
        QCOMPARE(alertsOf(window).unread(), 1);
        QVERIFY(ui_test::endRuns(home.home()));
        QTRY_COMPARE_WITH_TIMEOUT(rowsOf(window), QStringList({"small: Interrupted", "small: A rule has fired"}), kTimeoutMs);
        QCOMPARE(alertsOf(window).unread(), 2);
        alertsOf(window).markAllRead();
        // A run that goes leaves no alerts behind.
        std::filesystem::remove_all(home.home().runs() / id.toStdString());
        window.bench().store.forget(id);
        QTRY_COMPARE_WITH_TIMEOUT(alertsOf(window).rowCount(), 0, kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowAlertsTest)
#include "tst_window_alerts.moc"
