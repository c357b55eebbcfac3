// SIGKILL at random moments to a rank, the supervisor or the window, one after the other: nothing that was journalled is lost, every
// checkpoint is whole, the right state is shown, and what goes on is what an unbroken run does, bit for bit.
//
// ATELIER_KILLS sets their number. ATELIER_KILL_SEED repeats the choices of an earlier execution (and its moments, as far as the
// machine allows); each row has its own generator, so that a row alone makes the choices that it makes among the others.
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_parser.h"
#include "launcher/runs/launch.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"
#include "tests/ui/support/ui_test_main.h"
#include "tests/ui/window/open_window.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <signal.h>
#include <time.h>

using launcher::RunState;
using ui_test::kTimeoutMs;
using ui_test::OpenWindow;

namespace {

constexpr int kSteps = 800;
constexpr int kCheckpointEvery = 40;
constexpr int kKillsPerRow = 20;
constexpr int kMostStepsBetweenKills = 60;  // more than from one checkpoint to the next, so that runs get on

int fromEnvironment(const char* name, int otherwise)
{
    bool isNumber = false;
    const int number = qEnvironmentVariableIntValue(name, &isNumber);
    return isNumber ? number : otherwise;
}

contract::Experiment killedExperiment()
{
    contract::Experiment experiment = ui_test::smallExperiment(kSteps);
    using Settings = std::initializer_list<std::pair<const char*, std::int64_t>>;
    for (const auto& [key, value] : Settings {{"checkpoint.every", kCheckpointEvery}, {"checkpoint.keep", 1000}, {"sample.every", 100}}) {
        if (const auto problem = experiment.set(key, value))
            qFatal("%s", problem->message.c_str());
    }
    return experiment;
}

/// The losses that all attempts of a run have journalled, by step; a step that was taken again is there again.
std::multimap<std::int64_t, double> lossesOf(const contract::RunFolder& run)
{
    std::multimap<std::int64_t, double> losses;
    std::ifstream journal(run.journal(0), std::ios::binary);
    contract::JournalParser parser;
    for (std::string line; std::getline(journal, line) && !journal.eof();) {  // at the end of the file: a torn line
        const contract::JournalLine& parsed = parser.parse(line);
        const contract::JournalField* const loss = parsed.field(contract::metric::kLoss);
        if (parsed.type == contract::record::kStep && loss)
            losses.emplace(parsed.step, loss->number);
    }
    return losses;
}

/// What an unbroken run does.
struct UnbrokenRun {
    std::map<std::int64_t, double> losses;
    std::map<std::int64_t, std::map<std::string, std::string>> checksums;  ///< of the files of each checkpoint
};

/// Describes the first loss or checkpoint that differs from the unbroken run's; empty when none does.
QString difference(const contract::RunFolder& run, const UnbrokenRun& unbroken)
{
    for (const auto& [step, loss] : lossesOf(run)) {
        const auto expected = unbroken.losses.find(step);
        if (expected == unbroken.losses.end() || std::bit_cast<std::uint64_t>(expected->second) != std::bit_cast<std::uint64_t>(loss))
            return QStringLiteral("the loss of step %1 is %2").arg(step).arg(loss, 0, 'g', 17);
    }
    for (const std::int64_t step : run.checkpointSteps()) {
        try {
            contract::verifyCheckpoint(run.checkpoint(step));
            const auto expected = unbroken.checksums.find(step);
            if (expected == unbroken.checksums.end() || contract::readManifest(run.checkpoint(step)).checksums != expected->second)
                return QStringLiteral("checkpoint %1 has other content").arg(step);
        } catch (const std::runtime_error& error) {
            return QString::fromUtf8(error.what());
        }
    }
    return {};
}

std::int64_t newestCheckpoint(const contract::RunFolder& run)
{
    const auto steps = run.checkpointSteps();
    return steps.empty() ? 0 : steps.back();
}

}  // namespace

class WindowKillsTest : public QObject {
    Q_OBJECT

private:
    enum class Victim { Rank, Supervisor, Window };

    int m_seed = 0;
    std::mt19937 m_random;
    UnbrokenRun m_unbroken;
    std::unique_ptr<ui_test::TestHome> m_home;
    std::unique_ptr<OpenWindow> m_window;

