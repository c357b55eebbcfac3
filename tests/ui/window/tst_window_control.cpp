// Starting, stopping, resuming and losing runs: the real window, supervisor and database over fake ranks.
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QScopeGuard>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTimer>
#include <QToolBar>
#include <QToolButton>

#include <signal.h>

#include <algorithm>
#include <fstream>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::button;
using ui_test::OpenWindow;

class WindowControlTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

    std::string folderOf(const QString& id) const { return (m_home->home().runs() / id.toStdString()).string(); }

    /// An endless run of fake ranks. @return its id.
    QString startRun() { return m_window->start(ui_test::plainExperiment(100'000)); }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", FAKE_WORKER);
        qputenv("FAKE_STEP_MS", "10");
    }

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void M3_whatThePreflightChecksRefuseIsNotBegun_data()
    {
        QTest::addColumn<QString>("what");
        for (const char* what : {"M3 start", "M3 queue", "M3 resume", "M3 queue a run"})
            QTest::newRow(what) << QString(what).mid(3);
    }
    /// There is no worker program.
    void M3_whatThePreflightChecksRefuseIsNotBegun()
    {
        QFETCH(QString, what);
        open();
        const QString id = m_window->start(ui_test::plainExperiment(3));
        QVERIFY(m_window->becomes(id, RunState::Finished));
        const contract::RunFolder run(folderOf(id));
        qputenv("ATELIER_WORKER", "/nowhere/atelier-worker");
        const auto back = qScopeGuard([] { qputenv("ATELIER_WORKER", FAKE_WORKER); });
        QString reason;
        ui::RunControl& control = m_window->bench().control;
        connect(&control, &ui::RunControl::startFailed, this, [&](const QString& message) { reason = message; });
        connect(&control, &ui::RunControl::refused, this, [&](const QString&, const QString& message) { reason = message; });
        if (what == "start")
            control.start(ui_test::plainExperiment(3));
        else if (what == "queue")
            control.queue(ui_test::plainExperiment(3));
        else if (what == "resume")
            control.resume(QString::fromStdString(run.root().string()), {}, 5);
        else
            control.queueRun(QString::fromStdString(run.root().string()));
        QTRY_VERIFY_WITH_TIMEOUT(!reason.isEmpty(), kTimeoutMs);
        QVERIFY2(reason.contains("/nowhere/atelier-worker"), qPrintable(reason));
        QCOMPARE(run.attempts().size(), std::size_t(1));
        QCOMPARE(QDir(QString::fromStdString(m_home->home().runs().string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot), QStringList(id));
    }

    void m02_theLaunchFormStartsARunThatFinishes_data()
    {
        QTest::addColumn<QString>("ready");
        QTest::addColumn<QString>("model");
        QTest::newRow("defect-40: digits") << "digits" << "dit";
        QTest::newRow("defect-40: emoji") << "emoji" << "sd3";
    }
    void m02_theLaunchFormStartsARunThatFinishes()
    {
        QFETCH(QString, ready);
        QFETCH(QString, model);
        open();
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        for (QAction* action : launch.findChild<QMenu*>("readyExperiments")->actions()) {
            if (action->text() == ready)
                action->trigger();
        }
        QCOMPARE(launch.draft().fieldText("model.name"), model);
        launch.draft().setField("run.total_steps", "many");
        launch.start();
        QTRY_VERIFY(launch.findChild<QPushButton*>("startButton")->text().contains("1 problem"));
        auto* steps = launch.form().findChild<QLineEdit*>("run.total_steps");
        QTRY_COMPARE(launch.focusWidget(), static_cast<QWidget*>(steps));
        launch.draft().setField("run.total_steps", "30");
        launch.form().findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly)->setText("steps");
        QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
        launch.start();
        QVERIFY(started.wait(kTimeoutMs));
        const QString id = started.front().front().toString();
        QTRY_VERIFY(!launch.isVisible());
        // defect-40: the next experiment finds the window ready, not as the start has left it.
        auto* search = launch.form().findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
        QCOMPARE(search->text(), QString());
        QVERIFY((*m_window)->openLaunchWindow().findChild<QPushButton*>("startButton")->isEnabled());
        QCOMPARE(launch.findChild<QLabel*>("launchMessage")->text(), QString());
        launch.close();
        QTRY_COMPARE(m_window->bench().selection.inspected(), id);
        QVERIFY(m_window->bench().selection.isDrawn(id));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kTimeoutMs);
        QTRY_COMPARE(m_window->entry(id)->row.lastStep, 30);
    }

    void m05_stopIsAcknowledgedAndLeavesNoProcess()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        QVERIFY(!m_window->action("run.resume")->isEnabled());
        QSignalSpy acknowledged(&m_window->bench().control, &ui::RunControl::acknowledged);
        QElapsedTimer timer;
        timer.start();
        m_window->action("run.stop")->trigger();
        QVERIFY(acknowledged.wait(kTimeoutMs));
        qInfo("stop acknowledged after %lld ms", timer.elapsed());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        QTRY_VERIFY(ui_test::processes(folderOf(id)).empty());
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        QVERIFY(m_window->action("run.stop")->toolTip().contains("stopped"));
    }

    void M5_stoppingIsShownWhileTheRanksStillWork()
    {
        const auto forget = qScopeGuard([] {
            for (const char* name : {"FAKE_DO", "FAKE_RANK", "FAKE_STEP"})
                qunsetenv(name);
        });
        qputenv("FAKE_DO", "hang");
        qputenv("FAKE_RANK", "1");
        qputenv("FAKE_STEP", "3");
        open();
        const QString id = startRun();
        QTRY_COMPARE(m_window->entry(id)->status->step, 3);
        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        m_window->action("run.stop")->trigger();
        QTRY_COMPARE(m_window->stateOf(id), std::optional(RunState::Stopping));
        QCOMPARE(m_window->entry(id)->status->waitsFor, std::string("rank 0 finishes step 4"));
        QVERIFY(!ui_test::processes(folderOf(id)).empty());

        // The button has nothing but its menu to offer, which a click opens.
        const auto buttons = (*m_window)->findChild<QToolBar*>("toolBar")->findChildren<QToolButton*>();
        const auto stop = std::ranges::find(buttons, m_window->action("run.stop"), &QToolButton::defaultAction);
        QVERIFY(stop != buttons.end());
        QTRY_VERIFY(!m_window->action("run.stop")->isEnabled());
        QVERIFY((*stop)->isEnabled());
        bool isOpen = false;
        QTimer::singleShot(0, this, [&] {
            isOpen = (*stop)->menu()->isVisible() && m_window->action("run.kill")->isEnabled();
            (*stop)->menu()->close();
        });
        QTest::mouseClick(*stop, Qt::LeftButton);
        QVERIFY(isOpen);
    }

    void m05_resumeGoesOnFromTheCheckpoint()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        m_window->action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        m_window->action("run.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Running), kTimeoutMs);
        QTRY_COMPARE(m_window->entry(id)->row.attempts, 2);
    }

    /// The second attempt went on from an earlier checkpoint than the last one of the first.
    void M5_resumeLeavesAnAbandonedCheckpointAlone()
    {
        open();
        const QString id = startRun();
        const contract::RunFolder run(folderOf(id));
        std::int64_t last = 0;
        for (const std::size_t attempt : {1, 2}) {
            QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Running), kTimeoutMs);
            m_window->action("run.stop")->trigger();
            QTRY_VERIFY_WITH_TIMEOUT(m_window->action("run.resume")->isEnabled(), kTimeoutMs);
            last = run.checkpointSteps().back();
            if (attempt == 1)
                std::filesystem::copy(run.checkpoint(last), run.root() / "copy");
            else  // as if the first had gone on before
                std::filesystem::rename(run.root() / "copy", run.checkpoint(90'000));
            m_window->action("run.resume")->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(run.attempts().size(), attempt + 1, kTimeoutMs);
        }
        QCOMPARE(run.readStart(3).parentStep, last);
    }

    /// The window says what `atelier resume` prints: which checkpoints are damaged, and from where the run goes on.
    void defect29_resumeNamesDamagedCheckpoints()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        m_window->action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kTimeoutMs);
        const contract::RunFolder run(folderOf(id));
        const std::filesystem::path damaged = run.checkpoint(90'000);
        std::filesystem::create_directories(damaged);
        std::ofstream(damaged / "manifest.json") << "{";
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        QStringList messages;  // another one may follow soon
        connect((*m_window)->statusBar(), &QStatusBar::messageChanged, this, [&](const QString& message) { messages << message; });
        const auto disconnects = qScopeGuard([&] { (*m_window)->statusBar()->disconnect(this); });
        m_window->action("run.resume")->trigger();
        QTRY_VERIFY2_WITH_TIMEOUT(!messages.filter("has been resumed").isEmpty(), qPrintable(messages.join('\n')), kTimeoutMs);
        QVERIFY2(messages.filter("has been resumed").front().contains("the checkpoint of step 90000 is damaged"), qPrintable(messages.join('\n')));
    }

    void aDamagedExperimentIsNotExtended_data()
    {
        QTest::addColumn<std::int64_t>("moreSteps");
        QTest::newRow("defect-28: as it is") << std::int64_t {0};
        QTest::newRow("defect-28: by more steps") << std::int64_t {10};
    }
    void aDamagedExperimentIsNotExtended()
    {
        QFETCH(std::int64_t, moreSteps);
        const contract::RunFolder run = m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        std::ofstream(run.config(1), std::ios::app) << "\n[optim]\nlr = \"fast\"\n[[";
        open();
        QSignalSpy refused(&m_window->bench().control, &ui::RunControl::refused);
        m_window->bench().control.resume(QString::fromStdString(run.root().string()), {}, moreSteps);
        QTRY_COMPARE(refused.count(), 1);
        QVERIFY2(refused.front()[1].toString().startsWith(QString::fromStdString(run.config(1).string())), qPrintable(refused.front()[1].toString()));
        QCOMPARE(run.attempts().size(), std::size_t(1));
    }

    void m01_aKilledRankIsShownWithin3Seconds()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        const auto rank = ui_test::rankProcess(contract::RunFolder(folderOf(id)), 1);
        QVERIFY(rank);
        ::kill(*rank, SIGKILL);
        QElapsedTimer timer;
        timer.start();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Failed), kTimeoutMs);
        qInfo("killed rank shown after %lld ms: %s", timer.elapsed(),
            qPrintable(m_window->entry(id)->cause()));
        QVERIFY(timer.elapsed() <= 3000);
        QVERIFY(m_window->entry(id)->cause().contains("ank 1"));
    }

    void aConfirmedKillMeansTheRunThatTheQuestionNames_data()
    {
        QTest::addColumn<bool>("hasEnded");
        QTest::newRow("defect-13: another run is selected meanwhile") << false;
        QTest::newRow("defect-13: the run ends meanwhile") << true;
    }
    void aConfirmedKillMeansTheRunThatTheQuestionNames()
    {
        QFETCH(bool, hasEnded);
        open();
        const QString first = startRun();
        const QString second = startRun();
        QVERIFY(!first.isEmpty() && !second.isEmpty());
        (*m_window)->openRun(first);
        QTRY_VERIFY(m_window->action("run.kill")->isEnabled());
        m_window->action("run.kill")->trigger();
        auto* box = (*m_window)->findChild<QMessageBox*>();
        QVERIFY(box);
        (*m_window)->openRun(second);
        if (hasEnded) {
            launcher::sendCommand(m_home->home(), contract::RunFolder(folderOf(first)), launcher::ControlCommand::Kill);
            QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(first), std::optional(RunState::Stopped), kTimeoutMs);
        }
        ui_test::button(*box, "Kill")->click();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(first), std::optional(RunState::Stopped), kTimeoutMs);
        const auto step = launcher::inspectRun(contract::RunFolder(folderOf(second))).step;
        QTRY_VERIFY_WITH_TIMEOUT(launcher::inspectRun(contract::RunFolder(folderOf(second))).step > step + 20, kTimeoutMs);
        QCOMPARE(m_window->stateOf(second), std::optional(RunState::Running));
    }

    void resumeStandsBesideTheCause_data()
    {
        QTest::addColumn<QString>("end");
        QTest::newRow("defect-46: a rank was killed") << "rank";
        QTest::newRow("defect-46: the supervisor was killed") << "supervisor";
        QTest::newRow("defect-46: the run was killed from the window") << "kill";
    }
    void resumeStandsBesideTheCause()
    {
        QFETCH(QString, end);
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        auto* resume = (*m_window)->findChild<QPushButton*>("resumeButton");
        QVERIFY(!resume->isVisible());
        const contract::RunFolder run(folderOf(id));
        if (end == "kill")
            launcher::sendCommand(m_home->home(), run, launcher::ControlCommand::Kill);
        else
            ::kill(*(end == "rank" ? ui_test::rankProcess(run, 1) : ui_test::supervisorProcess(run)), SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(resume->isVisible(), kTimeoutMs);
        QVERIFY(!(*m_window)->findChild<QLabel*>("causeText")->text().isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id)).empty(), kTimeoutMs);
        resume->click();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Running), kTimeoutMs);
        QTRY_COMPARE(m_window->entry(id)->row.attempts, 2);
        QVERIFY(!resume->isVisible());
    }

    void m01_aKilledSupervisorIsShownWithin3Seconds()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        const auto supervisor = ui_test::supervisorProcess(contract::RunFolder(folderOf(id)));
        QVERIFY(supervisor);
        ::kill(*supervisor, SIGKILL);
        QElapsedTimer timer;
        timer.start();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Interrupted), kTimeoutMs);
        qInfo("killed supervisor shown after %lld ms", timer.elapsed());
        QVERIFY(timer.elapsed() <= 3000);
        // The window ingests the records that the ranks have journalled and the supervisor had not read.
        // They live a moment longer than it and may still write.
        QTRY_COMPARE(m_window->entry(id)->row.lastStep, launcher::inspectRun(contract::RunFolder(folderOf(id))).step);
    }

    /// A run whose ranks hang shows the age of its last record long before its state becomes Stalled.
    void m14_aSilentRunSaysHowOldItsLastRecordIs()
    {
        qputenv("FAKE_DO", "hang");
        open();
        const QString id = startRun();
        qunsetenv("FAKE_DO");
        QVERIFY(!id.isEmpty());
        const auto stale = [this] {
            QStringList texts;
            for (auto* label : (*m_window)->findChildren<QLabel*>(QStringLiteral("staleText"))) {
                if (label->isVisible() && !label->visibleRegion().isEmpty())  // not behind another dock
                    texts << label->text();
            }
            return texts;
        };
        QVERIFY(stale().isEmpty());
        // One text each in runs, plots, inspector and logs.
        QTRY_COMPARE_WITH_TIMEOUT(stale().size(), 4, kTimeoutMs);
        for (const QString& text : stale())
            QVERIFY2(text.contains(QStringLiteral("ast record 1")) && text.endsWith(QStringLiteral("s ago")), qPrintable(text));
        QCOMPARE(m_window->stateOf(id), std::optional(RunState::Running));
        for (const int tab : {1, 2}) {  // samples and checkpoints, in place of the plots
            (*m_window)->tabs().setCurrentIndex(tab);
            QTRY_COMPARE(stale().size(), 4);
        }
    }

    void m14_whatIsEmptyOffersWhatFillsIt()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        (*m_window)->tabs().setCurrentIndex(2);
        QWidget& checkpoints = *(*m_window)->tabs().currentWidget();
        QTRY_VERIFY(button(checkpoints, "Checkpoint"));
        button(checkpoints, "Checkpoint")->click();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->bench().facts.facts().checkpoints > 0, kTimeoutMs);
        QTRY_VERIFY(!button(checkpoints, "Checkpoint"));
        // Of a run that has ended, nothing more can be drawn.
        (*m_window)->tabs().setCurrentIndex(1);
        QWidget& samples = *(*m_window)->tabs().currentWidget();
        QTRY_VERIFY(button(samples, "Sample"));
        m_window->action("run.stop")->trigger();
        QVERIFY(m_window->becomes(id, RunState::Stopped));
        QTRY_VERIFY(!button(samples, "Sample"));
    }

    void m06_closingLeavesTrainingOnAndReopeningFindsIt()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        (*m_window)->close();
        auto* note = (*m_window)->findChild<QMessageBox*>("detachNote");
        QVERIFY(note);
        QVERIFY(note->text().contains("continues"));
        QTest::keyClick(note, Qt::Key_Escape);
        QTRY_VERIFY(!(*m_window)->findChild<QMessageBox*>("detachNote"));
        QVERIFY((*m_window)->isVisible());
        (*m_window)->close();  // it is said again, until the window was closed once
        note = (*m_window)->findChild<QMessageBox*>("detachNote");
        QVERIFY(note);
        note->accept();
        QTRY_VERIFY(!(*m_window)->isVisible());
        m_window.reset();
        const auto before = launcher::inspectRun(contract::RunFolder(folderOf(id))).step;
        QTRY_VERIFY(launcher::inspectRun(contract::RunFolder(folderOf(id))).step > before);

        open();
        QTRY_COMPARE(m_window->stateOf(id), std::optional(RunState::Running));
        QTRY_VERIFY(m_window->entry(id)->row.lastStep > before);
        // The note is shown only once.
        (*m_window)->close();
        QVERIFY(!(*m_window)->isVisible());
    }
};

ATELIER_UI_TEST_MAIN(WindowControlTest)
#include "tst_window_control.moc"
