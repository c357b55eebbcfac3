// E13: the window on another machine that has a Slurm cluster. The cluster and `atelier serve` are real; a script stands in for ssh.
#include "launcher/state/run_state.h"
#include "tests/app/remote_machine.h"
#include "tests/app/slurm_cluster.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/preflight_list.h"

#include <QAction>
#include <QApplication>
#include <QLabel>
#include <QPushButton>

#include <optional>
#include <unistd.h>

using launcher::RunState;
using tests::SlurmCluster;
using ui_test::OpenWindow;

namespace {

constexpr int kSlurmMs = 60'000;  // the server asks Slurm every ten seconds

}  // namespace

class WindowSlurmRemoteTest : public QObject {
    Q_OBJECT

    std::optional<SlurmCluster> m_cluster;
    std::optional<tests::RemoteMachine> m_machine;
    std::unique_ptr<OpenWindow> m_window;

    tests::AtelierProgram& there() { return m_machine->program(); }
    ui::LaunchWindow* launchWindow()
    {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            if (auto* const launch = qobject_cast<ui::LaunchWindow*>(widget); launch && launch->isVisible())
                return launch;
        }
        return nullptr;
    }
    const launcher::RunStatus* status(const QString& id)
    {
        const ui::RunEntry* const entry = m_window->entry(id);
        return entry && entry->status ? &*entry->status : nullptr;
    }
    QByteArray described(const QString& id)
    {
        const launcher::RunStatus* const now = status(id);
        return now ? QByteArray::fromStdString(std::string(launcher::stateName(now->state)) + " " + now->waitsFor + " " + now->cause + " " + now->place) : "no state";
    }

private Q_SLOTS:
    void initTestCase()
    {
        if (!SlurmCluster::isInstalled())
            QSKIP("Slurm is not installed: Debian's packages slurm-wlm and munge");
        m_cluster.emplace();
        const QString problem = m_cluster->start();
        QVERIFY2(problem.isEmpty(), qPrintable(problem));
    }
    void cleanupTestCase() { m_cluster.reset(); }
    void init()
    {
        m_machine.emplace();
        m_machine->setEnvironment("ATELIER_WORKER='" ATELIER_BIN_DIR "/atelier-worker'");
        qputenv("ATELIER_HOME", QByteArray::fromStdString(m_machine->laptop().data.string()));
    }
    void cleanup()
    {
        SlurmCluster::ask("scancel", {"--user=" + QString::number(::getuid())});
        QTRY_VERIFY_WITH_TIMEOUT(SlurmCluster::ask("squeue", {"--noheader"}).isEmpty(), kSlurmMs);
        m_window.reset();
        m_machine.reset();
    }

    void E13_anExperimentIsSubmittedThereFollowedAndStopped()
    {
        // Another job has both nodes at first.
        const QString other = SlurmCluster::ask("sbatch", {"--parsable", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap=sleep 600"});
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(other), QString("RUNNING"), kSlurmMs);
        m_window = std::make_unique<OpenWindow>(m_machine->mirrorHome(), QSize(1600, 960), m_machine->host());
        m_window->action("experiment.demo")->trigger();
        ui::LaunchWindow* const launch = launchWindow();
        QVERIFY(launch);
        ui::Draft& draft = launch->draft();
        const std::pair<const char*, const char*> settings[] = {{"run.total_steps", "100000000"}, {"model.width", "16"}, {"model.depth", "1"},
            {"model.heads", "2"}, {"batch.micro", "4"}, {"engine.compute_dtype", "fp32"}, {"sample.per_label", "1"}, {"sample.steps", "2"},
            {"sample.judge", "0"}, {"sample.every", "0"}, {"checkpoint.every", "0"}, {"validation.every", "0"}, {"schedule.warmup_steps", "0"},
            {"run.threads", "1"}, {"launch.target", "slurm"}, {"launch.ranks", "4"}, {"slurm.nodes", "2"}};
        for (const auto& [key, value] : settings)
            draft.setField(QLatin1String(key), QLatin1String(value));
        QTRY_VERIFY_WITH_TIMEOUT(!draft.isChecking(), kSlurmMs);
        QVERIFY2(draft.problems().empty(), draft.problems().empty() ? "" : draft.problems().front().message.c_str());
        launch->start();
        QTRY_COMPARE_WITH_TIMEOUT(there().runs().size(), 1, kSlurmMs);
        const QString id = there().runs().front();
        QTRY_VERIFY2_WITH_TIMEOUT(status(id) && status(id)->waitsFor.starts_with("Slurm (Resources)"), described(id), kSlurmMs);
        QCOMPARE(m_window->stateOf(id), RunState::Queued);
        QTRY_COMPARE(m_window->bench().selection.inspected(), id);
        QVERIFY(!launch->isVisible());
        const QString job = QString::fromStdString(status(id)->slurmJob);
        QCOMPARE(SlurmCluster::stateOf(job), QString("PENDING"));

        SlurmCluster::ask("scancel", {other});
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running && status(id)->step > 2, described(id), kSlurmMs);
        QTRY_COMPARE_WITH_TIMEOUT(QString::fromStdString(status(id)->place), "Slurm job " + job + " on n[1-2]", kSlurmMs);
        // It is drawn live.
        QTRY_VERIFY_WITH_TIMEOUT(tests::contentOf(m_machine->mirrored(there().onlyRun()).journal(3)).contains("\"type\":\"step\""), kSlurmMs);

        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        m_window->action("run.stop")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Stopped, described(id), kSlurmMs);
        QTRY_COMPARE_WITH_TIMEOUT(SlurmCluster::stateOf(job), QString("COMPLETED"), kSlurmMs);
        QCOMPARE(there().onlyRun().checkpointSteps().size(), std::size_t(1));
    }
};

ATELIER_UI_TEST_MAIN(WindowSlurmRemoteTest)
#include "tst_window_slurm_remote.moc"
