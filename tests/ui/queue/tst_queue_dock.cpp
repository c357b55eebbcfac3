// The queue in the window (E1): the real window, scheduler and supervisors over fake ranks.
#include "launcher/queue/queue.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/queue/plan_axis.h"
#include "ui/queue/queue_plan_view.h"
#include "ui/queue/queue_view.h"

#include <QAction>
#include <QCheckBox>
#include <QDockWidget>
#include <QFile>
#include <QInputDialog>
#include <QMimeData>
#include <QSpinBox>
#include <QTreeView>

#include <signal.h>

#include <memory>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class QueueDockTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }
    ui::QueueView& view() { return *(*m_window)->findChild<ui::QueueView*>(); }

    QStringList waiting()
    {
        QStringList runs;
        for (int row = 0; row < view().model().rowCount(); ++row) {
            if (view().model().waiting(row))
                runs << view().model().runId(row);
        }
        return runs;
    }

    QString cell(const QString& run, int column)
    {
        const ui::QueueModel& model = view().model();
        return model.data(model.index(model.rowOf(run), column), Qt::DisplayRole).toString();
    }

    /// Queues endless runs through the window; the first one starts. @return their ids, the started one first.
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
            && QTest::qWaitFor([&] { return waiting() == ids.mid(1); }, kTimeoutMs);
        return isStarted ? ids : QStringList();
    }

    void select(const QStringList& runs)
    {
        view().table().clearSelection();
        for (const QString& run : runs) {
            const QModelIndex index = view().model().index(view().model().rowOf(run), 0);
            view().table().selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }

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

    void M14_aLowDockShowsItsWholeBar()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home(), QSize(800, 500));
        (*m_window)->findChild<QDockWidget*>("queueDock")->raise();
        const QWidget* const last = view().findChild<QCheckBox*>("queueStopsOnError");
        QTRY_VERIFY(!ui_test::emptySentence(view()).isEmpty());
        QTRY_COMPARE(last->visibleRegion().boundingRect().size(), last->size());
    }

    void e01_theOrderIsChangedByKeysAndByDrag()
    {
        open();
        const QStringList ids = queue(4);
        QCOMPARE(ids.size(), 4);
        QVERIFY(m_window->becomes(ids[3], RunState::Queued));
        QCOMPARE(cell(ids[1], ui::QueueModel::WaitsFor), QString("the active run to end"));

        (*m_window)->findChild<QDockWidget*>("queueDock")->raise();
        QTRY_VERIFY_WITH_TIMEOUT(view().table().isVisible(), kTimeoutMs);
        view().table().setFocus();
        select({ids[3]});
        QTest::keyClick(&view().table(), Qt::Key_Up, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), (QStringList {ids[1], ids[3], ids[2]}), kTimeoutMs);
        QTest::keyClick(&view().table(), Qt::Key_Up, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), (QStringList {ids[3], ids[1], ids[2]}), kTimeoutMs);
        QTest::keyClick(&view().table(), Qt::Key_Up, Qt::AltModifier);  // it is the first already
        select({ids[3], ids[1]});
        QTest::keyClick(&view().table(), Qt::Key_Down, Qt::AltModifier);
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), (QStringList {ids[2], ids[3], ids[1]}), kTimeoutMs);

        auto& model = *view().findChild<ui::QueueModel*>();
        const std::unique_ptr<QMimeData> dragged(model.mimeData({model.index(model.rowOf(ids[1]), 0)}));
        model.dropMimeData(dragged.get(), Qt::MoveAction, model.rowOf(ids[2]), 0, {});
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), (QStringList {ids[1], ids[2], ids[3]}), kTimeoutMs);
    }

    void e01_holdStartNowAndRemove()
    {
        open();
        const QStringList ids = queue(4);
        QCOMPARE(ids.size(), 4);
        QVERIFY(!m_window->action("queue.hold")->isEnabled());
        select({ids[1]});
        m_window->action("queue.hold")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[1], ui::QueueModel::State), QString("Held"), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->action("queue.hold")->text(), QString("&Release"), kTimeoutMs);
        select({ids[2]});
        m_window->action("queue.startNow")->trigger();
        QVERIFY(m_window->becomes(ids[2], RunState::Running));
        select({ids[3]});
        m_window->action("queue.remove")->trigger();
        QVERIFY(m_window->becomes(ids[3], RunState::Prepared));
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QStringList {ids[1]}, kTimeoutMs);
        view().findChild<QSpinBox*>("queueAtOnce")->setValue(3);
        select({ids[1]});
        m_window->action("queue.hold")->trigger();
        QVERIFY(m_window->becomes(ids[1], RunState::Running));
    }

    void section5_startIsAboutRunsThatWaitOrAreOnlyPrepared()
    {
        open();
        const QStringList ids = queue(3);
        QCOMPARE(ids.size(), 3);
        QAction* const start = m_window->action("run.start");
        (*m_window)->openRun(ids[0]);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().actions.reason("run.start"), QString("The run is active already."), kTimeoutMs);
        select({ids[2]});
        m_window->action("queue.remove")->trigger();
        QVERIFY(m_window->becomes(ids[2], RunState::Prepared));
        for (const QString& id : {ids[2], ids[1]}) {
            (*m_window)->openRun(id);
            QTRY_VERIFY_WITH_TIMEOUT(m_window->bench().selection.inspected() == id && start->isEnabled(), kTimeoutMs);
            start->trigger();
            QVERIFY2(m_window->becomes(id, RunState::Running), qPrintable(id));
        }
    }

    void e01_gpusAndWhatAFailureDoesAreSetHere()
    {
        open();
        const QStringList ids = queue(3);
        QCOMPARE(ids.size(), 3);
        auto* const stops = view().findChild<QCheckBox*>("queueStopsOnError");
        QVERIFY(!stops->isChecked());
        stops->click();
        QTRY_VERIFY_WITH_TIMEOUT(launcher::readQueue(m_home->home()).stopsOnError, kTimeoutMs);
        select({ids[1], ids[2]});
        m_window->action("queue.gpus")->trigger();
        auto* const dialog = view().findChild<QInputDialog*>("queueGpus");
        QCOMPARE(dialog->intValue(), 0);
        dialog->setIntValue(2);
        dialog->accept();
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[2], ui::QueueModel::Gpus), QString("2"), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[1], ui::QueueModel::WaitsFor), QString("2 free GPUs"), kTimeoutMs);

        // A failure of the first one holds the others.
        const auto rank = ui_test::rankProcess(contract::RunFolder(m_home->home().runs() / ids[0].toStdString()), 0);
        QVERIFY(rank && ::kill(*rank, SIGKILL) == 0);
        QVERIFY(m_window->becomes(ids[0], RunState::Failed));
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[1], ui::QueueModel::State), QString("Held"), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[2], ui::QueueModel::State), QString("Held"), kTimeoutMs);
    }

    void N12_thePlanShowsTheQueueAsBarsOverTime()
    {
        open();
        const QStringList ids = queue(3);
        QCOMPARE(ids.size(), 3);
        (*m_window)->findChild<QDockWidget*>("queueDock")->raise();
        QTRY_VERIFY_WITH_TIMEOUT(view().table().isVisible(), kTimeoutMs);
        select({ids[2]});
        m_window->action("queue.hold")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(cell(ids[2], ui::QueueModel::State), QString("Held"), kTimeoutMs);
        QVERIFY(m_window->action("queue.hold")->isEnabled());
        m_window->action("queue.plan")->trigger();
        ui::QueuePlanView& plan = view().plan();
        QVERIFY(plan.isVisible() && !view().table().isVisible());
        QVERIFY(!m_window->action("queue.hold")->isEnabled());  // nobody sees what is selected
        const ui::QueuePlanModel& model = plan.model();
        QTRY_COMPARE_WITH_TIMEOUT(model.rowCount(), 3, kTimeoutMs);
        QCOMPARE(model.runId(0), ids[0]);
        const auto cellOf = [&](int row, int column, int role = Qt::DisplayRole) { return model.data(model.index(row, column), role).toString(); };
        QTRY_COMPARE_WITH_TIMEOUT(cellOf(0, ui::QueuePlanModel::Basis), QString("by its steps so far"), kTimeoutMs);
        QVERIFY(cellOf(0, ui::QueuePlanModel::Starts).endsWith(" ago"));
        QCOMPARE(cellOf(2, ui::QueuePlanModel::State), QString("Held"));
        QCOMPARE(cellOf(2, ui::QueuePlanModel::Starts), QString("when it is released"));
        // What the eye sees, the ear hears.
        const QString spoken = cellOf(1, ui::QueuePlanModel::Bar, Qt::AccessibleTextRole);
        QVERIFY2(spoken.contains("Queued. Starts: in ") && spoken.contains("Duration: as run " + ids[0]), qPrintable(spoken));

        // The bar of the run that waits begins where the first one's ends; now is a line through all rows.
        QTreeView& table = plan.table();
        const QRect first = table.visualRect(model.index(0, ui::QueuePlanModel::Bar)), second = table.visualRect(model.index(1, ui::QueuePlanModel::Bar));
        const ui::PlanAxis axis(first, model.span());
        QTRY_VERIFY_WITH_TIMEOUT(model.bar(0).end && model.bar(1).start == *model.bar(0).end, kTimeoutMs);
        const QImage image = table.viewport()->grab().toImage();
        const auto colourAt = [&](double x, const QRect& row) { return image.pixelColor(int(x), row.center().y() + 1); };
        const QColor base = colourAt(axis.x(axis.begin()) + 1, second);
        const double now = axis.x({}), end = axis.x(*model.bar(0).end);
        QVERIFY(colourAt((now + end) / 2, first) != base);
        QCOMPARE(image.pixelColor(int(now), second.top() + 1), table.palette().color(QPalette::Text));
        QCOMPARE(image.pixelColor(int((now + end) / 2), second.top() + 1), image.pixelColor(int(now) + 3, second.top() + 1));  // nothing before its start

        m_window->action("queue.plan")->trigger();
        QVERIFY(view().table().isVisible());
    }

    void e01_theLaunchWindowAddsToTheQueue()
    {
        open();
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        QTRY_VERIFY_WITH_TIMEOUT(!launch.draft().isChecking(), kTimeoutMs);
        launch.findChild<QAction*>("addToQueue")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!launch.isVisible(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->bench().runs.entries().size(), std::size_t(1), kTimeoutMs);
        const QString id = m_window->bench().runs.entries().front().id();
        QVERIFY(m_window->becomes(id, RunState::Running) || m_window->becomes(id, RunState::Finished));
    }

    /// M6, E1: the queue goes on without a window, and the next window goes on with a queue whose scheduler was killed.
    void e01_theQueueOutlivesTheWindow()
    {
        open();
        const QStringList ids = queue(2);
        QCOMPARE(ids.size(), 2);
        m_window.reset();
        ::kill(launcher::schedulerProcess(m_home->home()), SIGKILL);
        const contract::RunFolder first(m_home->home().runs() / ids[0].toStdString());
        QVERIFY(ui_test::endRuns(m_home->home()));  // as after a restart of the machine
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(first).state, RunState::Interrupted, kTimeoutMs);
        open();
        QVERIFY(m_window->becomes(ids[1], RunState::Running));
    }

    void m14_anEmptyAndADamagedQueueSaySo()
    {
        open();
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::emptySentence(view()).startsWith("No run waits."), kTimeoutMs);
        QFile file(QString::fromStdString((m_home->home().state / "queue.json").string()));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("[") > 0);
        file.close();
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::errorSentence(view()).contains("cannot be parsed; move the file away"), kTimeoutMs);
        QVERIFY(file.remove());
        QTRY_COMPARE_WITH_TIMEOUT(ui_test::errorSentence(view()), QString(), kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(QueueDockTest)
#include "tst_queue_dock.moc"
