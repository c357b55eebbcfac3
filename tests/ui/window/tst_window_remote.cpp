// E13: the window on another machine. The machine is a real `atelier serve`, which a script reaches in place of ssh.
#include "launcher/queue/queue.h"
#include "launcher/state/journal_end.h"
#include "tests/app/remote_machine.h"
#include "tests/engine/contract/formats/small_safetensors.h"
#include "tests/paths.h"
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
#include "ui/launch/launch_window.h"
#include "ui/queue/queue_view.h"
#include "ui/remote/host_dialog.h"
#include "ui/remote/recent_hosts.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFile>
#include <QFileInfo>
#include <QImage>
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
        QVERIFY(!m_window->action("queue.plan")->isEnabled());
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
        QVERIFY(view->message().contains("trash restore"));
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
