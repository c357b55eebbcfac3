// SIGKILL at random moments to a rank, the supervisor or the window, one after the other: nothing that was journalled is lost, every
// checkpoint is whole, the right state is shown, and what goes on is what an unbroken run does, bit for bit.
//
// ATELIER_KILLS sets their number. ATELIER_KILL_SEED repeats the choices of an earlier execution (and its moments, as far as the
// machine allows); each row has its own generator, so that a row alone makes the choices that it makes among the others.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "launcher/runs/launch.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/window_kills.h"

#include <algorithm>
#include <filesystem>
#include <random>

using launcher::RunState;
using ui_test::kCheckpointEvery;
using ui_test::kSteps;
using ui_test::kTimeoutMs;
using ui_test::lossesOf;
using ui_test::newestCheckpoint;

namespace {

constexpr int kKillsPerRow = 20;

int fromEnvironment(const char* name, int otherwise)
{
    bool isNumber = false;
    const int number = qEnvironmentVariableIntValue(name, &isNumber);
    return isNumber ? number : otherwise;
}

}  // namespace

class WindowKillsTest : public QObject, ui_test::WindowKills {
    Q_OBJECT

private:
    int m_seed = 0;

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("ATELIER_PROGRAM", ATELIER_BIN_DIR "/atelier");
        qputenv("ATELIER_WORKER", ATELIER_BIN_DIR "/atelier-worker");
        m_seed = fromEnvironment("ATELIER_KILL_SEED", int(std::random_device()() >> 1));
        qInfo("ATELIER_KILL_SEED=%d", m_seed);

        m_home = std::make_unique<ui_test::TestHome>();
        open();
        const QString id = startRun();
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), 6 * kTimeoutMs);
        for (const auto& [step, loss] : lossesOf(folderOf(id)))
            QVERIFY(m_unbroken.losses.emplace(step, loss).second);
        QCOMPARE(m_unbroken.losses.size(), std::size_t(kSteps));
        for (const std::int64_t step : folderOf(id).checkpointSteps())
            m_unbroken.checksums[step] = contract::readManifest(folderOf(id).checkpoint(step)).checksums;
        QCOMPARE(m_unbroken.checksums.size(), std::size_t(kSteps / kCheckpointEvery));
        m_window.reset();
        m_home.reset();
    }

    void init() { m_home = std::make_unique<ui_test::TestHome>(); }

    void cleanup()
    {
        m_window.reset();
        QVERIFY(ui_test::endRuns(m_home->home()));
        m_home.reset();
    }

    void nothingIsLostByKillsInARow_data()
    {
        QTest::addColumn<int>("first");
        QTest::addColumn<int>("count");
        const int all = fromEnvironment("ATELIER_KILLS", 9);
        for (int first = 1; first <= all; first += kKillsPerRow) {
            const int count = std::min(kKillsPerRow, all + 1 - first);
            QTest::addRow("defect-kills: M-01 M-06 kills %d to %d", first, first + count - 1) << first << count;
        }
    }
    void nothingIsLostByKillsInARow()
    {
        QFETCH(int, first);
        QFETCH(int, count);
        m_random.seed(static_cast<unsigned>(m_seed + first));
        open();
        QString id;
        for (int kill = first; kill < first + count; ++kill) {
            const auto victim = static_cast<Victim>((kill + random(1)) % 3);  // about as many of each, in an order that varies
            const QString hit = killOnce(id, victim);
            const char* const name = victim == Victim::Rank ? "a rank" : victim == Victim::Supervisor ? "the supervisor" : "the window";
            const ui::RunEntry* const entry = hit.isEmpty() ? nullptr : m_window->entry(hit);
            qInfo("kill %d: %s, step %lld: %s", kill, name, entry ? qlonglong(entry->step()) : -1LL,
                entry && entry->status ? launcher::stateName(entry->status->state).data() : "no run");
            if (QTest::currentTestFailed())
                return;
            id = hit;
        }
        if (id.isEmpty())
            return;  // the last window was killed before there was a run, which killOnce() has checked
        if (!m_window->entry(id)->isActive() && !hasNothingLeft(id))
            resume(id);
        if (m_window->entry(id)->isActive() || m_window->stateOf(id) == RunState::Finished)
            checkTheEnd(id);
        else
            QCOMPARE(newestCheckpoint(folderOf(id)), std::int64_t(kSteps));
    }

    /// What a window leaves that is killed between the first two actions of a start.
    void m06_aWindowKilledBeforeThereWasAnAttempt()
    {
        const QString id = QStringLiteral("small-20261121-101500-aaaa");
        QVERIFY(std::filesystem::create_directories(folderOf(id).root()));
        open();
        checkThatNothingWasStarted(id);
        const QString next = m_window->start(ui_test::smallExperiment(kCheckpointEvery));
        QVERIFY(!next.isEmpty());
        QVERIFY(m_window->becomes(next, RunState::Finished));
        QVERIFY(m_window->stateOf(id).value_or(RunState::Interrupted) == RunState::Interrupted);
    }

    /// And one that is killed before it starts the supervisor.
    void m06_aWindowKilledBeforeThereWasASupervisor()
    {
        open();
        const QString id = QString::fromStdString(launcher::createRun(m_home->home(), ui_test::smallExperiment(kCheckpointEvery)).folder.id());
        checkNextWindow(id);
        QCOMPARE(m_window->stateOf(id), std::optional(RunState::Prepared));
        resume(id);
        QVERIFY(m_window->becomes(id, RunState::Finished));
        QCOMPARE(folderOf(id).attempts(), std::vector<int>({1}));
    }
};

ATELIER_UI_TEST_MAIN(WindowKillsTest)
#include "tst_window_kills.moc"
