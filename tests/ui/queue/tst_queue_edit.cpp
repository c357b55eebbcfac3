// Changing a run that waits in the queue, in the window (E1): the real window, scheduler and supervisors over fake ranks.
#include "engine/contract/attempt/attempt.h"
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/queue/queue_view.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QTreeView>

#include <signal.h>

#include <memory>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class QueueEditTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }
    ui::QueueView& view() { return *(*m_window)->findChild<ui::QueueView*>(); }

    contract::Experiment experimentOf(const QString& id)
    {
        return contract::experimentOf(contract::RunFolder(m_home->home().runs() / id.toStdString()), 1);
    }
    QStringList order()
    {
        QStringList runs;
        for (const launcher::QueueEntry& entry : launcher::readQueue(m_home->home()).waiting)
            runs << QString::fromStdString(entry.run);
        return runs;
    }

    /// Queues runs of so many steps that the first one, which starts, never ends. @return their ids
    QStringList queue(int count)
    {
        QStringList ids;
        connect(&m_window->bench().control, &ui::RunControl::queued, this, [&ids](const QString& id) { ids << id; });
        for (int i = 0; i < count; ++i) {
            m_window->bench().control.queue(ui_test::plainExperiment(100'000'000));
            if (!QTest::qWaitFor([&] { return ids.size() == i + 1; }, kTimeoutMs))
                return {};
        }
        disconnect(&m_window->bench().control, &ui::RunControl::queued, this, nullptr);
        const bool isStarted = m_window->becomes(ids.front(), RunState::Running)
            && QTest::qWaitFor([&] { return view().model().rowOf(ids.last()) >= 0; }, kTimeoutMs) && m_window->becomes(ids.last(), RunState::Queued);
        return isStarted ? ids : QStringList();
    }

    void select(const QString& run)
    {
        (*m_window)->findChild<QDockWidget*>("queueDock")->raise();
        QTRY_VERIFY_WITH_TIMEOUT(view().table().isVisible(), kTimeoutMs);
        view().table().clearSelection();
        view().table().selectionModel()->select(
            view().model().index(view().model().rowOf(run), 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        view().table().setFocus();
    }

    /// The window that edits the run; nullptr: there is none.
    ui::LaunchWindow* editor(const QString& run)
    {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            auto* const launch = qobject_cast<ui::LaunchWindow*>(widget);
            if (launch && launch->isVisible() && launch->windowTitle().startsWith(run))
                return launch;
        }
        return nullptr;
    }
    ui::LaunchWindow* edit(const QString& run)
    {
        select(run);
        m_window->action("queue.edit")->trigger();
        const bool isOpen = QTest::qWaitFor([&] { return editor(run) && !editor(run)->draft().isChecking(); }, kTimeoutMs);
        return isOpen ? editor(run) : nullptr;
    }

    static void type(ui::LaunchWindow& window, const char* key, const QString& typed)
    {
        window.form().goTo(QLatin1String(key));
        auto* const field = window.form().findChild<QLineEdit*>(QLatin1String(key));
        field->selectAll();
        QTest::keyClicks(field, typed);
    }
    static QPushButton& saveButton(ui::LaunchWindow& window) { return *window.findChild<QPushButton*>(QStringLiteral("startButton")); }
    static QString message(ui::LaunchWindow& window) { return window.findChild<QLabel*>(QStringLiteral("launchMessage"))->text(); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_STEP_MS", "20");
    }
    void init() { m_home = std::make_unique<ui_test::TestHome>(); }
    void cleanup()
    {
        m_window.reset();
        std::filesystem::remove(m_home->home().state / "queue.json");  // without a queue no run that ends starts another scheduler
        if (const pid_t process = launcher::schedulerProcess(m_home->home()))
            ::kill(process, SIGKILL);
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void E1_aQueuedRunIsEditedInItsPlace_data()
    {
        QTest::addColumn<QString>("way");
        for (const char* way : {"key", "button", "runs table"})
            QTest::newRow(way) << way;
    }
    /// The draft of a new experiment, which is open beside it, stays.
    void E1_aQueuedRunIsEditedInItsPlace()
    {
        QFETCH(QString, way);
        open();
        const QStringList ids = queue(3);
        QCOMPARE(ids.size(), 3);
        ui::LaunchWindow& other = (*m_window)->openLaunchWindow();
        type(other, "optim.lr", QStringLiteral("0.125"));
        const QString draft = other.draft().toml();

        if (way == "key") {
            select(ids[1]);
            QTest::keyClick(&view().table(), Qt::Key_E, Qt::ControlModifier);
        } else if (way == "button") {
            select(ids[1]);
            QVERIFY(m_window->action("queue.edit")->isEnabled());
            m_window->action("queue.edit")->trigger();
        } else {
            (*m_window)->openRun(ids[0]);
            QTRY_VERIFY_WITH_TIMEOUT(!m_window->action("run.editQueued")->isEnabled(), kTimeoutMs);  // it trains
            (*m_window)->openRun(ids[1]);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->action("run.editQueued")->isEnabled(), kTimeoutMs);
            m_window->action("run.editQueued")->trigger();
        }
        QTRY_VERIFY_WITH_TIMEOUT(editor(ids[1]) != nullptr, kTimeoutMs);
        ui::LaunchWindow& window = *editor(ids[1]);
        QCOMPARE(window.draft().fieldText("run.total_steps"), QStringLiteral("100000000"));
        QTRY_COMPARE_WITH_TIMEOUT(saveButton(window).text(), QString("Save in the queue"), kTimeoutMs);
        auto* const command = window.findChild<QLineEdit*>(QStringLiteral("commandLine"));
        QVERIFY(!command->isEnabled());  // nothing differs
        type(window, "run.total_steps", QStringLiteral("77"));
        QCOMPARE(command->text(), QStringLiteral("atelier queue edit %1 --set run.total_steps=77").arg(ids[1]));
        saveButton(window).click();
        QTRY_VERIFY_WITH_TIMEOUT(editor(ids[1]) == nullptr, kTimeoutMs);

        QCOMPARE(experimentOf(ids[1]).integer("run.total_steps"), 77);
        QCOMPARE(order(), ids.mid(1));
        QCOMPARE(other.draft().toml(), draft);
        QVERIFY(other.draft().isEdited());
        QCOMPARE(m_window->bench().runs.entries().size(), std::size_t(3));
        QVERIFY(edit(ids[1]));
        QCOMPARE(editor(ids[1])->draft().fieldText("run.total_steps"), QStringLiteral("77"));
        QVERIFY(!editor(ids[1])->draft().isEdited());
    }

    /// M2: neither the end of the window nor a start meanwhile loses what was typed.
    void M2_E1_whatWasTypedOutlivesTheWindow()
    {
        open();
        const QStringList ids = queue(2);
        QCOMPARE(ids.size(), 2);
        ui::LaunchWindow* window = edit(ids[1]);
        QVERIFY(window);
        type(*window, "run.total_steps", QStringLiteral("88"));
        type(*window, "optim.lr", QStringLiteral("abc"));
        m_window.reset();
        open();
        QVERIFY(m_window->becomes(ids[1], RunState::Queued));
        QTRY_VERIFY_WITH_TIMEOUT(view().model().rowOf(ids[1]) >= 0, kTimeoutMs);
        QCOMPARE(experimentOf(ids[1]).integer("run.total_steps"), 100'000'000);
        window = edit(ids[1]);
        QVERIFY(window);
        QCOMPARE(window->draft().fieldText("run.total_steps"), QStringLiteral("88"));
        QCOMPARE(window->draft().fieldText("optim.lr"), QStringLiteral("abc"));
        QVERIFY2(message(*window).contains("Your changes from before"), qPrintable(message(*window)));
        QCOMPARE(saveButton(*window).text(), QString("Save – 1 problem left"));
    }

    void E1_aRunThatHasStartedIsQueuedAsANewOne()
    {
        open();
        const QStringList ids = queue(2);
        QCOMPARE(ids.size(), 2);
        ui::LaunchWindow* window = edit(ids[1]);
        QVERIFY(window);
        type(*window, "run.total_steps", QStringLiteral("99000"));
        m_window->bench().queue.startNow({ids[1]});
        QVERIFY(m_window->becomes(ids[1], RunState::Running));
        saveButton(*window).click();
        QTRY_VERIFY2_WITH_TIMEOUT(message(*window).contains("has started, so its experiment stays as it is"), qPrintable(message(*window)), kTimeoutMs);
        QVERIFY(window->isVisible());
        QCOMPARE(window->draft().fieldText("run.total_steps"), QStringLiteral("99000"));
        QCOMPARE(experimentOf(ids[1]).integer("run.total_steps"), 100'000'000);
        window->findChild<QAction*>(QStringLiteral("addToQueue"))->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(order().size(), 1, kTimeoutMs);
        QCOMPARE(experimentOf(order().front()).integer("run.total_steps"), 99'000);
        QTRY_VERIFY_WITH_TIMEOUT(editor(ids[1]) == nullptr, kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(QueueEditTest)
#include "tst_queue_edit.moc"