    int random(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

    contract::RunFolder folderOf(const QString& id) const
    {
        return contract::RunFolder(m_home->home().runs() / id.toStdString());
    }
    QStringList runIds() const
    {
        return QDir(QString::fromStdString(m_home->home().runs().string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
    }
    void open() { m_window = std::make_unique<OpenWindow>(m_home->home()); }

    /// Waits for a random step of the present attempt and a random fraction of a step more. In one of five calls the run is
    /// still starting.
    void reachRandomMoment(const contract::RunFolder& run)
    {
        const bool isStarting = random(4) == 0;
        const int steps = random(kMostStepsBetweenKills);
        const timespec little {.tv_sec = 0, .tv_nsec = isStarting ? random(900'000'000) : random(20'000'000)};
        const auto attempts = run.attempts();
        const std::int64_t first = attempts.empty() ? 0 : run.readStart(attempts.back()).parentStep;
        QVERIFY(isStarting || QTest::qWaitFor([&] {
            const launcher::RunStatus status = launcher::inspectRun(run);
            return status.step >= first + steps || !launcher::isActive(status.state);
        }, kTimeoutMs));
        ::nanosleep(&little, nullptr);
    }

    /// Starts a run in the open window. @return its id, once the window has determined its state.
    QString startRun()
    {
        QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
        m_window->bench().control.start(killedExperiment());
        if (!started.wait(kTimeoutMs))
            return {};
        const QString id = started.front().front().toString();
        return QTest::qWaitFor([&] { return m_window->stateOf(id).has_value(); }, kTimeoutMs) ? id : QString();
    }

    /// Resumes a run that was killed, in the open window.
    void resume(const QString& id)
    {
        const contract::RunFolder run = folderOf(id);
        const auto attempts = run.attempts().size();
        const std::int64_t checkpoint = newestCheckpoint(run);
        (*m_window)->openRun(id);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->action("run.resume")->isEnabled(), kTimeoutMs);
        m_window->action("run.resume")->trigger();
        QTRY_COMPARE_WITH_TIMEOUT(run.attempts().size(), attempts + 1, kTimeoutMs);
        QCOMPARE(run.readStart(run.attempts().back()).parentStep, checkpoint);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->isActive() || m_window->stateOf(id) == RunState::Finished, kTimeoutMs);
    }

    /// Checks what must hold right after a kill, while no process of the run writes.
    void checkThatNothingIsLost(const QString& id)
    {
        QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 0), QString(), kTimeoutMs);
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(launcher::inspectRun(folderOf(id)).state), kTimeoutMs);
        QCOMPARE(difference(folderOf(id), m_unbroken), QString());
    }

    void killRank(const QString& id)
    {
        reachRandomMoment(folderOf(id));
        const int rank = random(1);
        std::optional<pid_t> process;
        QVERIFY(QTest::qWaitFor(
            [&] { return (process = ui_test::rankProcess(folderOf(id), rank)) || !launcher::isActive(launcher::inspectRun(folderOf(id)).state); },
            kTimeoutMs));
        if (process)
            ::kill(*process, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->entry(id)->isActive(), kTimeoutMs);
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id).root().string()).empty(), kTimeoutMs);
        // Killing a rank after the run has finished changes nothing.
        if (m_window->stateOf(id) != RunState::Finished) {
            QCOMPARE(m_window->stateOf(id), std::optional(RunState::Failed));
            QVERIFY2(m_window->entry(id)->cause().contains(QStringLiteral("Rank %1 was killed (signal 9").arg(rank)),
                qPrintable(m_window->entry(id)->cause()));
        }
        checkThatNothingIsLost(id);
    }

    void killSupervisor(const QString& id)
    {
        reachRandomMoment(folderOf(id));
        std::optional<pid_t> process;
        QVERIFY(QTest::qWaitFor(
            [&] { return (process = ui_test::supervisorProcess(folderOf(id))) || !launcher::isActive(launcher::inspectRun(folderOf(id)).state); },
            kTimeoutMs));
        if (process)
            ::kill(*process, SIGKILL);
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(!m_window->entry(id)->isActive(), kTimeoutMs);
        QVERIFY2(timer.elapsed() <= 3000, qPrintable(QString::number(timer.elapsed())));
        QTRY_VERIFY_WITH_TIMEOUT(ui_test::processes(folderOf(id).root().string()).empty(), kTimeoutMs);
        QVERIFY(m_window->stateOf(id) == RunState::Interrupted || m_window->stateOf(id) == RunState::Finished);
        checkThatNothingIsLost(id);
    }

    /// Kills a window, the real program, while the run trains. What it shows is seen in the next one.
    void killWindow(const QString& id)
    {
        m_window.reset();
        const auto attempts = folderOf(id).attempts();
        QProcess program;
        program.start(QStringLiteral(ATELIER_BIN_DIR "/atelier"), QStringList());
        QVERIFY(program.waitForStarted());
        const timespec moment {.tv_sec = 0, .tv_nsec = random(900'000'000)};
        ::nanosleep(&moment, nullptr);
        program.kill();
        QVERIFY(program.waitForFinished(kTimeoutMs));
        checkNextWindow(id);
        QCOMPARE(folderOf(id).attempts(), attempts);
    }

    /// Starts the digits demo (made small) in the real program, which is killed while the run starts or trains.
    /// @return the run's id; empty when it was killed before there was a run, or on failure.
    QString startInKilledWindow()
    {
        const QStringList before = runIds();
        m_window.reset();
        const QString resources = QString::fromStdString((m_home->home().data / "resources").string());
        QDir().mkpath(resources + QStringLiteral("/experiments"));
        contract::writeFileAtomically((resources + QStringLiteral("/experiments/digits.toml")).toStdString(),
            killedExperiment().toToml(contract::Experiment::Write::Everything));
        QProcess program;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("ATELIER_RESOURCES"), resources);
        program.setProcessEnvironment(environment);
        program.start(QStringLiteral(ATELIER_BIN_DIR "/atelier"), {QStringLiteral("--demo")});
        const bool isStarted = program.waitForStarted() && QTest::qWaitFor([&] { return runIds().size() > before.size(); }, kTimeoutMs);
        QString id;
        for (const QString& known : runIds()) {
            if (!before.contains(known))
                id = known;
        }
        if (isStarted)
            reachRandomMoment(folderOf(id));
        program.kill();
        if (!program.waitForFinished(kTimeoutMs) || !isStarted) {
            QTest::qFail("the program did not start a run, or did not end", __FILE__, __LINE__);
            return {};
        }
        if (!folderOf(id).attempts().empty()) {
            checkNextWindow(id);
            return id;
        }
        open();
        checkThatNothingWasStarted(id);
        return {};
    }

    /// Opens a window after one was killed: training has gone on, and its values are there.
    void checkNextWindow(const QString& id)
    {
        open();
        QElapsedTimer timer;
        timer.start();
        QTRY_VERIFY_WITH_TIMEOUT(m_window->stateOf(id), kTimeoutMs);
        QVERIFY2(timer.elapsed() <= 3000, qPrintable(QString::number(timer.elapsed())));
        // Ranks that stand still write nothing more, so that journals and database can be compared.
        std::vector<pid_t> stopped;
        for (int rank = 0; rank < 2; ++rank) {
            if (const auto process = ui_test::rankProcess(folderOf(id), rank); process && ::kill(*process, SIGSTOP) == 0)
                stopped.push_back(*process);
        }
        checkThatNothingIsLost(id);
        for (const pid_t process : stopped)
            ::kill(process, SIGCONT);
        // A window that died before it had started the supervisor leaves an interrupted run.
        QVERIFY(m_window->entry(id)->isActive() || m_window->stateOf(id) == RunState::Finished || m_window->stateOf(id) == RunState::Interrupted);
    }

    /// Checks a run whose folder has no attempt: nothing runs, and nothing is shown as running.
    void checkThatNothingWasStarted(const QString& id)
    {
        QVERIFY(folderOf(id).attempts().empty());
        QCOMPARE(launcher::inspectRun(folderOf(id)).state, RunState::Interrupted);
        QVERIFY(ui_test::processes(folderOf(id).root().string()).empty());
        QVERIFY(m_window->stateOf(id).value_or(RunState::Interrupted) == RunState::Interrupted);
    }

    /// Waits for the end of a run that trains, and holds all of it against the unbroken one.
    void checkTheEnd(const QString& id)
    {
        QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(RunState::Finished), 3 * kTimeoutMs);
        checkThatNothingIsLost(id);
        QCOMPARE(launcher::inspectRun(folderOf(id)).step, std::int64_t(kSteps));
        std::map<std::int64_t, double> losses;
        for (const auto& [step, loss] : lossesOf(folderOf(id)))
            losses[step] = loss;
        QVERIFY(losses == m_unbroken.losses);
        QCOMPARE(folderOf(id).checkpointSteps().size(), m_unbroken.checksums.size());
    }

    /// A rank may also die between its last checkpoint and its end.
    bool hasNothingLeft(const QString& id)
    {
        return m_window->stateOf(id) == RunState::Finished || (!m_window->entry(id)->isActive() && newestCheckpoint(folderOf(id)) == kSteps);
    }

    /// One more kill. @return the run that was hit; @p id unless that had finished
    QString killOnce(QString id, Victim victim)
    {
        if (!id.isEmpty() && m_window->stateOf(id) == RunState::Finished)
            checkTheEnd(id);
        if (!id.isEmpty() && hasNothingLeft(id))
            id.clear();
        if (id.isEmpty() && victim == Victim::Window)
            return startInKilledWindow();
        if (id.isEmpty())
            id = startRun();
        else if (!m_window->entry(id)->isActive())
            resume(id);
        if (id.isEmpty() || QTest::currentTestFailed())
            return id;
        if (victim == Victim::Rank)
            killRank(id);
        else if (victim == Victim::Supervisor)
            killSupervisor(id);
        else
            killWindow(id);
        return id;
    }

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
        if (id.isEmpty() || hasNothingLeft(id))
            return;
        if (!m_window->entry(id)->isActive())
            resume(id);
        checkTheEnd(id);
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
};

ATELIER_UI_TEST_MAIN(WindowKillsTest)
#include "tst_window_kills.moc"
