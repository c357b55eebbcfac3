// E11: by Tab alone through every part of the window, the launch window and the dialogs: in the order in which they are read, with a name
// for each control, a focus that is seen, and no trap.
#include "engine/contract/run/journal_writer.h"
#include "launcher/queue/queue.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/focus_walk.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/logs/log_view.h"
#include "ui/logs/logs_dock.h"
#include "ui/plot/plots_view.h"
#include "ui/queue/queue_view.h"
#include "ui/runs/runs_view.h"
#include "ui/steps/rank_map.h"
#include "ui/steps/steps_view.h"

#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QImage>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>
#include <QTreeView>

#include <fstream>
#include <functional>

using launcher::RunState;
using ui_test::OpenWindow;
namespace metric = contract::metric;

namespace {

const QString kDigits = QStringLiteral("digits-20261121-100000-aaaa");
const QString kEndedBefore = QStringLiteral("done-20261121-090000-bbbb");

/// A run of which every view has something to show.
void writeFullRun(const ui_test::TestHome& home)
{
    const contract::RunFolder run = home.writeRun(kDigits.toStdString(), 0, "failed", "Rank 1 was killed (signal 9) after step 30");
    for (int rank = 0; rank < 2; ++rank) {
        contract::JournalHeader header;
        header.run = run.id();
        header.rank = rank;
        contract::JournalWriter journal(run.journal(rank), header);
        std::ofstream log(run.log(rank), std::ios::app);
        for (int step = 1; step <= 30; ++step) {
            journal.begin(contract::record::kStep, step).add("loss", 1.0 / step).add("grad_norm", 2.0 / step);
            journal.add(metric::kForwardTime, 10.0).add(metric::kStepTime, 30.0).add(metric::kCommunicationTime, 5.0 * rank).add(metric::kResident, 1e9);
            journal.commit();
            log << "2026-11-21 10:00:" << (step < 10 ? "0" : "") << step << ".000 [info] step " << step << '\n';
            if (rank > 0 || step % 10 != 0)
                continue;
            QImage image(900, 700, QImage::Format_RGB32);
            image.fill(qRgb(step, 90, 90));
            const std::string file = "samples/" + std::to_string(step) + ".png";
            image.save(QString::fromStdString((run.root() / file).string()));
            journal.begin(contract::record::kSample, step).add("file", file).add("prompt", "a red heart").add("seed", std::int64_t {7}).add("guidance", 2.5).add("weights", "ema").commit();
            tests::writeCheckpoint(run.checkpoint(step), {{{"blocks.0.weight", "F32", {4}}, {3, 0, 4, float(step)}}}, {});
        }
    }
    home.ingest();
}

}  // namespace

class WindowFocusTest : public QObject {
    Q_OBJECT

    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    QDockWidget& dock(const char* name)
    {
        auto* const found = (*m_window)->findChild<QDockWidget*>(QLatin1String(name));
        if (!found)
            qFatal("there is no dock %s", name);
        return *found;
    }

    void walk(QWidget& window, int atLeast)
    {
        window.activateWindow();
        QTRY_COMPARE(QApplication::activeWindow(), &window);
        ui_test::FocusWalk walked;
        // Again while what is being read still enables controls.
        const bool isGood = QTest::qWaitFor([&] { return (walked = ui_test::walkByTab(window)).problems.isEmpty(); }, 4000);
        for (const QString& problem : walked.problems)
            qWarning("%s", qPrintable(problem));
        QVERIFY(isGood);
        QVERIFY2(walked.stops >= atLeast, qPrintable(QString::number(walked.stops)));
    }

