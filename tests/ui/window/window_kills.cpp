#include "tests/ui/window/window_kills.h"

#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/run/journal_parser.h"
#include "launcher/state/run_state.h"
#include "tests/paths.h"
#include "tests/ui/support/processes.h"

#include <QAction>
#include <QDir>
#include <QElapsedTimer>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

#include <bit>
#include <fstream>
#include <signal.h>
#include <time.h>

namespace ui_test {

using launcher::RunState;

namespace {

constexpr int kMostStepsBetweenKills = 60;  // more than from one checkpoint to the next, so that runs get on

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

}  // namespace

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

std::int64_t newestCheckpoint(const contract::RunFolder& run)
{
    const auto steps = run.checkpointSteps();
    return steps.empty() ? 0 : steps.back();
}

QStringList WindowKills::runIds() const
{
    return QDir(QString::fromStdString(m_home->home().runs().string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
}

void WindowKills::reachRandomMoment(const contract::RunFolder& run)
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

QString WindowKills::startRun()
{
    QSignalSpy started(&m_window->bench().control, &ui::RunControl::started);
    m_window->bench().control.start(killedExperiment());
    if (!started.wait(kTimeoutMs))
        return {};
    const QString id = started.front().front().toString();
    return QTest::qWaitFor([&] { return m_window->stateOf(id).has_value(); }, kTimeoutMs) ? id : QString();
}

void WindowKills::resume(const QString& id)
{
    const contract::RunFolder run = folderOf(id);
    // An attempt that was only prepared is prepared again, any other is followed by the next.
    const auto attempts = run.attempts().size() + (m_window->stateOf(id) == RunState::Prepared ? 0 : 1);
    const std::int64_t checkpoint = newestCheckpoint(run);
    (*m_window)->openRun(id);
    const char* const action = m_window->stateOf(id) == RunState::Prepared ? "run.start" : "run.resume";
    QTRY_VERIFY_WITH_TIMEOUT(m_window->action(action)->isEnabled(), kTimeoutMs);
    m_window->action(action)->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->isActive() || m_window->stateOf(id) == RunState::Finished, kTimeoutMs);
    QCOMPARE(run.attempts().size(), attempts);
    QCOMPARE(run.readStart(run.attempts().back()).parentStep, checkpoint);
}

void WindowKills::checkThatNothingIsLost(const QString& id)
{
    QTRY_COMPARE_WITH_TIMEOUT(m_window->missing(folderOf(id), 0), QString(), kTimeoutMs);
    QTRY_COMPARE_WITH_TIMEOUT(m_window->stateOf(id), std::optional(launcher::inspectRun(folderOf(id)).state), kTimeoutMs);
    QCOMPARE(difference(folderOf(id), m_unbroken), QString());
}

void WindowKills::killRank(const QString& id)
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

void WindowKills::killSupervisor(const QString& id)
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

void WindowKills::killWindow(const QString& id)
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

QString WindowKills::startInKilledWindow()
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

void WindowKills::checkNextWindow(const QString& id)
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
    // A supervisor that the window had started takes the run over. Without one, the run stays prepared.
    QTRY_VERIFY_WITH_TIMEOUT(m_window->entry(id)->isActive() || m_window->stateOf(id) == RunState::Finished
            || (m_window->stateOf(id) == RunState::Prepared && !ui_test::supervisorProcess(folderOf(id))), kTimeoutMs);
}

void WindowKills::checkThatNothingWasStarted(const QString& id)
{
    QVERIFY(folderOf(id).attempts().empty());
    QCOMPARE(launcher::inspectRun(folderOf(id)).state, RunState::Interrupted);
    QVERIFY(ui_test::processes(folderOf(id).root().string()).empty());
    QVERIFY(m_window->stateOf(id).value_or(RunState::Interrupted) == RunState::Interrupted);
}

void WindowKills::checkTheEnd(const QString& id)
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

bool WindowKills::hasNothingLeft(const QString& id)
{
    return m_window->stateOf(id) == RunState::Finished || (!m_window->entry(id)->isActive() && newestCheckpoint(folderOf(id)) == kSteps);
}

QString WindowKills::killOnce(QString id, Victim victim)
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

}  // namespace ui_test
