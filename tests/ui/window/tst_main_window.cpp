// The real window with a real supervisor, real processes and a real database.
#include "launcher/control_client.h"
#include "launcher/launch.h"
#include "launcher/run_state.h"
#include "tests/ui/support/test_home.h"
#include "tests/ui/support/ui_test_main.h"
#include "ui/launch/draft.h"
#include "ui/launch/launch_window.h"
#include "ui/launch/option_form.h"
#include "ui/launch/option_field.h"
#include "ui/logs/logs_dock.h"
#include "ui/main_window.h"
#include "ui/runs/runs_view.h"
#include "ui/single_instance.h"

#include <QAbstractScrollArea>
#include <QAccessible>
#include <QElapsedTimer>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QTreeView>

#include <signal.h>

#include <algorithm>
#include <fstream>

using launcher::RunState;
using namespace std::chrono_literals;

namespace {

constexpr int kPatienceMs = 20'000;

QPushButton* button(QWidget& parent, const QString& text)
{
    for (QPushButton* candidate : parent.findChildren<QPushButton*>()) {
        if (candidate->text() == text && candidate->isVisible())
            return candidate;
    }
    return nullptr;
}

QString sentence(QWidget& parent)
{
    auto* label = parent.findChild<QLabel*>("emptySentence");
    return label && label->isVisible() ? label->text() : QString();
}

/// Process ids of everything that has @p text on its command line.
std::vector<pid_t> processes(const std::string& text)
{
    std::vector<pid_t> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        const std::string name = entry.path().filename();
        if (name.find_first_not_of("0123456789") != std::string::npos)
            continue;
        std::ifstream file(entry.path() / "cmdline");
        const std::string line((std::istreambuf_iterator<char>(file)), {});
        if (line.find(text) != std::string::npos && std::stoi(name) != ::getpid())
            found.push_back(std::stoi(name));
    }
    return found;
}

}  // namespace

class MainWindowTest : public QObject {
    Q_OBJECT

private:
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<ui::MainWindow> m_window;

    void open()
    {
        m_window = std::make_unique<ui::MainWindow>(m_home->home());
        connect(&m_window->workbench().store, &ui::StoreService::failed, this,
            [](storage::StoreError::Kind, const QString& message) { qWarning("%s", qPrintable(message)); });
        connect(&m_window->workbench().watch, &ui::RunWatch::failed, this,
            [](storage::StoreError::Kind, const QString& message) { qWarning("%s", qPrintable(message)); });
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }

    std::optional<RunState> stateOf(const QString& id) const
    {
        const ui::RunEntry* const entry = m_window->workbench().runs.entry(id);
        return entry && entry->status ? std::optional(entry->status->state) : std::nullopt;
    }

    QAction* action(const char* id) const { return m_window->workbench().actions.action(QLatin1String(id)); }

    static contract::Experiment experiment(int steps)
    {
        contract::Experiment experiment;
        experiment.setText("run.name", "small");
        experiment.setText("run.total_steps", std::to_string(steps));
        experiment.setText("data.path", ATELIER_SOURCE_DIR "/resources/digits.csv.gz");
        return experiment;
    }

    /// Starts a run as the launch window does. @return its id, once the window shows it as running.
    QString startRun(int steps)
    {
        QSignalSpy started(&m_window->workbench().control, &ui::RunControl::started);
        m_window->workbench().control.start(experiment(steps));
        if (!started.wait(kPatienceMs))
            return {};
        const QString id = started.front().front().toString();
        return QTest::qWaitFor([&] { return stateOf(id) == RunState::Running; }, kPatienceMs) ? id : QString();
    }

    std::string folderOf(const QString& id) const { return (m_home->home().runs() / id.toStdString()).string(); }

