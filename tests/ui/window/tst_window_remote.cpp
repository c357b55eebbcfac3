// E13: the window on another machine: its runs, its images and the connection to it.
#include "launcher/queue/queue.h"
#include "launcher/state/journal_end.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/remote_window.h"
#include "ui/gallery/gallery_view.h"
#include "ui/gallery/image_view.h"
#include "ui/notify/alerts_model.h"
#include "ui/remote/host_dialog.h"
#include "ui/remote/recent_hosts.h"
#include "ui/runs/line_dialog.h"
#include "ui/runs/runs_view.h"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QFile>
#include <QFrame>
#include <QImage>
#include <QLabel>
#include <QPushButton>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <fstream>
#include <optional>
#include <signal.h>

using launcher::RunState;
using tests::contentOf;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

class WindowRemoteTest : public QObject, ui_test::RemoteWindow {
    Q_OBJECT

private Q_SLOTS:
    void init() { setUp(); }
    void cleanup() { tearDown(); }

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
        // E9: neither is it for what has happened.
        const auto& alerts = *m_window->window().findChild<ui::AlertsModel*>();
        QTRY_COMPARE_WITH_TIMEOUT(alerts.rowCount(), 2, kTimeoutMs);
        for (int row = 0; row < 2; ++row)
            QCOMPARE(alerts.index(row, ui::AlertsModel::What).data().toString(), QStringLiteral("Finished"));
        // What is looked at is copied.
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(m_machine->mirrored(run), 9000), QString(), kTimeoutMs);
        QCOMPARE(contentOf(m_machine->mirrored(run).journal(0)), contentOf(run.journal(0)));
        QVERIFY(!std::filesystem::exists(m_machine->mirrored(contract::RunFolder(m_machine->mirrorHome().runs() / other.toStdString())).journals()));
    }

    /// E9: also while nobody looks at the queue there.
    void E9_whatGoesWrongInTheQueueThereIsAnAlertHere()
    {
        const contract::RunFolder run = there().addFinishedRun("first-20261121-101500-x3k9", 30);
        launcher::editQueue(there().home(), [&](launcher::Queue& queue) {
            launcher::addAlert(queue, {.kind = launcher::QueueAlert::Kind::Held, .run = run.id(), .attempt = 1, .unixMs = 5'000'000'000'000, .message = "the run has failed"});
            launcher::addAlert(queue, {.kind = launcher::QueueAlert::Kind::NotStarted, .run = "removed", .message = {}});
        });
        open();
        const auto& alerts = *m_window->window().findChild<ui::AlertsModel*>();
        QTRY_COMPARE_WITH_TIMEOUT(alerts.rowCount(), 2, kTimeoutMs);  // and the run's end
        QCOMPARE(alerts.index(0, ui::AlertsModel::What).data().toString(), QStringLiteral("The queue is held"));
        QCOMPARE(alerts.index(0, ui::AlertsModel::Details).data().toString(), QStringLiteral("the run has failed"));
        QCOMPARE(alerts.unread(), 1);
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
        m_window->action("run.line")->trigger();
        for (QToolButton* choice : m_window->window().findChild<ui::LineDialog*>()->findChildren<QToolButton*>()) {
            if (choice->accessibleName() == "Vermilion" || choice->accessibleName() == "Dotted" || choice->accessibleName() == "Circles")
                choice->click();
        }
        m_window->window().findChild<ui::LineDialog*>()->accept();
        const contract::RunLine line {.colour = 0xd55e00, .dash = contract::LineDash::Dot, .marker = contract::LineMarker::Circle};
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->row.line == line, kTimeoutMs);
        QVERIFY(contract::readAnnotations(run.annotations()).line == line);
        m_window->action("run.stop")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Stopped, kTimeoutMs);
        QCOMPARE(launcher::inspectRun(run).state, RunState::Stopped);
        m_window->action("run.resume")->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        QCOMPARE(run.attempts().size(), std::size_t {2});
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
        const auto isBannerShown = [](const QWidget& view) {
            const auto banners = view.findChildren<QFrame*>(QStringLiteral("cutOffBanner"));
            return std::ranges::any_of(banners, [](const QFrame* banner) { return banner->isVisible(); });
        };
        for (const int tab : {1, 2}) {  // samples and checkpoints: M14
            m_window->window().tabs().setCurrentIndex(tab);
            QTRY_VERIFY2(isBannerShown(*m_window->window().tabs().currentWidget()), qPrintable(QString::number(tab)));
        }
        m_machine->setReachable(true);
        QPushButton* const now = ui_test::button(m_window->window(), QStringLiteral("Try now"));
        QVERIFY(now);
        now->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Running, kTimeoutMs);
        QTRY_COMPARE(label(), "Connected to " + host());
        QTRY_COMPARE(ui_test::errorSentence(m_window->window()), QString());
        QTRY_VERIFY(!isBannerShown(*m_window->window().tabs().currentWidget()));
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
