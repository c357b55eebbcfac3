// From the launch form to a finished run: the real window, supervisor, ranks over Gloo, and database.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/run/journal.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/gallery/gallery_view.h"
#include "ui/inspector/state_badge.h"
#include "ui/launch/draft.h"
#include "ui/launch/draft_origin.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/more_steps_dialog.h"
#include "ui/plot/canvas/plot_panel.h"
#include "ui/plot/plots_view.h"

#include <QAction>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

constexpr int kEndless = 100'000'000;

contract::Experiment withImages(int steps)
{
    contract::Experiment experiment = ui_test::smallExperiment(steps);
    for (const char* key : {"sample.every", "checkpoint.every", "validation.every"})
        experiment.setText(key, "20");
    return experiment;
}

}  // namespace

class WindowTrainingTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    contract::RunFolder folderOf(const QString& id) const
    {
        return contract::RunFolder(m_home->home().runs() / id.toStdString());
    }

    template <typename View>
    View& show(int tab)
    {
        (*m_window)->tabs().setCurrentIndex(tab);
        return *(*m_window)->findChild<View*>();
    }

    /// How many points the plots draw of a metric of a rank.
    std::size_t drawnPoints(const char* metric, int rank)
    {
        for (ui::PlotPanel* const panel : (*m_window)->findChild<ui::PlotsView*>()->panels()) {
            for (const ui::DrawnLine& line : panel->canvas().lines()) {
                if (line.data->key.metric == metric && line.data->key.rank == rank)
                    return line.data->points.size();
            }
        }
        return 0;
    }

    QString overviewText(const char* row)
    {
        auto* label = (*m_window)->findChild<QLabel*>(QLatin1String(row));
        return label && label->isVisible() ? label->text() : QString();
    }

    void trigger(const char* id)
    {
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->action(id)->isEnabled(), qPrintable(m_window->action(id)->toolTip()), kTimeoutMs);
        m_window->action(id)->trigger();
    }

    void stopsAs(const QString& id, const char* action)
    {
        trigger(action);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id).root().string()).empty(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 10), QString(), kTimeoutMs);
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
    }

    void init()
    {
        m_home = std::make_unique<ui_test::TestHome>();
        m_window = std::make_unique<OpenWindow>(m_home->home());
    }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void m02_m07_m11_m12_fromTheLaunchFormToAFinishedRun()
    {
        constexpr int kSteps = 60;
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        launch.setExperiment({ui::DraftOrigin::Kind::Run, {}, withImages(1)});
        auto* steps = launch.form().findChild<QLineEdit*>(QStringLiteral("run.total_steps"));
        launch.form().goTo(QStringLiteral("run.total_steps"));
        steps->selectAll();
        QTest::keyClicks(steps, QString::number(kSteps));
        QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
        QTest::mouseClick(launch.findChild<QPushButton*>(QStringLiteral("startButton")), Qt::LeftButton);
        QVERIFY(started.wait(kTimeoutMs));
        const QString id = started.front().front().toString();
        QTRY_VERIFY(!launch.isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 10 * kSteps), QString(), kTimeoutMs);

        show<ui::PlotsView>(0);
        for (const char* metric : {contract::metric::kLoss, contract::metric::kGradNorm, contract::metric::kResident})
            QTRY_COMPARE(drawnPoints(metric, 0), std::size_t(kSteps));
        QTRY_COMPARE(drawnPoints(contract::metric::kResident, 1), std::size_t(kSteps));

        ui::GalleryGrid& gallery = show<ui::GalleryView>(1).grid();
        QTRY_COMPARE(gallery.grid().rows(), kSteps / 20);
        QVERIFY(QFile::exists(gallery.currentFile()));
        QTRY_VERIFY(gallery.cache().find(gallery.currentFile()));
        QVERIFY(!gallery.cache().find(gallery.currentFile())->pixels.isNull());

        ui::CheckpointModel& checkpoints = show<ui::CheckpointsView>(2).model();
        QTRY_COMPARE(checkpoints.rowCount(), 3);
        for (int row = 0; row < checkpoints.rowCount(); ++row)
            QVERIFY(std::filesystem::exists(folderOf(id).root() / checkpoints.checkpoint(row).path / contract::kManifestFile));
        QCOMPARE(checkpoints.checkpoint(checkpoints.latestRow()).step, std::int64_t(kSteps));

        QCOMPARE((*m_window)->findChild<ui::StateBadge*>()->word(), QStringLiteral("Finished"));
        QTRY_COMPARE(overviewText("step"), QStringLiteral("60 of 60"));
        for (const char* metric : {contract::metric::kLoss, contract::metric::kGradNorm,
                 contract::metric::kValidationLoss, contract::metric::kImagesPerSecond, "memory"})
            QTRY_VERIFY2(!overviewText(metric).isEmpty(), metric);
    }

    void m05_checkpointAndSampleNowThenStopAndResume()
    {
        const QString id = m_window->start([] {
            contract::Experiment experiment = ui_test::smallExperiment(kEndless);
            experiment.setText("checkpoint.every", "0");
            return experiment;
        }());
        QVERIFY(!id.isEmpty());
        QVERIFY(folderOf(id).checkpointSteps().empty());
        ui::CheckpointModel& checkpoints = show<ui::CheckpointsView>(2).model();
        trigger("run.checkpoint");
        QTRY_COMPARE_WITH_TIMEOUT(checkpoints.rowCount(), 1, kTimeoutMs);
        ui::GalleryGrid& gallery = show<ui::GalleryView>(1).grid();
        QVERIFY(gallery.grid().isEmpty());
        trigger("run.sample");
        QTRY_COMPARE_WITH_TIMEOUT(gallery.grid().rows(), 1, kTimeoutMs);

        stopsAs(id, "run.stop");
        const std::int64_t stopped = folderOf(id).checkpointSteps().back();
        QCOMPARE(launcher::inspectRun(folderOf(id)).step, stopped);
        trigger("run.resume");
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Running), kTimeoutMs);
        QCOMPARE(folderOf(id).readStart(2).parentStep, stopped);
        stopsAs(id, "run.stopNow");
        QTRY_VERIFY(m_window->entry(id)->row.lastStep > stopped);
        QCOMPARE(m_window->entry(id)->row.attempts, 2);
    }

    void m05_aFinishedRunIsResumedWithMoreSteps()
    {
        const QString id = m_window->start(withImages(20));
        QVERIFY(!id.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        trigger("run.resume");
        auto* dialog = (*m_window)->findChild<ui::MoreStepsDialog*>();
        QVERIFY(dialog && dialog->isVisible());
        const QString question = dialog->findChild<QLabel*>()->text();
        QVERIFY2(question.contains(QStringLiteral("20 steps")), qPrintable(question));
        QCOMPARE(folderOf(id).attempts().size(), std::size_t(1));
        dialog->steps().setValue(15);
        dialog->accept();
        QTRY_COMPARE_WITH_TIMEOUT(launcher::inspectRun(folderOf(id)).step, std::int64_t(35), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        QCOMPARE(folderOf(id).attempts().size(), std::size_t(2));

        // The same question where its last checkpoint is chosen by hand.
        auto& view = show<ui::CheckpointsView>(2);
        QTRY_COMPARE(view.model().rowCount(), 2);
        view.table().selectRow(0);
        QCOMPARE(view.table().currentIndex().data().toString(), QStringLiteral("35"));
        view.requestResume();
        QTRY_VERIFY((*m_window)->findChild<ui::MoreStepsDialog*>());
        QCOMPARE(folderOf(id).attempts().size(), std::size_t(2));
    }

    void m05_killEndsEveryProcess()
    {
        const QString id = m_window->start(ui_test::smallExperiment(kEndless));
        QVERIFY(!id.isEmpty());
        trigger("run.kill");
        QTRY_VERIFY((*m_window)->findChild<QMessageBox*>());
        QTest::mouseClick(ui_test::button((*m_window).window(), QStringLiteral("Kill")), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id).root().string()).empty(), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->status && !m_window->entry(id)->isActive(), kTimeoutMs);
        QCOMPARE(m_window->stateOf(id), std::optional(RunState::Stopped));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 10), QString(), kTimeoutMs);
    }

    void delInTheCheckpointsMeansCheckpoints_data()
    {
        QTest::addColumn<int>("steps");
        QTest::newRow("defect-20: Del and Undo in the checkpoints") << 20;
    }
    void delInTheCheckpointsMeansCheckpoints()
    {
        QFETCH(int, steps);
        const QString id = m_window->start(withImages(steps));
        QVERIFY(!id.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        auto& view = show<ui::CheckpointsView>(2);
        QTRY_COMPARE(view.model().rowCount(), 1);
        (*m_window)->activateWindow();
        view.table().setFocus();
        QTRY_VERIFY(view.table().hasFocus());
        view.table().selectRow(0);
        QTest::keyClick(&view.table(), Qt::Key_Delete);
        QTRY_COMPARE(view.model().rowCount(), 0);
        QVERIFY(m_window->entry(id));
    }

    void m05_resumeFromAnOlderCheckpoint()
    {
        const QString id = m_window->start(withImages(45));
        QVERIFY(!id.isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        auto& view = show<ui::CheckpointsView>(2);
        QTRY_COMPARE(view.model().rowCount(), 3);
        view.table().selectRow(view.model().rowCount() - 1);
        const auto chosen = view.table().currentIndex().data().toString();
        QCOMPARE(chosen, QStringLiteral("20"));
        view.requestResume();
        QTRY_VERIFY_WITH_TIMEOUT(folderOf(id).attempts().size() == 2, kTimeoutMs);
        QCOMPARE(QString::number(folderOf(id).readStart(2).parentStep), chosen);
        // The window may still show how the first attempt ended.
        const auto hasFinished = [&] {
            const launcher::RunStatus status = launcher::inspectRun(folderOf(id));
            return status.attempt == 2 && status.state == RunState::Finished;
        };
        QTRY_VERIFY_WITH_TIMEOUT(hasFinished(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 100), QString(), kTimeoutMs);
    }
};

ATELIER_UI_TEST_MAIN(WindowTrainingTest)
#include "tst_window_training.moc"