    /// Starts a run, looks through others, filters, stops it. @return turns over 16 ms.
    QStringList liveADay()
    {
        auto& application = *static_cast<ui::WatchedApplication*>(QCoreApplication::instance());
        QStringList longTurns;
        const auto connection = connect(&application, &ui::WatchedApplication::turnTookLong, this,
            [&](const ui::LongTurn& turn) {
                longTurns << QStringLiteral("%1 ms: %2; %3").arg(double(turn.busy.count()) / 1000).arg(turn.event, turn.paint);
            });
        application.setLimit(16ms);
        application.takeLongest();
        const QString id = startRun(100'000);
        const auto hasStep = [&](std::int64_t step) {
            return QTest::qWaitFor([&] { return m_window->workbench().runs.entry(id)->row.lastStep > step; }, kPatienceMs);
        };
        if (id.isEmpty() || !hasStep(100))
            return {QStringLiteral("the run did not get going")};
        for (int row = 0; row < 10; ++row)
            m_window->openRun(m_window->workbench().runs.index(row, 0).data(ui::RunsModel::IdRole).toString());
        m_window->openRun(id);
        auto* search = m_window->runsView().findChild<QLineEdit*>();
        for (const char* text : {"o", "ol", "old", "old5", ""})
            search->setText(QLatin1String(text));
        const bool isAlive = hasStep(200);
        action("run.stop")->trigger();
        if (!isAlive || !QTest::qWaitFor([&] { return stateOf(id) == RunState::Stopped; }, kPatienceMs))
            return {QStringLiteral("the run did not stop")};
        const ui::LongTurn longest = application.takeLongest();
        application.setLimit(0ms);
        disconnect(connection);
        qInfo("longest turn %lld us: %s", qlonglong(longest.busy.count()), qPrintable(longest.event));
        return longTurns;
    }

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
        for (const auto& run : std::filesystem::directory_iterator(m_home->home().runs())) {
            launcher::sendCommand(m_home->home(), contract::RunFolder(run.path()), launcher::ControlCommand::Kill);
            QTRY_VERIFY_WITH_TIMEOUT(processes(run.path().string()).empty(), kPatienceMs);
        }
        m_home.reset();
    }

    void m14_anEmptyHomeOffersTheFirstStep()
    {
        open();
        QTRY_COMPARE(sentence(m_window->runsView()), QStringLiteral("No runs yet."));
        QTRY_VERIFY(button(m_window->runsView(), "Run the digits demo"));
        button(m_window->runsView(), "New experiment")->click();
        QVERIFY(m_window->openLaunchWindow().isVisible());
    }

    void m14_aFilterWithoutMatchesSaysSo()
    {
        m_home->writeRun("alpha-20261121-100000-aaaa", 10, "finished");
        m_home->writeRun("beta-20261121-100001-bbbb", 10, "finished");
        open();
        QTRY_COMPARE(m_window->workbench().runs.rowCount(), 2);
        auto* search = m_window->runsView().findChild<QLineEdit*>();
        search->setText("no such run");
        QCOMPARE(sentence(m_window->runsView()), QStringLiteral("0 of 2 runs match."));
        QTRY_VERIFY(button(m_window->runsView(), "Clear filter"));
        button(m_window->runsView(), "Clear filter")->click();
        QCOMPARE(sentence(m_window->runsView()), QString());
    }

    /// Runs whose supervisor died before the index knew of them appear when the window opens.
    void m01_finishedAndInterruptedRunsAreWhatTheirFoldersSay()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        m_home->writeRun("gone-20261121-100001-bbbb", 40, "");
        m_home->writeRun("sick-20261121-100002-cccc", 41, "failed", "Rank 1 was killed (signal 9) at step 41");
        open();
        QTRY_COMPARE(stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_COMPARE(stateOf("gone-20261121-100001-bbbb"), std::optional(RunState::Interrupted));
        QTRY_COMPARE(stateOf("sick-20261121-100002-cccc"), std::optional(RunState::Failed));
        m_window->openRun("sick-20261121-100002-cccc");
        QTRY_COMPARE(m_window->findChild<QLabel*>("causeText")->text(),
            QStringLiteral("Rank 1 was killed (signal 9) at step 41"));
    }

    void m15_aDamagedIndexIsSaidAndRebuilt()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        QFile file(QString::fromStdString(m_home->home().database().string()));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(QByteArray(8192, 'x'));
        file.close();
        open();
        auto* strip = m_window->runsView().findChild<QWidget*>("errorStrip");
        QTRY_VERIFY(strip->isVisible());
        QTRY_VERIFY(button(m_window->runsView(), "Rebuild index"));
        button(m_window->runsView(), "Rebuild index")->click();
        QTRY_COMPARE(stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QVERIFY(!strip->isVisible());
    }

