// Starting, stopping, resuming and losing runs: the real window, supervisor and database over fake ranks.
#include "launcher/run_state.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"

#include <QAction>
#include <QElapsedTimer>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>

#include <signal.h>

using launcher::RunState;
using ui_test::kPatienceMs;
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

    void m02_theLaunchFormStartsARunThatFinishes_data()
    {
        QTest::addColumn<QString>("button");
        QTest::addColumn<QString>("model");
        QTest::newRow("digits") << "Digits demo" << "dit";
        QTest::newRow("emoji") << "Emoji demo" << "sd3";
    }
    void m02_theLaunchFormStartsARunThatFinishes()
    {
        QFETCH(QString, button);
        QFETCH(QString, model);
        open();
        ui::LaunchWindow& launch = (*m_window)->openLaunchWindow();
        for (QPushButton* ready : launch.findChildren<QPushButton*>()) {
            if (ready->text() == button)
                ready->click();
        }
        QCOMPARE(launch.draft().fieldText("model.name"), model);
        launch.draft().setField("run.total_steps", "many");
        launch.start();
        QTRY_VERIFY(launch.findChild<QPushButton*>("startButton")->text().contains("1 problem"));
        auto* steps = launch.form().findChild<QLineEdit*>("run.total_steps");
        QTRY_COMPARE(launch.focusWidget(), static_cast<QWidget*>(steps));
        launch.draft().setField("run.total_steps", "30");
        QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
        launch.start();
        QVERIFY(started.wait(kPatienceMs));
        const QString id = started.front().front().toString();
        QTRY_VERIFY(!launch.isVisible());
        QTRY_COMPARE(m_window->bench().selection.inspected(), id);
        QVERIFY(m_window->bench().selection.isDrawn(id));
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kPatienceMs);
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
        QVERIFY(acknowledged.wait(kPatienceMs));
        qInfo("stop acknowledged after %lld ms", timer.elapsed());
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kPatienceMs);
        QTRY_VERIFY(ui_test::processes(folderOf(id)).empty());
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        QVERIFY(m_window->action("run.stop")->toolTip().contains("stopped"));
    }

    void m05_resumeGoesOnFromTheCheckpoint()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(m_window->action("run.stop")->isEnabled());
        m_window->action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Stopped), kPatienceMs);
        QTRY_VERIFY(m_window->action("run.resume")->isEnabled());
        m_window->action("run.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Running), kPatienceMs);
        QTRY_COMPARE(m_window->entry(id)->row.attempts, 2);
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
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Failed), kPatienceMs);
        qInfo("killed rank shown after %lld ms: %s", timer.elapsed(),
            qPrintable(m_window->entry(id)->cause()));
        QVERIFY(timer.elapsed() <= 3000);
        QVERIFY(m_window->entry(id)->cause().contains("ank 1"));
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
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Interrupted), kPatienceMs);
        qInfo("killed supervisor shown after %lld ms", timer.elapsed());
        QVERIFY(timer.elapsed() <= 3000);
        // What the ranks journalled and the dead supervisor had not read is read now.
        const auto last = launcher::inspectRun(contract::RunFolder(folderOf(id))).step;
        QTRY_COMPARE(m_window->entry(id)->row.lastStep, last);
    }

    /// Ranks that hang are told about long before they are called stalled.
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
                if (label->isVisible())
                    texts << label->text();
            }
            return texts;
        };
        QVERIFY(stale().isEmpty());
        // Runs, plots and inspector.
        QTRY_COMPARE_WITH_TIMEOUT(stale().size(), 3, kPatienceMs);
        for (const QString& text : stale())
            QVERIFY2(text.contains(QStringLiteral("ast record 1")) && text.endsWith(QStringLiteral("s ago")), qPrintable(text));
        QCOMPARE(m_window->stateOf(id), std::optional(RunState::Running));
    }

    void m06_closingLeavesTrainingOnAndReopeningFindsIt()
    {
        open();
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        (*m_window)->close();
        auto* note = (*m_window)->findChild<QMessageBox*>("detachNote");
        QVERIFY(note);
        QVERIFY(note->text().contains("goes on"));
        note->accept();
        QTRY_VERIFY(!(*m_window)->isVisible());
        m_window.reset();
        const auto before = launcher::inspectRun(contract::RunFolder(folderOf(id))).step;
        QTRY_VERIFY(launcher::inspectRun(contract::RunFolder(folderOf(id))).step > before);

        open();
        QTRY_COMPARE(m_window->stateOf(id), std::optional(RunState::Running));
        QTRY_VERIFY(m_window->entry(id)->row.lastStep > before);
        // Said once.
        (*m_window)->close();
        QVERIFY(!(*m_window)->isVisible());
    }
};

ATELIER_UI_TEST_MAIN(WindowControlTest)
#include "tst_window_control.moc"
