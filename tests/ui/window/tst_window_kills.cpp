// SIGKILL at random moments to a rank, the supervisor or the window itself: nothing that was journalled is lost,
// the right state is shown, and the run can be resumed and finishes.
//
// ATELIER_KILL_SEED repeats a former day's moments; ATELIER_KILL_ROUNDS makes it a longer one.
#include "launcher/launch.h"
#include "launcher/run_state.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>

#include <filesystem>
#include <random>
#include <signal.h>
#include <time.h>

using launcher::RunState;
using ui_test::kPatienceMs;
using ui_test::OpenWindow;

namespace {

constexpr int kSteps = 240;

int fromEnvironment(const char* name, int otherwise)
{
    bool isNumber = false;
    const int number = qEnvironmentVariableIntValue(name, &isNumber);
    return isNumber ? number : otherwise;
}

}  // namespace

class WindowKillsTest : public QObject {
    Q_OBJECT

private:
    std::mt19937 m_random;
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    int random(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

    contract::RunFolder folderOf(const QString& id) const
    {
        return contract::RunFolder(m_home->home().runs() / id.toStdString());
    }

    /// Some step of the run is reached, and a little more time has passed: any moment within a step. One in five
    /// comes while the run is only starting.
    void reachRandomMoment(const contract::RunFolder& run)
    {
        const int step = random(4) == 0 ? 0 : random(kSteps * 3 / 4);
        QVERIFY(QTest::qWaitFor(
            [&] { return step == 0 || launcher::inspectRun(run).step >= step; }, kPatienceMs));
        const timespec little {.tv_sec = 0, .tv_nsec = random(20'000'000)};
        ::nanosleep(&little, nullptr);
    }

    /// Starts a run in the open window. @return its id, as soon as the window has looked at it.
    QString startRun()
    {
        QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
        m_window->bench().control.start(ui_test::smallExperiment(kSteps));
        if (!started.wait(kPatienceMs))
            return {};
        const QString id = started.front().front().toString();
        return QTest::qWaitFor([&] { return m_window->stateOf(id).has_value(); }, kPatienceMs) ? id : QString();
    }

    /// What must be so after every kill.
    void checkThatNothingIsLost(const QString& id)
    {
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 0), QString(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id).root().string()).empty(), kPatienceMs);
        QCOMPARE(m_window->stateOf(id), std::optional(launcher::inspectRun(folderOf(id)).state));
    }

    void resumeToTheEnd(const QString& id)
    {
        const bool isOver = m_window->stateOf(id) == RunState::Finished;
        const auto attempts = folderOf(id).attempts().size();
        (*m_window)->openRun(id);
        if (!isOver) {
            QTRY_VERIFY_WITH_TIMEOUT(m_window->action("run.resume")->isEnabled(), kPatienceMs);
            m_window->action("run.resume")->trigger();
            QTRY_COMPARE_WITH_TIMEOUT(folderOf(id).attempts().size(), attempts + 1, kPatienceMs);
        }
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 10 * kSteps), QString(), kPatienceMs);
        QCOMPARE(launcher::inspectRun(folderOf(id)).step, std::int64_t(kSteps));
    }

    static void addRounds(int number)
    {
        QTest::addColumn<int>("round");
        for (int round = 1; round <= fromEnvironment("ATELIER_KILL_ROUNDS", number); ++round)
            QTest::addRow("round %d", round) << round;
    }

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        const int seed = fromEnvironment("ATELIER_KILL_SEED", int(std::random_device()() >> 1));
        qInfo("ATELIER_KILL_SEED=%d", seed);
        m_random.seed(static_cast<unsigned>(seed));
    }

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void m01_aKilledRank_data() { addRounds(4); }
    void m01_aKilledRank()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        reachRandomMoment(folderOf(id));
        const int rank = random(1);
        std::optional<pid_t> process;
        QVERIFY(QTest::qWaitFor(
            [&] { return (process = ui_test::rankProcess(folderOf(id), rank)) || m_window->stateOf(id) == RunState::Finished; }, kPatienceMs));
        QElapsedTimer timer;
        timer.start();
        if (process)
            ::kill(*process, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) && !m_window->entry(id)->isActive(), kPatienceMs);
        qInfo("rank %d killed at step %lld: %s after %lld ms", rank, qlonglong(m_window->entry(id)->step()),
            launcher::stateName(*m_window->stateOf(id)).data(), timer.elapsed());
        checkThatNothingIsLost(id);
        // A rank that was killed when all had been done already changes nothing.
        if (m_window->stateOf(id) != RunState::Finished) {
            QCOMPARE(m_window->stateOf(id), std::optional(RunState::Failed));
            QVERIFY2(m_window->entry(id)->cause().contains(QStringLiteral("Rank %1 was killed (signal 9").arg(rank)),
                qPrintable(m_window->entry(id)->cause()));
        }
        resumeToTheEnd(id);
    }

    void m01_aKilledSupervisor_data() { addRounds(4); }
    void m01_aKilledSupervisor()
    {
        m_window = std::make_unique<OpenWindow>(m_home->home());
        const QString id = startRun();
        QVERIFY(!id.isEmpty());
        reachRandomMoment(folderOf(id));
        const auto process = ui_test::supervisorProcess(folderOf(id));
        if (process)
            ::kill(*process, SIGKILL);
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) && !m_window->entry(id)->isActive(), kPatienceMs);
        qInfo("supervisor killed at step %lld: %s after %lld ms", qlonglong(m_window->entry(id)->step()),
            launcher::stateName(*m_window->stateOf(id)).data(), timer.elapsed());
        QVERIFY(timer.elapsed() <= 3000);
        checkThatNothingIsLost(id);
        QVERIFY(m_window->stateOf(id) == RunState::Interrupted || m_window->stateOf(id) == RunState::Finished);
        resumeToTheEnd(id);
    }

    /// The window is the real program, which starts the digits demo (made small) by itself.
    void m06_aKilledWindow_data() { addRounds(4); }
    void m06_aKilledWindow()
    {
        const QString resources = QString::fromStdString((m_home->home().data / "resources").string());
        QVERIFY(QDir().mkpath(resources + QStringLiteral("/experiments")));
        contract::writeFileAtomically((resources + QStringLiteral("/experiments/digits.toml")).toStdString(),
            ui_test::smallExperiment(kSteps).toToml(contract::Experiment::Write::Everything));
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("ATELIER_RESOURCES"), resources);
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(ATELIER_BIN_DIR "/atelier"), {QStringLiteral("--demo")});
        QVERIFY(program.waitForStarted());
        QDir runs(QString::fromStdString(m_home->home().runs().string()));
        const auto ids = [&] {
            runs.refresh();
            return runs.entryList(QDir::Dirs | QDir::NoDotAndDotDot);
        };
        QTRY_VERIFY_WITH_TIMEOUT(!ids().isEmpty(), kPatienceMs);
        const QString id = ids().front();
        reachRandomMoment(folderOf(id));
        program.kill();
        QVERIFY(program.waitForFinished(kPatienceMs));

        m_window = std::make_unique<OpenWindow>(m_home->home());
        if (folderOf(id).attempts().empty()) {
            qInfo("killed before there was a run");
            return;
        }
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id), kPatienceMs);
        qInfo("window killed at step %lld: the next one shows %s after %lld ms", qlonglong(m_window->entry(id)->step()),
            launcher::stateName(*m_window->stateOf(id)).data(), timer.elapsed());
        QVERIFY(timer.elapsed() <= 3000);
        // Training went on, unless the window died before it had started the supervisor.
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id) == RunState::Finished
                || m_window->stateOf(id) == RunState::Interrupted, kPatienceMs);
        checkThatNothingIsLost(id);
        resumeToTheEnd(id);
    }
};

ATELIER_UI_TEST_MAIN(WindowKillsTest)
#include "tst_window_kills.moc"