    /// The window that @p open opens.
    void walkThrough(const std::function<void()>& open, int atLeast)
    {
        m_window->window().activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&m_window->window()));
        const QWidgetList before = QApplication::topLevelWidgets();
        open();
        QWidget* opened = nullptr;
        const auto isOpen = [&] {
            for (QWidget* each : QApplication::topLevelWidgets()) {
                if (each->isVisible() && each != &m_window->window() && each->windowType() != Qt::Popup && each->windowType() != Qt::ToolTip && !before.contains(each))
                    opened = each;
            }
            return opened != nullptr;
        };
        QTRY_VERIFY(isOpen());
        walk(*opened, atLeast);
        opened->close();
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_home->writeRun(kEndedBefore.toStdString(), 10, "finished");
        writeFullRun(*m_home);
        m_window = std::make_unique<OpenWindow>(m_home->home());
        (*m_window)->openRun(kDigits);
        QVERIFY(m_window->becomes(kDigits, RunState::Failed));
        QTRY_VERIFY(!(*m_window)->findChild<ui::PlotsView*>()->panels().empty());
        QTRY_VERIFY((*m_window)->logs().model().count() > 0);
    }

    void cleanupTestCase()
    {
        m_window.reset();
        m_home.reset();
    }

    void E11_everyPartOfTheWindow_data()
    {
        QTest::addColumn<int>("tab");
        QTest::addColumn<QByteArray>("bottom");
        QTest::addColumn<QByteArray>("right");
        QTest::addColumn<int>("inspectorTab");
        QTest::newRow("plots, logs, overview") << 0 << QByteArray("logsDock") << QByteArray("inspectorDock") << 0;
        QTest::newRow("samples, events, notes") << 1 << QByteArray("eventsDock") << QByteArray("inspectorDock") << 1;
        QTest::newRow("checkpoints, system, options") << 2 << QByteArray("systemDock") << QByteArray("inspectorDock") << 2;
        QTest::newRow("compare, steps, differences") << 3 << QByteArray("stepsDock") << QByteArray("inspectorDock") << 3;
        QTest::newRow("data, queue, events") << 4 << QByteArray("queueDock") << QByteArray("inspectorDock") << 4;
        QTest::newRow("plots, steps, metrics") << 0 << QByteArray("stepsDock") << QByteArray("metricsDock") << 0;
    }
    void E11_everyPartOfTheWindow()
    {
        QFETCH(int, tab);
        QFETCH(QByteArray, bottom);
        QFETCH(QByteArray, right);
        QFETCH(int, inspectorTab);
        (*m_window)->tabs().setCurrentIndex(tab);
        dock(bottom.constData()).raise();
        dock(right.constData()).raise();
        dock("inspectorDock").findChild<QTabWidget*>()->setCurrentIndex(inspectorTab);
        QTRY_VERIFY(!dock(bottom.constData()).widget()->visibleRegion().isEmpty());
        if (tab == 1)
            QTRY_VERIFY((*m_window)->findChild<ui::GalleryView*>()->grid().currentSample());
        if (tab == 2)
            QTRY_VERIFY((*m_window)->findChild<ui::CheckpointsView*>()->model().rowCount() > 0);
        if (bottom == "stepsDock")
            QTRY_COMPARE((*m_window)->findChild<ui::StepsView*>()->map().ranks(), 2);
        walk(m_window->window(), 12);
    }

    void E11_theLaunchWindow()
    {
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        for (auto* const pages : launch.findChildren<QTabWidget*>()) {
            for (int page = 0; page < pages->count(); ++page) {
                pages->setCurrentIndex(page);
                walk(launch, 8);
            }
        }
        walk(launch, 8);
        launch.close();
    }

    void E11_theDialogs_data()
    {
        QTest::addColumn<QByteArray>("action");
        for (const char* const action : {"help.keys", "view.palette", "app.import", "run.failure", "run.rules", "run.openTrash", "app.disk", "run.debug",
                 "view.search", "view.columns", "run.tags", "run.project", "run.note", "run.rename", "app.webhook", "app.machine", "run.pack", "help.about", "help.manual",
                 "view.alerts", "view.save", "run.line"})
            QTest::newRow(action) << QByteArray(action);
    }
    void E11_theDialogs()
    {
        QFETCH(QByteArray, action);
        walkThrough([&] { m_window->action(action.constData())->trigger(); }, 1);
    }

    void E11_theDialogsOfSeveralRuns()
    {
        auto& table = *(*m_window)->runsView().findChild<QTreeView*>("runsTable");
        table.selectAll();
        QTRY_COMPARE(table.selectionModel()->selectedRows().size(), 2);
        walkThrough([&] { m_window->action("run.export")->trigger(); }, 3);
        (*m_window)->openRun(kEndedBefore);
        table.clearSelection();
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        walkThrough([&] { m_window->action("run.resume")->trigger(); }, 2);  // how many more steps
        (*m_window)->openRun(kDigits);
    }

    void E11_theDialogsOfCheckpoints()
    {
        (*m_window)->tabs().setCurrentIndex(2);
        auto& checkpoints = *(*m_window)->findChild<ui::CheckpointsView*>();
        QTRY_COMPARE(checkpoints.model().rowCount(), 3);
        const auto select = [&](int rows) {
            checkpoints.table().clearSelection();
            for (int row = 0; row < rows; ++row)
                checkpoints.table().selectionModel()->select(checkpoints.table().model()->index(row, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
        };
        select(2);
        walkThrough([&] { checkpoints.compareSelected(); }, 4);
        select(1);
        walkThrough([&] { checkpoints.exportSelected(); }, 3);
    }

    void E11_theDialogsOfTheLaunchWindow()
    {
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        walkThrough([&] { launch.findChild<QAction*>(QStringLiteral("savePreset"))->trigger(); }, 2);
        launch.draft().setField("run.seed", "1, 2, 3");
        launch.draft().finishField();
        walkThrough([&] { launch.start(); }, 3);  // the table of runs to queue
        launch.draft().revert("run.seed");
        launch.close();
    }

    void E11_theDialogsOfTheQueue()
    {
        launcher::editQueue(m_home->home(), [](launcher::Queue& queue) {
            queue.waiting.push_back({.run = kEndedBefore.toStdString(), .attempt = 2, .gpus = 2, .isHeld = true, .isUrgent = false, .problem = {}});
        });
        dock("queueDock").raise();
        auto& queue = *(*m_window)->findChild<ui::QueueView*>();
        QTRY_COMPARE(queue.model().rowCount(), 1);
        const auto choose = [&] {
            queue.table().selectionModel()->select(queue.model().index(0, 0), QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
            queue.table().setFocus();
        };
        for (const char* const action : {"queue.gpus", "queue.edit"}) {
            choose();
            QTRY_VERIFY(m_window->action(action)->isEnabled());
            walkThrough([&] { m_window->action(action)->trigger(); }, 2);
        }
        launcher::editQueue(m_home->home(), [](launcher::Queue& all) { all.waiting.clear(); });
    }
};

ATELIER_UI_TEST_MAIN(WindowFocusTest)
#include "tst_window_focus.moc"
