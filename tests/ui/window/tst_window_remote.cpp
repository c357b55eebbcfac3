// E13: the window on another machine. The machine is a real `atelier serve`, which a script reaches in place of ssh.
#include "launcher/home/presets.h"
#include "launcher/home/trash.h"
#include "launcher/queue/queue.h"
#include "launcher/state/journal_end.h"
#include "tests/app/remote_machine.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/checkpoint/checkpoint_model.h"
#include "ui/checkpoint/checkpoints_view.h"
#include "ui/checkpoint/difference_dialog.h"
#include "ui/checkpoint/export_there_dialog.h"
#include "ui/checkpoint/tensor_model.h"
#include "ui/gallery/gallery_view.h"
#include "ui/gallery/image_view.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/preset_menu.h"
#include "ui/launch/presets_there.h"
#include "ui/queue/queue_plan_model.h"
#include "ui/queue/queue_view.h"
#include "ui/remote/host_dialog.h"
#include "ui/remote/recent_hosts.h"
#include "ui/runs/runs_view.h"
#include "ui/trash_dialog.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QImage>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <fstream>
#include <optional>
#include <signal.h>
#include <utility>

using launcher::RunState;
using tests::contentOf;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class WindowRemoteTest : public QObject {
    Q_OBJECT

private:
    std::optional<tests::RemoteMachine> m_machine;
    std::unique_ptr<OpenWindow> m_window;

    tests::AtelierProgram& there() { return m_machine->program(); }
    void open()
    {
        m_window = std::make_unique<OpenWindow>(m_machine->mirrorHome(), QSize(1600, 960), m_machine->host());
    }
    QString label() { return m_window->window().findChild<QLabel*>(QStringLiteral("remoteLabel"))->text(); }
    QString host() { return QString::fromStdString(m_machine->host().text()); }

    contract::RunFolder startRun()
    {
        const QString file = there().writeFile(QStringLiteral("long.toml"),
            "[run]\nname = \"long\"\ntotal_steps = 1000000\n[launch]\nranks = 2\n[data]\npath = \""
                + there().writeFile(QStringLiteral("data.csv"), "0\n").toUtf8() + "\"\n");
        return there().runWell({QStringLiteral("run"), file, QStringLiteral("--detach")}).exitCode == 0 ? there().onlyRun() : contract::RunFolder("none");
    }

    ui::LaunchWindow* launchWindow()
    {
        for (QWidget* const widget : QApplication::topLevelWidgets()) {
            if (auto* const launch = qobject_cast<ui::LaunchWindow*>(widget); launch && launch->isVisible())
                return launch;
        }
        return nullptr;
    }
    ui::LaunchWindow& openLaunchWindow()
    {
        m_window->action("experiment.new")->trigger();
        return *launchWindow();
    }
    static QStringList pathButtons(QWidget& launch)
    {
        QStringList names;
        for (const QToolButton* const button : launch.findChildren<QToolButton*>()) {
            if (button->accessibleName().startsWith("Choose a f"))
                names << button->accessibleName();
        }
        return names;
    }
    static QString experiment(const QString& name, const QString& data)
    {
        return QStringLiteral("[run]\nname = \"%1\"\ntotal_steps = 1000000\ndevice = \"cpu\"\n[launch]\nranks = 2\n[data]\npath = \"%2\"\n").arg(name, data);
    }
    /// Makes commands that begin with one of @p words, as in "checkpoints verify", take for ever there.
    void makeEndless(const QStringList& words)
    {
        const QString pids = there().writeFile(QStringLiteral("endless"), {});
        const QString program = there().writeFile(QStringLiteral("slow"),
            "#!/bin/sh\ncase \"$1 $2\" in '" + words.join("'|'").toUtf8() + "') echo $$ >> '" + pids.toUtf8()
                + "'; exec sleep 1000;; esac\nexec '" + there().program().toUtf8() + "' \"$@\"\n");
        QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
        m_machine->setEnvironment("ATELIER_PROGRAM='" + program.toUtf8() + "'");
        m_endless = pids;
    }
    /// How many of these commands have begun, and how many of them have not ended.
    std::pair<int, int> endless() const
    {
        std::pair<int, int> count {0, 0};
        for (const QByteArray& pid : contentOf(m_endless.toStdString()).split('\n')) {
            if (pid.isEmpty())
                continue;
            ++count.first;
            count.second += contentOf(("/proc/" + pid + "/cmdline").toStdString()).isEmpty() ? 0 : 1;  // that of a zombie is empty
        }
        return count;
    }
    QString m_endless;

    /// Plans at once, and tries with fake ranks, a step in @p stepMs.
    void usePlanningWorker(int stepMs)
    {
        const QString worker = there().writeFile(QStringLiteral("worker"),
            "#!/bin/sh\n[ \"$1\" = --plan ] || exec " FAKE_WORKER " \"$@\"\n"
            "echo '{\"v\":1,\"device\":\"cpu\",\"ranks\":2,\"parameters\":1000,\"trained\":900,\"checkpoint_bytes\":5000000,\"activations_known\":true,"
            "\"available_bytes\":800000000,\"parts\":[{\"name\":\"program\",\"bytes\":60000000,\"host\":false}]}'\n");
        QFile::setPermissions(worker, QFile::ReadOwner | QFile::ExeOwner);
        m_machine->setEnvironment("ATELIER_WORKER='" + worker.toUtf8() + "' FAKE_STEP_MS=" + QByteArray::number(stepMs));
    }
    std::string trialsThere() { return (there().home().data / "trials").string(); }
    /// The launch window's tab Forecast, with an experiment that can be tried there.
    ui::LaunchWindow& openForecast()
    {
        open();
        ui::LaunchWindow& launch = openLaunchWindow();
        launch.draft().setToml(experiment("far", there().writeFile(QStringLiteral("data.csv"), "0\n")));
        launch.findChild<QTabWidget*>(QStringLiteral("launchTabs"))->setCurrentWidget(launch.findChild<ui::ForecastView*>());
        return launch;
    }
    static QString text(QWidget& parent, const char* name) { return parent.findChild<QLabel*>(QLatin1String(name))->text(); }
    static QPushButton& named(QWidget& parent, const char* name) { return *parent.findChild<QPushButton*>(QLatin1String(name)); }

    /// A run with checkpoints of steps 10 and 20, shown in the tab Checkpoints.
    ui::CheckpointsView& openCheckpoints()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        for (const int step : {10, 20})
            tests::writeCheckpoint(run.checkpoint(step), {{{"out.bias", "F32", {2}}, {3, 4 + float(step)}}}, {});
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const view = m_window->window().findChild<ui::CheckpointsView*>();
        m_window->window().tabs().setCurrentWidget(view);
        return *view;
    }

    /// A GPU that only that machine has.
    void useGpusThere()
    {
        const QString gpus = there().writeFile(QStringLiteral("gpus"), "GPU-1|GPU of the box|80000000000|70000000000|\n");
        m_machine->setEnvironment("LD_LIBRARY_PATH=" FAKE_NVML_FOLDER " FAKE_NVML=" + gpus.toUtf8());
    }

