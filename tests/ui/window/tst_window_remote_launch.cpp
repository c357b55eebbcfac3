// E13: experiments that are checked, tried, started and queued on another machine.
#include "engine/contract/attempt/attempt.h"
#include "launcher/home/presets.h"
#include "launcher/queue/queue.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/remote_window.h"
#include "ui/gpus/gpu_bar.h"
#include "ui/gpus/gpu_bars.h"
#include "ui/launch/draft.h"
#include "ui/launch/forecast_view.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/preset_menu.h"
#include "ui/launch/presets_there.h"
#include "ui/queue/queue_plan_model.h"
#include "ui/queue/queue_view.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QInputDialog>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QTreeWidget>

#include <signal.h>

using launcher::RunState;
using tests::contentOf;
using ui_test::kTimeoutMs;

class WindowRemoteLaunchTest : public QObject, ui_test::RemoteWindow {
    Q_OBJECT

private:
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
    static QPushButton& named(QWidget& parent, const char* name) { return *parent.findChild<QPushButton*>(QLatin1String(name)); }

    /// A GPU that only that machine has.
    void useGpusThere()
    {
        const QString gpus = there().writeFile(QStringLiteral("gpus"), "GPU-1|GPU of the box|80000000000|70000000000|\n");
        m_machine->setEnvironment("LD_LIBRARY_PATH=" FAKE_NVML_FOLDER " FAKE_NVML=" + gpus.toUtf8());
    }

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

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
        // So do the bars of the toolbar.
        QTRY_VERIFY_WITH_TIMEOUT(m_window->window().findChild<ui::GpuBars*>()->bars().size() == 1, kTimeoutMs);
        QVERIFY(m_window->window().findChild<ui::GpuBars*>()->bars()[0]->toolTip().contains("Load: 87 %"));
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
        QTRY_COMPARE(m_window->entry(id)->name(), QStringLiteral("far"));
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
        QTRY_COMPARE(menu->actions().front()->text(), QStringLiteral("near"));
        QVERIFY(menu->actions().contains(thereMenu->menuAction()));
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
        // E1: the experiment of a run that waits there is changed there.
        view->table().setCurrentIndex(view->model().index(view->model().rowOf(queued.at(0)), 0));
        QTRY_VERIFY(m_window->action("queue.edit")->isEnabled());
        m_window->action("queue.edit")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(launchWindow() && launchWindow()->windowTitle().startsWith(queued.at(0)), kTimeoutMs);
        launchWindow()->draft().setField(QStringLiteral("run.total_steps"), QStringLiteral("123"));
        launchWindow()->start();
        QTRY_VERIFY_WITH_TIMEOUT(!launchWindow(), kTimeoutMs);
        QCOMPARE(contract::experimentOf(contract::RunFolder(there().home().runs() / queued.at(0).toStdString()), 1).integer("run.total_steps"), 123);
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
};

ATELIER_UI_TEST_MAIN(WindowRemoteLaunchTest)
#include "tst_window_remote_launch.moc"