    void m02_theLaunchFormStartsARunThatFinishes()
    {
        open();
        ui::LaunchWindow& launch = m_window->openLaunchWindow();
        launch.loadDemo();
        launch.draft().setField("run.total_steps", "many");
        launch.start();
        QTRY_VERIFY(launch.findChild<QPushButton*>("startButton")->text().contains("1 problem"));
        auto* steps = launch.form().findChild<QLineEdit*>("run.total_steps");
        QTRY_COMPARE(launch.focusWidget(), static_cast<QWidget*>(steps));
        launch.draft().setField("run.total_steps", "30");
        QSignalSpy started(&m_window->workbench().control, &ui::RunControl::started);
        launch.start();
        QVERIFY(started.wait(kPatienceMs));
        const QString id = started.front().front().toString();
        QTRY_VERIFY(!launch.isVisible());
        QTRY_COMPARE(m_window->workbench().selection.inspected(), id);
        QVERIFY(m_window->workbench().selection.isDrawn(id));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Finished), kPatienceMs);
        QTRY_COMPARE(m_window->workbench().runs.entry(id)->row.lastStep, 30);
    }

    void m05_stopIsAcknowledgedAndLeavesNoProcess()
    {
        open();
        const QString id = startRun(100'000);
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(action("run.stop")->isEnabled());
        QVERIFY(!action("run.resume")->isEnabled());
        QSignalSpy acknowledged(&m_window->workbench().control, &ui::RunControl::acknowledged);
        QElapsedTimer timer;
        timer.start();
        action("run.stop")->trigger();
        QVERIFY(acknowledged.wait(kPatienceMs));
        qInfo("stop acknowledged after %lld ms", timer.elapsed());
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Stopped), kPatienceMs);
        QTRY_VERIFY(processes(folderOf(id)).empty());
        QTRY_VERIFY(action("run.resume")->isEnabled());
        QVERIFY(action("run.stop")->toolTip().contains("stopped"));
    }

    void m05_resumeGoesOnFromTheCheckpoint()
    {
        open();
        const QString id = startRun(100'000);
        QVERIFY(!id.isEmpty());
        QTRY_VERIFY(action("run.stop")->isEnabled());
        action("run.stop")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Stopped), kPatienceMs);
        QTRY_VERIFY(action("run.resume")->isEnabled());
        action("run.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Running), kPatienceMs);
        QTRY_COMPARE(m_window->workbench().runs.entry(id)->row.attempts, 2);
    }

    void m01_aKilledRankIsShownWithin3Seconds()
    {
        open();
        const QString id = startRun(100'000);
        QVERIFY(!id.isEmpty());
        for (const pid_t process : processes(folderOf(id))) {
            std::ifstream file("/proc/" + std::to_string(process) + "/environ");
            const std::string environment((std::istreambuf_iterator<char>(file)), {});
            if (environment.find(std::string("\0RANK=1\0", 8)) != std::string::npos)
                ::kill(process, SIGKILL);
        }
        QElapsedTimer timer;
        timer.start();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Failed), kPatienceMs);
        qInfo("killed rank shown after %lld ms: %s", timer.elapsed(),
            qPrintable(m_window->workbench().runs.entry(id)->cause()));
        QVERIFY(timer.elapsed() <= 3000);
        QVERIFY(m_window->workbench().runs.entry(id)->cause().contains("ank 1"));
    }

    void m01_aKilledSupervisorIsShownWithin3Seconds()
    {
        open();
        const QString id = startRun(100'000);
        QVERIFY(!id.isEmpty());
        const auto supervisors = processes("supervise");
        for (const pid_t process : supervisors) {
            if (std::ranges::count(processes(folderOf(id)), process))
                ::kill(process, SIGKILL);
        }
        QElapsedTimer timer;
        timer.start();
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(id), std::optional(RunState::Interrupted), kPatienceMs);
        qInfo("killed supervisor shown after %lld ms", timer.elapsed());
        QVERIFY(timer.elapsed() <= 3000);
        // What the ranks journalled and the dead supervisor had not read is read now.
        const auto last = launcher::inspectRun(contract::RunFolder(folderOf(id))).step;
        QTRY_COMPARE(m_window->workbench().runs.entry(id)->row.lastStep, last);
    }

    void m06_closingLeavesTrainingOnAndReopeningFindsIt()
    {
        open();
        const QString id = startRun(100'000);
        QVERIFY(!id.isEmpty());
        m_window->close();
        auto* note = m_window->findChild<QMessageBox*>("detachNote");
        QVERIFY(note);
        QVERIFY(note->text().contains("goes on"));
        note->accept();
        QTRY_VERIFY(!m_window->isVisible());
        m_window.reset();
        const auto before = launcher::inspectRun(contract::RunFolder(folderOf(id))).step;
        QTRY_VERIFY(launcher::inspectRun(contract::RunFolder(folderOf(id))).step > before);

        open();
        QTRY_COMPARE(stateOf(id), std::optional(RunState::Running));
        QTRY_VERIFY(m_window->workbench().runs.entry(id)->row.lastStep > before);
        // Said once.
        m_window->close();
        QVERIFY(!m_window->isVisible());
    }

    void aTrashedRunCanBeBroughtBack()
    {
        m_home->writeRun("done-20261121-100000-aaaa", 100, "finished");
        open();
        QTRY_COMPARE(stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
        QTRY_VERIFY(action("run.trash")->isEnabled());
        action("run.trash")->trigger();
        QTRY_COMPARE(m_window->workbench().runs.rowCount(), 0);
        QTRY_VERIFY(action("edit.undo")->isEnabled());
        action("edit.undo")->trigger();
        QTRY_COMPARE(stateOf("done-20261121-100000-aaaa"), std::optional(RunState::Finished));
    }

    void aSecondStartRaisesTheFirst()
    {
        ui::SingleInstance first(m_home->home());
        QVERIFY(!first.tell("raise"));
        QVERIFY(first.listen());
        QSignalSpy told(&first, &ui::SingleInstance::told);
        QVERIFY(ui::SingleInstance(m_home->home()).tell("run digits-1"));
        QTRY_COMPARE(told.count(), 1);
        QCOMPARE(told.front().front().toString(), QStringLiteral("run digits-1"));
    }

    void everyActionSaysWhatItIsAndKeysAreUnique()
    {
        open();
        QSet<QString> keys;
        for (const ui::ActionSpec& spec : m_window->workbench().actions.specs()) {
            QVERIFY(!spec.text.isEmpty());
            if (spec.key.isEmpty())
                continue;
            QVERIFY2(!keys.contains(spec.key.toString()), qPrintable(spec.key.toString()));
            keys.insert(spec.key.toString());
        }
    }

    void everyControlHasAName()
    {
        open();
        m_window->openLaunchWindow();
        QList<QWidget*> widgets = m_window->findChildren<QWidget*>();
        widgets += m_window->openLaunchWindow().findChildren<QWidget*>();
        for (QWidget* widget : widgets) {
            if (widget->focusPolicy() == Qt::NoFocus || !widget->isVisible() || !widget->isEnabled())
                continue;
            QAccessibleInterface* const face = QAccessible::queryAccessibleInterface(widget);
            if (!face || face->role() == QAccessible::Client || qobject_cast<QAbstractScrollArea*>(widget->parent())
                || widget->inherits("QScrollArea"))
                continue;
            QVERIFY2(!face->text(QAccessible::Name).isEmpty(),
                qPrintable(QStringLiteral("%1 %2").arg(widget->metaObject()->className(), widget->objectName())));
        }
    }

    /// M17: a day in short, with every turn of the event loop measured. Slow code is slow every day; a turn
    /// that is long once and not on the next day was the machine's.
    void m17_noTurnOfTheScriptedDayIsLong()
    {
        for (int run = 0; run < 60; ++run)
            m_home->writeRun("old" + std::to_string(run) + "-20261121-1000" + std::to_string(10 + run) + "-aaaa", 200, "finished");
        open();
        QTRY_COMPARE(m_window->workbench().runs.rowCount(), 60);
        QTRY_VERIFY(!m_window->workbench().facts.facts().runId.isEmpty());
        QStringList longTurns;
        for (int day = 0; day < 3; ++day) {
            longTurns = liveADay();
            if (longTurns.isEmpty())
                return;
        }
        QFAIL(qPrintable(longTurns.join(QLatin1Char('\n'))));
    }
};

ATELIER_UI_TEST_MAIN(MainWindowTest)
#include "tst_main_window.moc"