private Q_SLOTS:
    void init()
    {
        m_machine.emplace();
        qputenv("ATELIER_HOME", QByteArray::fromStdString(m_machine->laptop().data.string()));
    }
    void cleanup()
    {
        m_window.reset();
        m_machine.reset();
    }

    void E13_showsTheRunsOfAnotherMachineAndWhoseTheyAre()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 3000);
        there().addFinishedRun("other-20261121-101500-x3k9", 14);
        open();
        const QString id = QString::fromStdString(run.id()), other = QStringLiteral("other-20261121-101500-x3k9");
        m_window->window().openRun(id);  // before the window opens the newest by itself
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Finished && m_window->stateOf(other) == RunState::Finished, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        QVERIFY(m_window->window().windowTitle().contains(host()));
        // The list is whole, although no journal of this run has been copied.
        QTRY_COMPARE(m_window->entry(other)->step(), 14);
        QCOMPARE(m_window->entry(other)->loss(), std::optional(tests::exampleLoss(14)));
        QCOMPARE(m_window->entry(other)->name(), QStringLiteral("other"));
        // What is looked at is copied.
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(m_machine->mirrored(run), 9000), QString(), kTimeoutMs);
        QCOMPARE(contentOf(m_machine->mirrored(run).journal(0)), contentOf(run.journal(0)));
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(contract::RunFolder(m_machine->mirrorHome().runs() / other.toStdString())).journals()));
    }

    void E13_aMachineWithoutRunsSaysSo()
    {
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        QTRY_COMPARE(ui_test::emptySentence(m_window->window().runsView()), "There are no runs on " + host() + " yet.");
    }

    void E13_anEmptyViewSaysWhatIsNotHere()
    {
        // M14: prepared, and never begun, so it has nothing to show.
        const QString file = there().writeFile(QStringLiteral("later.toml"), experiment("later", there().writeFile(QStringLiteral("data.csv"), "0\n")).toUtf8());
        there().runWell({"prepare", file});
        const QString id = there().runs().front();
        m_machine->setReachable(false);
        open();
        const auto active = [&] { return text(m_window->window(), "activeRuns"); };
        QTRY_COMPARE(ui_test::emptySentence(*m_window->window().tabs().widget(0)), "There is no connection to " + host() + " yet, so nothing has been copied from it.");
        QCOMPARE(active(), QStringLiteral("Active runs are not known yet"));
        m_machine->setReachable(true);
        ui_test::button(m_window->window(), QStringLiteral("Try now"))->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id), kTimeoutMs);
        QTRY_COMPARE(active(), QStringLiteral("No active runs"));
        m_window->window().openRun(id);
        auto& plots = *m_window->window().tabs().widget(0);
        QTRY_COMPARE_WITH_TIMEOUT(ui_test::emptySentence(plots), QStringLiteral("No step has been recorded yet. The first one will appear here automatically."), kTimeoutMs);
        QTRY_COMPARE(ui_test::emptySentence(*m_window->window().findChild<QDockWidget*>(QStringLiteral("logsDock"))->widget()), QStringLiteral("This run has not logged anything yet."));
        m_machine->setReachable(false);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY2_WITH_TIMEOUT(ui_test::emptySentence(plots).startsWith("Nothing of this had been copied from " + host() + " when the connection was lost, "),
            qPrintable(ui_test::emptySentence(plots)), kTimeoutMs);
        QTRY_COMPARE(active(), QStringLiteral("No run was active"));
    }

    void M14_whatIsStillBeingCopiedIsSaid()
    {
        const QString file = there().writeFile(QStringLiteral("later.toml"), experiment("later", there().writeFile(QStringLiteral("data.csv"), "0\n")).toUtf8());
        there().runWell({"prepare", file});
        const QString id = there().runs().front();
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id), kTimeoutMs);
        m_window.reset();
        // Now it names the run and sends nothing of it.
        m_machine->setScript("printf '%s\\n' '{\"v\":1,\"atelier\":\"0.1.0\",\"host\":\"box\",\"now\":1,\"tells_copied\":true}'"
                             " '{\"run\":\"" + id.toUtf8() + "\",\"stamp\":\"s\",\"status\":{\"state\":\"prepared\"}}' '{\"listed\":1}'\n"
                             "while read -r line; do :; done\n");
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id), kTimeoutMs);
        m_window->window().openRun(id);
        QTRY_COMPARE_WITH_TIMEOUT(ui_test::emptySentence(*m_window->window().tabs().widget(0)), "What " + host() + " has of this is being copied.", kTimeoutMs);
        QTRY_COMPARE(ui_test::emptySentence(*m_window->window().findChild<QDockWidget*>(QStringLiteral("logsDock"))->widget()), "What " + host() + " has of this is being copied.");
    }

    void E13_whatIsOnlyPossibleThereSaysSo()
    {
        there().addFinishedRun("first-20261121-101500-x3k9", 5);
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        m_window->window().openRun(QStringLiteral("first-20261121-101500-x3k9"));
        for (const char* id : {"app.import", "app.disk", "run.pack", "run.debug"}) {
            QTRY_VERIFY2(!m_window->action(id)->isEnabled(), id);
            QVERIFY2(m_window->bench().actions.reason(QLatin1String(id)).contains(host()), id);
        }
        QTRY_VERIFY(m_window->action("run.rename")->isEnabled());
    }

    void E13_actionsReachTheMachine()
    {
        const contract::RunFolder run = startRun();
        const QString id = QString::fromStdString(run.id());
        open();
        m_window->window().openRun(id);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running && m_window->action("run.stop")->isEnabled(), kTimeoutMs);
        m_window->action("run.archive")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->row.isArchived, kTimeoutMs);
        QVERIFY(contract::readAnnotations(run.annotations()).isArchived);
        QTRY_VERIFY(m_window->action("edit.undo")->isEnabled());
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->entry(id)->row.isArchived, kTimeoutMs);
        m_window->action("run.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Stopped, kTimeoutMs);
        QCOMPARE(launcher::inspectRun(run).state, RunState::Stopped);
        m_window->action("run.resume")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        QCOMPARE(run.attempts().size(), std::size_t {2});
    }

    void E13_anExperimentIsStartedThere()
    {
        useGpusThere();
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        ui::LaunchWindow& launch = openLaunchWindow();
        QVERIFY(launch.findChild<QLabel*>(QStringLiteral("hostNote"))->text().contains(host()));
        QVERIFY(pathButtons(launch).isEmpty());
        // What stands against it, and which GPUs there are, is what that machine says.
        launch.draft().setToml(experiment("far", "/nowhere/data.csv"));
        QTRY_VERIFY_WITH_TIMEOUT(!launch.draft().isChecking(), kTimeoutMs);
        QVERIFY(launch.draft().problemOf("data.path").contains("no such file"));
        auto* const gpus = launch.findChild<QTreeWidget*>(QStringLiteral("gpus"));
        QTRY_COMPARE_WITH_TIMEOUT(gpus->topLevelItemCount(), 1, kTimeoutMs);
        QVERIFY(gpus->topLevelItem(0)->text(0).contains("GPU of the box"));
        launch.start();
        QVERIFY(launch.findChild<QLabel*>(QStringLiteral("launchMessage"))->text().contains("no such file"));
        launch.draft().setToml(experiment("far", there().writeFile(QStringLiteral("data.csv"), "0\n")));
        QTRY_VERIFY_WITH_TIMEOUT(!launch.draft().isChecking(), kTimeoutMs);
        QCOMPARE(launch.draft().problems().size(), std::size_t {0});
        launch.start();
        QTRY_COMPARE_WITH_TIMEOUT(there().runs().size(), 1, kTimeoutMs);
        const contract::RunFolder run = there().onlyRun();
        const QString id = QString::fromStdString(run.id());
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        QTRY_COMPARE(m_window->bench().selection.inspected(), id);
        QCOMPARE(m_window->entry(id)->name(), QStringLiteral("far"));
        QVERIFY(!launch.isVisible());
        QVERIFY(!std::filesystem::exists(m_machine->laptop().runs()) || std::filesystem::is_empty(m_machine->laptop().runs()));
    }

    void E13_presetsOfBothMachinesAreOffered()
    {
        const QString data = there().writeFile(QStringLiteral("data.csv"), "0\n");
        launcher::savePreset(there().home(), "far & away", ("# mine\n" + experiment("far", data)).toStdString());
        launcher::savePreset(m_machine->mirrorHome(), "near", experiment("near", data).toStdString());
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        ui::LaunchWindow& launch = openLaunchWindow();
        auto* const menu = launch.findChild<ui::PresetMenu*>();
        Q_EMIT menu->aboutToShow();
        auto* const thereMenu = launch.findChild<ui::PresetsThere*>();
        QVERIFY(menu->actions().contains(thereMenu->menuAction()));
        QCOMPARE(menu->actions().front()->text(), QStringLiteral("near"));
        QCOMPARE(thereMenu->title(), "Presets of " + host());
        const auto entry = [&](const QString& name) {
            for (QAction* const action : thereMenu->actions()) {
                if (action->text() == name)
                    return action;
            }
            return static_cast<QAction*>(nullptr);
        };
        Q_EMIT thereMenu->aboutToShow();
        QTRY_VERIFY_WITH_TIMEOUT(entry("far && away"), kTimeoutMs);
        entry("far && away")->trigger();
        const auto answer = [&](const char* dialog, const QString& verb) {
            QTRY_VERIFY(launch.findChild<QDialog*>(QLatin1String(dialog)));
            if (auto* const name = launch.findChild<QInputDialog*>(QLatin1String(dialog))) {
                name->setTextValue(verb);
                return name->accept();
            }
            ui_test::button(launch, verb)->click();
        };
        QTRY_COMPARE_WITH_TIMEOUT(launch.draft().fieldText("run.name"), QStringLiteral("far"), kTimeoutMs);
        QVERIFY(launch.draft().toml().startsWith("# mine"));
        // Changed, and saved there under another name.
        launch.draft().setField("optim.lr", "0.5");
        launch.findChild<QAction*>(QStringLiteral("savePresetThere"))->trigger();
        answer("presetName", QStringLiteral("faster"));
        QTRY_VERIFY_WITH_TIMEOUT(launcher::isPreset(there().home(), "faster"), kTimeoutMs);
        QCOMPARE(contract::loadExperiment(launcher::presetFile(there().home(), "faster")).experiment.real("optim.lr"), 0.5);
        QVERIFY(contentOf(launcher::presetFile(there().home(), "faster")).startsWith("# mine"));
        QVERIFY(!launcher::isPreset(m_machine->mirrorHome(), "faster"));
        QTRY_COMPARE(text(launch, "launchMessage"), "Saved as the preset “faster” on " + host() + ".");
        QTRY_VERIFY_WITH_TIMEOUT(entry("faster"), kTimeoutMs);
        // Deleted there, after a question.
        auto* const removal = launch.findChild<QMenu*>(QStringLiteral("deletePresetsThere"));
        QCOMPARE(removal->actions().size(), 2);
        removal->actions().front()->trigger();
        answer("presetQuestion", QStringLiteral("Delete"));
        QTRY_VERIFY_WITH_TIMEOUT(!launcher::isPreset(there().home(), "far & away"), kTimeoutMs);
        QVERIFY(launcher::isPreset(m_machine->mirrorHome(), "near") && launcher::isPreset(there().home(), "faster"));
        QTRY_VERIFY_WITH_TIMEOUT(!entry("far && away"), kTimeoutMs);
    }

    void E13_aReadyExperimentHasThePathsOfThatMachine()
    {
        const QString elsewhere = QFileInfo(there().writeFile(QStringLiteral("digits.csv.gz"), "0\n")).absolutePath();
        m_machine->setEnvironment("ATELIER_RESOURCES=" + elsewhere.toUtf8());
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        m_window->action("experiment.demo")->trigger();
        ui::LaunchWindow* const launch = launchWindow();
        QVERIFY(launch);
        QCOMPARE(launch->draft().fieldText("data.path"), elsewhere + "/digits.csv.gz");
        QTRY_VERIFY_WITH_TIMEOUT(!launch->draft().isChecking(), kTimeoutMs);
        QCOMPARE(launch->draft().problemOf("data.path"), QString());
    }

    void E13_theQueueThereIsShownAndChanged()
    {
        const contract::RunFolder first = startRun();
        open();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(QString::fromStdString(first.id())) == RunState::Running, kTimeoutMs);
        ui::LaunchWindow& launch = openLaunchWindow();
        QStringList queued;
        for (const char* name : {"second", "third"}) {
            launch.show();
            launch.draft().setToml(experiment(name, there().writeFile(QStringLiteral("data.csv"), "0\n")));
            const auto before = there().runs();
            launch.addToQueue();
            QTRY_COMPARE_WITH_TIMEOUT(there().runs().size(), before.size() + 1, kTimeoutMs);
            for (const QString& id : there().runs()) {
                if (!before.contains(id))
                    queued << id;
            }
            QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(queued.back()) == RunState::Queued, kTimeoutMs);
        }
        auto* const dock = m_window->window().findChild<QDockWidget*>(QStringLiteral("queueDock"));
        dock->show();
        dock->raise();
        auto* const view = m_window->window().findChild<ui::QueueView*>();
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowOf(queued.at(1)) - view->model().rowOf(queued.at(0)), 1, kTimeoutMs);
        const auto waiting = [&] {
            QStringList runs;
            for (const launcher::QueueEntry& entry : launcher::readQueue(there().home()).waiting)
                runs << QString::fromStdString(entry.run) + (entry.isHeld ? " held" : "");
            return runs;
        };
        QCOMPARE(waiting(), queued);
        view->table().setCurrentIndex(view->model().index(view->model().rowOf(queued.at(1)), 0));
        QTRY_VERIFY(m_window->action("queue.up")->isEnabled());
        m_window->action("queue.up")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QStringList({queued.at(1), queued.at(0)}), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowOf(queued.at(0)) - view->model().rowOf(queued.at(1)), 1, kTimeoutMs);
        m_window->action("queue.hold")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QStringList({queued.at(1) + " held", queued.at(0)}), kTimeoutMs);
        m_window->action("queue.remove")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(waiting(), QStringList({queued.at(0)}), kTimeoutMs);
        // N12: when they will run, as that machine knows it.
        m_window->action("queue.plan")->trigger();
        auto* const plan = view->findChild<QTreeView*>(QStringLiteral("queuePlan"));
        QTRY_COMPARE_WITH_TIMEOUT(plan->model()->rowCount(), 2, kTimeoutMs);
        const auto cell = [&](int row, int column) { return plan->model()->index(row, column).data().toString(); };
        QCOMPARE(cell(0, ui::QueuePlanModel::Run), QStringLiteral("long"));
        QTRY_VERIFY_WITH_TIMEOUT(cell(0, ui::QueuePlanModel::Ends).startsWith("in "), kTimeoutMs);
        QCOMPARE(cell(1, ui::QueuePlanModel::Run), QStringLiteral("second"));
        QVERIFY2(cell(1, ui::QueuePlanModel::Starts).startsWith("in "), qPrintable(cell(1, ui::QueuePlanModel::Starts)));
        m_machine->setReachable(false);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY2_WITH_TIMEOUT(text(*view, "queuePlanNote").contains("no connection"), qPrintable(text(*view, "queuePlanNote")), kTimeoutMs);
    }

    void E13_checkpointsAreHandledWhereTheyAre()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        for (const int step : {10, 20})
            tests::writeCheckpoint(run.checkpoint(step), {{{"out.bias", "F32", {2}}, {3, 4 + float(step)}}}, {});
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const view = m_window->window().findChild<ui::CheckpointsView*>();
        m_window->window().tabs().setCurrentWidget(view);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 2, kTimeoutMs);
        view->showStep(20);
        auto* const tensors = view->findChild<ui::TensorModel*>();
        QTRY_COMPARE(tensors->rowCount(), 1);  // by the manifest, which is copied
        view->verifySelected();
        QTRY_COMPARE_WITH_TIMEOUT(view->message(), QStringLiteral("step-20 is intact."), kTimeoutMs);
        view->togglePinned();
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.checkpoint(20) / "PINNED"), kTimeoutMs);
        const auto isPinned = [&] { return view->model().checkpoint(view->model().checkpoint(0).step == 20 ? 0 : 1).isPinned; };
        QTRY_VERIFY_WITH_TIMEOUT(isPinned(), kTimeoutMs);

        view->exportSelected();
        auto* const dialog = view->findChild<ui::ExportThereDialog*>();
        QVERIFY(dialog);
        auto* const folder = dialog->findChild<QLineEdit*>(QStringLiteral("exportFolder"));
        auto* const note = dialog->findChild<QLabel*>(QStringLiteral("exportNote"));
        QPushButton* const start = ui_test::button(*dialog, QStringLiteral("Export"));
        folder->setText(QStringLiteral("relative"));
        QVERIFY(!start->isEnabled());
        const QString full = QFileInfo(there().writeFile(QStringLiteral("occupied"), "x")).absolutePath();
        folder->setText(full);
        start->click();
        QTRY_VERIFY_WITH_TIMEOUT(note->text().startsWith("Nothing complete was written."), kTimeoutMs);
        folder->setText(full + "/exported; touch evil");
        start->click();
        QTRY_VERIFY_WITH_TIMEOUT(note->text().startsWith("Written on " + host()), kTimeoutMs);
        QVERIFY(QFileInfo::exists(full + "/exported; touch evil/model.safetensors"));
        dialog->close();

        view->table().selectAll();
        view->compareSelected();
        auto* const difference = view->findChild<ui::DifferenceDialog*>();
        QTRY_VERIFY_WITH_TIMEOUT(difference->summary().contains("1 of 2 values changed; the largest change is 10"), kTimeoutMs);
        difference->close();

        view->showStep(10);
        view->deleteSelected();
        QPushButton* const yes = ui_test::button(*view, QStringLiteral("Move to trash"));
        QVERIFY(yes);
        yes->click();
        QTRY_VERIFY_WITH_TIMEOUT(!std::filesystem::exists(run.checkpoint(10)), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 1, kTimeoutMs);
        QCOMPARE(view->message(), "Moved to the trash of " + host() + ". Undo restores it.");
    }

    void E13_whatIsDeletedThereIsRestoredFromHere()
    {
        ui::CheckpointsView& view = openCheckpoints();
        const contract::RunFolder run = there().onlyRun();
        const QString id = QString::fromStdString(run.id());
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        const auto deleteSelected = [&] {
            view.deleteSelected();
            ui_test::button(view, QStringLiteral("Move to trash"))->click();
        };
        const auto hasCheckpoint = [&](int step) { return std::filesystem::exists(run.checkpoint(step) / "manifest.json"); };
        // Both together, and both come back together.
        view.table().selectAll();
        deleteSelected();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 0, kTimeoutMs);
        QVERIFY(!hasCheckpoint(10) && !hasCheckpoint(20));
        QToolButton* undo = nullptr;
        for (auto* const each : view.findChildren<QToolButton*>())
            undo = each->text() == "Undo" ? each : undo;
        QTRY_VERIFY_WITH_TIMEOUT(undo->isVisible(), kTimeoutMs);
        undo->click();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QVERIFY(hasCheckpoint(10) && hasCheckpoint(20));
        QTRY_VERIFY_WITH_TIMEOUT(!undo->isVisible(), kTimeoutMs);
        // A run, in the same way.
        QTRY_VERIFY(m_window->action("run.trash")->isEnabled());
        m_window->action("run.trash")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!std::filesystem::exists(run.root()) && !m_window->entry(id), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->action("edit.undo")->isEnabled() && m_window->action("edit.undo")->text() == "&Undo move to trash", kTimeoutMs);
        m_window->action("edit.undo")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.root()) && m_window->stateOf(id) == RunState::Finished, kTimeoutMs);
        // What was deleted twice, by others, is told apart.
        m_window->window().openRun(id);
        there().runWell({"checkpoints", "remove", id, "--step", "10"});
        tests::writeCheckpoint(run.checkpoint(10), {{{"out.bias", "F32", {2}}, {7, 8}}}, {});
        there().runWell({"checkpoints", "remove", id, "--step", "10"});
        const auto trashed = launcher::trashItems(there().home());
        QCOMPARE(trashed.size(), std::size_t {2});
        m_window->action("run.openTrash")->trigger();
        auto* const dialog = m_window->window().findChild<ui::TrashDialog*>();
        QCOMPARE(dialog->windowTitle(), "Trash of " + host());
        QTRY_COMPARE_WITH_TIMEOUT(dialog->list().topLevelItemCount(), 2, kTimeoutMs);
        QCOMPARE(dialog->list().topLevelItem(1)->text(0), id + "/step-10");
        QVERIFY(dialog->list().topLevelItem(1)->text(1) != "0 B");
        dialog->list().topLevelItem(1)->setSelected(true);
        ui_test::button(*dialog, QStringLiteral("Restore"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(dialog->list().topLevelItemCount(), 1, kTimeoutMs);
        QVERIFY(hasCheckpoint(10) && !std::filesystem::exists(trashed[1].place) && std::filesystem::exists(trashed[0].place));
        dialog->askEmpty();
        QTRY_VERIFY(ui_test::button(*dialog, QStringLiteral("Delete for good")));
        ui_test::button(*dialog, QStringLiteral("Delete for good"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(ui_test::emptySentence(*dialog), QStringLiteral("The trash is empty."), kTimeoutMs);
        QVERIFY(!std::filesystem::exists(trashed[0].place) && hasCheckpoint(10));
        QTRY_VERIFY2(m_window->window().statusBar()->currentMessage().startsWith("1 item was deleted for good, "), qPrintable(m_window->window().statusBar()->currentMessage()));
        // Without a connection it says so.
        m_machine->setReachable(false);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::errorSentence(*dialog).contains("connection"), kTimeoutMs);
    }

    void E13_whoWaitsForTheMachineMayCancel_data()
    {
        QTest::addColumn<QString>("how");
        QTest::newRow("by the button") << "button";
        QTest::newRow("by closing") << "close";
        QTest::newRow("because the connection breaks") << "break";
    }
    void E13_whoWaitsForTheMachineMayCancel()
    {
        QFETCH(QString, how);
        makeEndless({"checkpoints verify", "checkpoints diff", "checkpoints export"});
        ui::CheckpointsView& view = openCheckpoints();
        QTRY_COMPARE_WITH_TIMEOUT(view.model().rowCount(), 2, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        const auto isConnected = [&] { return label() == "Connected to " + host(); };
        const auto breakIfWanted = [&] {
            if (how != "break")
                return;
            ::kill(m_machine->servers().at(0), SIGKILL);
            QTRY_VERIFY_WITH_TIMEOUT(!isConnected(), kTimeoutMs);
        };

        view.table().selectAll();
        view.verifySelected();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(1, 1), kTimeoutMs);
        QToolButton* cancel = nullptr;
        for (auto* const each : view.findChildren<QToolButton*>())
            cancel = each->isVisible() && each->text() == "Cancel" ? each : cancel;
        QVERIFY(cancel);
        breakIfWanted();
        if (how != "break")
            cancel->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(1, 0), kTimeoutMs);  // nor is the second checkpoint read
        QTRY_VERIFY(!cancel->isVisible());
        if (how != "break")
            QCOMPARE(view.message(), QStringLiteral("The verification was cancelled."));
        else
            QVERIFY2(!view.message().contains("intact"), qPrintable(view.message()));

        QTRY_VERIFY_WITH_TIMEOUT(isConnected(), kTimeoutMs);
        view.table().selectAll();
        view.compareSelected();
        auto* const difference = view.findChild<ui::DifferenceDialog*>();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(2, 1), kTimeoutMs);
        breakIfWanted();
        if (how == "close")
            difference->close();
        if (how == "button") {
            QTRY_VERIFY(ui_test::button(*difference, QStringLiteral("Cancel")));
            ui_test::button(*difference, QStringLiteral("Cancel"))->click();
        }
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(2, 0), kTimeoutMs);
        if (how == "button")
            QTRY_COMPARE(ui_test::errorSentence(*difference), QStringLiteral("The checkpoints could not be compared. The comparison was cancelled."));
        if (how != "close")
            difference->close();

        QTRY_VERIFY_WITH_TIMEOUT(isConnected(), kTimeoutMs);
        view.showStep(20);
        QTRY_VERIFY(view.table().selectionModel()->selectedRows().size() == 1);
        view.exportSelected();
        auto* const dialog = view.findChild<ui::ExportThereDialog*>();
        dialog->findChild<QLineEdit*>(QStringLiteral("exportFolder"))->setText(QStringLiteral("/nowhere"));
        ui_test::button(*dialog, QStringLiteral("Export"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(3, 1), kTimeoutMs);
        breakIfWanted();
        if (how == "close")
            delete dialog;
        if (how == "button")
            ui_test::button(*dialog, QStringLiteral("Cancel"))->click();
        QTRY_COMPARE_WITH_TIMEOUT(endless(), std::pair(3, 0), kTimeoutMs);
        if (how == "button") {
            QTRY_COMPARE(text(*dialog, "exportNote"), QStringLiteral("The export was cancelled. Nothing complete was written."));
            ui_test::button(*dialog, QStringLiteral("Close"))->click();
            QTRY_VERIFY(!view.findChild<ui::ExportThereDialog*>());
        }
    }

    void E13_whatChangesSomethingThereIsFinished()
    {
        // The command is in the middle of something when the machine that asked for it goes.
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        tests::writeCheckpoint(run.checkpoint(10), {{{"out.bias", "F32", {2}}, {3, 4}}}, {});
        const QString begun = there().writeFile(QStringLiteral("begun"), {});
        const QString program = there().writeFile(QStringLiteral("slow"),
            "#!/bin/sh\n[ \"$2\" = pin ] && { echo >> '" + begun.toUtf8() + "'; until [ -e '" + begun.toUtf8() + ".go' ]; do sleep 0.05; done; }\nexec '"
                + there().program().toUtf8() + "' \"$@\"\n");
        QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
        m_machine->setEnvironment("ATELIER_PROGRAM='" + program.toUtf8() + "'");
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const view = m_window->window().findChild<ui::CheckpointsView*>();
        m_window->window().tabs().setCurrentWidget(view);
        QTRY_COMPARE_WITH_TIMEOUT(view->model().rowCount(), 1, kTimeoutMs);
        view->togglePinned();
        QTRY_VERIFY_WITH_TIMEOUT(!contentOf(begun.toStdString()).isEmpty(), kTimeoutMs);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(label() != "Connected to " + host(), kTimeoutMs);
        there().writeFile(QStringLiteral("begun.go"), {});
        QTRY_VERIFY_WITH_TIMEOUT(std::filesystem::exists(run.checkpoint(10) / "PINNED"), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(view->model().checkpoint(0).isPinned, kTimeoutMs);
    }

    void E13_threeStepsAreTriedThere()
    {
        usePlanningWorker(40);
        ui::LaunchWindow& launch = openForecast();
        QTRY_VERIFY_WITH_TIMEOUT(named(launch, "trialStart").isEnabled() && named(launch, "trialStart").isVisible(), kTimeoutMs);
        named(launch, "trialStart").click();
        QVERIFY(named(launch, "trialCancel").isVisible());
        QTRY_VERIFY2_WITH_TIMEOUT(text(launch, "trialNote").startsWith("Step ") || text(launch, "trialNote") == "Rank 0 loads data",
            qPrintable(text(launch, "trialNote")), kTimeoutMs);
        QTRY_VERIFY2_WITH_TIMEOUT(text(launch, "trialResult").contains(" ms a step, the median of 3 after the first"), qPrintable(text(launch, "trialResult") + text(launch, "trialNote")), kTimeoutMs);
        QVERIFY(!std::filesystem::exists(trialsThere()));
        QVERIFY(std::filesystem::exists(there().home().state / "estimates.json"));
        QVERIFY(!std::filesystem::exists(m_machine->mirrorHome().state / "estimates.json"));
        // Another window knows it, too.
        m_window.reset();
        ui::LaunchWindow& again = openForecast();
        QTRY_VERIFY2_WITH_TIMEOUT(text(again, "trialResult").contains(" ms a step, the median of 3 after the first"), qPrintable(text(again, "trialResult")), kTimeoutMs);
    }

    void E13_aTrialThereIsCancelled_data()
    {
        QTest::addColumn<bool>("isByBreak");
        QTest::newRow("by the button") << false;
        QTest::newRow("because the connection breaks") << true;
    }
    void E13_aTrialThereIsCancelled()
    {
        QFETCH(bool, isByBreak);
        usePlanningWorker(1'000'000);
        ui::LaunchWindow& launch = openForecast();
        QTRY_VERIFY_WITH_TIMEOUT(named(launch, "trialStart").isEnabled() && named(launch, "trialStart").isVisible(), kTimeoutMs);
        named(launch, "trialStart").click();
        QTRY_VERIFY2_WITH_TIMEOUT(text(launch, "trialNote").startsWith("Rank 0 "), qPrintable(text(launch, "trialNote")), kTimeoutMs);
        QTRY_VERIFY(ui_test::processes(trialsThere()).size() >= 2);
        if (isByBreak)
            ::kill(m_machine->servers().at(0), SIGKILL);
        else
            named(launch, "trialCancel").click();
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(trialsThere()).empty() && !std::filesystem::exists(trialsThere()), kTimeoutMs);
        QTRY_VERIFY(named(launch, "trialStart").isVisible());
        if (isByBreak)
            QVERIFY2(text(launch, "trialNote").contains("connection"), qPrintable(text(launch, "trialNote")));
        else
            QCOMPARE(text(launch, "trialNote"), QStringLiteral("The trial was cancelled."));
        QVERIFY(text(launch, "trialResult").isEmpty());
    }

    void E13_aServerOfBeforeSaysThatItCannot()
    {
        m_machine->setScript("printf '%s\\n' '{\"v\":1,\"atelier\":\"0.1.0\",\"host\":\"box\",\"now\":1}' '{\"listed\":0}'\n"
                             "while read -r line; do id=${line##*\\\"id\\\":}; id=${id%%[,\\}]*}\n"
                             "printf '{\"id\":%s,\"ok\":false,\"error\":\"only resume, rm\"}\\n' \"$id\"; done\n");
        open();
        QTRY_COMPARE(label(), "Connected to " + host());
        ui::LaunchWindow& launch = openLaunchWindow();
        QTRY_VERIFY_WITH_TIMEOUT(!launch.draft().isChecking() && !launch.draft().problems().empty(), kTimeoutMs);
        QVERIFY(QString::fromStdString(launch.draft().problems().back().message).contains("cannot check the experiment: only resume, rm"));
    }

    void E13_aBrokenConnectionIsShownAndMendedByItself()
    {
        const contract::RunFolder run = startRun();
        const QString id = QString::fromStdString(run.id());
        open();
        m_window->window().openRun(id);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        m_machine->setReachable(false);
        ::kill(m_machine->servers().at(0), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::CutOff, kTimeoutMs);
        QVERIFY(label().startsWith("No connection to " + host()));
        // The sentence agrees with what stands beside it, however far the journal had been copied.
        const launcher::RunStatus cutOff = launcher::inspectRun(m_machine->mirrored(run));
        QCOMPARE(cutOff.step, launcher::readJournalEnd(m_machine->mirrored(run).journal(0), 1).step);
        QVERIFY2(cutOff.cause.find("the run was running at step " + std::to_string(cutOff.step) + " then") != std::string::npos, cutOff.cause.c_str());
        QTRY_VERIFY(ui_test::errorSentence(m_window->window()).contains("Connection refused"));
        QTRY_VERIFY(!m_window->action("run.stop")->isEnabled());
        QCOMPARE(m_window->bench().actions.reason(QStringLiteral("run.stop")), "There is no connection to " + host() + ".");
        m_machine->setReachable(true);
        QPushButton* const now = ui_test::button(m_window->window(), QStringLiteral("Try now"));
        QVERIFY(now);
        now->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        QCOMPARE(label(), "Connected to " + host());
        QTRY_COMPARE(ui_test::errorSentence(m_window->window()), QString());
        there().runWell({"stop", "latest", "--wait"});
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Stopped, kTimeoutMs);
        QTRY_COMPARE(contentOf(m_machine->mirrored(run).journal(0)), contentOf(run.journal(0)));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(m_machine->mirrored(run), 10), QString(), kTimeoutMs);
    }

    void E13_imagesComeWhileTheyAreLookedAt()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 5);
        std::filesystem::create_directories(run.samples());
        QImage image(40, 30, QImage::Format_RGB32);
        image.fill(QColor(200, 20, 30));
        const std::string file = "samples/step-5-prompt-01.png";
        QVERIFY(image.save(QString::fromStdString((run.root() / file).string())));
        std::ofstream(run.journal(0), std::ios::app) << "{\"type\":\"sample\",\"step\":5,\"t_ms\":9,\"file\":\"" << file
                                                     << "\",\"prompt\":\"a red cube\",\"seed\":7,\"guidance\":1}\n";
        open();
        m_window->window().openRun(QString::fromStdString(run.id()));
        auto* const gallery = m_window->window().findChild<ui::GalleryView*>();
        QTRY_COMPARE_WITH_TIMEOUT(contentOf(m_machine->mirrored(run).journal(0)), contentOf(run.journal(0)), kTimeoutMs);
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(run).root() / file));
        m_window->window().tabs().setCurrentWidget(gallery);
        QTRY_COMPARE_WITH_TIMEOUT(gallery->image().grab().toImage().pixelColor(gallery->image().rect().center()), QColor(200, 20, 30), kTimeoutMs);
        QCOMPARE(contentOf(m_machine->mirrored(run).root() / file), contentOf(run.root() / file));
    }

    void E13_asksForAMachineAndRemembersIt()
    {
        launcher::DataHome own = m_machine->laptop();
        own.create();
        ui::rememberHost(own, {.destination = "me@gpu1", .home = "/data", .program = "/opt/atelier"});
        ui::rememberHost(own, {.destination = "gpu2"});
        OpenWindow window(own);
        window.action("app.machine")->trigger();
        auto* const dialog = window->findChild<ui::HostDialog*>();
        QVERIFY(dialog);
        auto* const box = dialog->findChild<QComboBox*>();
        QCOMPARE(box->currentText(), QStringLiteral("gpu2"));
        QCOMPARE(box->itemText(1), QStringLiteral("me@gpu1:/data"));
        box->setEditText(QStringLiteral("-oProxyCommand=evil"));
        QPushButton* const open = dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Open);
        open->click();
        QVERIFY(dialog->findChild<QLabel*>(QStringLiteral("hostNote"))->text().contains("names no machine"));
        const QString seen = there().writeFile(QStringLiteral("seen"), {});
        const QString program = there().writeFile(QStringLiteral("program"), "#!/bin/sh\necho \"$@\" > '" + seen.toUtf8() + "'\n");
        QFile::setPermissions(program, QFile::ReadOwner | QFile::ExeOwner);
        qputenv("ATELIER_PROGRAM", program.toUtf8());
        box->setEditText(QStringLiteral("me@gpu3"));
        open->click();
        QTRY_COMPARE(contentOf(seen.toStdString()), QByteArray("--host me@gpu3 --remote-program atelier\n"));
        qunsetenv("ATELIER_PROGRAM");
        QCOMPARE(ui::recentHosts(own).front().text(), std::string("me@gpu3"));
    }
};

ATELIER_UI_TEST_MAIN(WindowRemoteTest)
#include "tst_window_remote.moc"
