#include "tests/app/atelier_program.h"

#include "engine/contract/run/journal_writer.h"
#include "launcher/queue/scheduler_lock.h"
#include "launcher/state/run_state.h"
#include "launcher/supervisor/control_client.h"
#include "tests/app/rank_process.h"
#include "tests/paths.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QThread>

#include <cmath>
#include <fstream>
#include <limits>
#include <signal.h>
#include <unistd.h>

namespace tests {
namespace {

/// Kills the processes whose data home is @p home. @return whether there were any
bool killProcessesOf(const QString& home)
{
    bool wereThere = false;
    for (const QString& process : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot)) {
        const pid_t id = process.toInt();
        if (id > 0 && id != ::getpid() && contentOf("/proc/" + process + "/environ").split('\0').contains("ATELIER_HOME=" + home.toUtf8()))
            wereThere = ::kill(id, SIGKILL) == 0 || wereThere;
    }
    return wereThere;
}

}  // namespace

AtelierProgram::AtelierProgram()
    : m_program(ATELIER_BIN_DIR "/atelier")
    , m_environment(QProcessEnvironment::systemEnvironment())
{
    const QString home = m_folder.filePath("home");
    qputenv("ATELIER_HOME", home.toUtf8());
    m_home = launcher::DataHome::locate();
    m_environment.insert("ATELIER_HOME", home);
    m_environment.insert("ATELIER_WORKER", FAKE_WORKER);
    m_environment.insert("FAKE_STEP_MS", "5");
    m_environment.remove("DISPLAY");
    m_environment.remove("WAYLAND_DISPLAY");
}

AtelierProgram::~AtelierProgram()
{
    // Otherwise it may start another run after this has looked.
    if (const pid_t scheduler = launcher::schedulerProcess(m_home); scheduler > 0) {
        ::kill(scheduler, SIGKILL);
        while (launcher::isSchedulerAlive(m_home))
            QThread::msleep(1);
    }
    for (const QString& id : runs()) {
        const contract::RunFolder folder(m_home.runs() / id.toStdString());
        if (!launcher::isActive(launcher::inspectRun(folder).state))
            continue;
        launcher::sendCommand(m_home, folder, launcher::ControlCommand::Kill);
        QElapsedTimer waited;
        waited.start();
        while (launcher::isActive(launcher::inspectRun(folder).state) && waited.elapsed() < 10000)
            QThread::msleep(1);
    }
    // A scheduler that was killed just then leaves a supervisor that does not hold its run's lock yet.
    while (killProcessesOf(m_folder.filePath("home")))
        QThread::msleep(1);
}

Outcome AtelierProgram::runWell(const QStringList& arguments)
{
    Outcome outcome = run(arguments);
    if (outcome.exitCode != 0)
        qWarning("%s: %s", qPrintable(arguments.join(' ')), outcome.report().constData());
    return outcome;
}

std::unique_ptr<QProcess> AtelierProgram::start(const QStringList& arguments)
{
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(m_environment);
    process->setWorkingDirectory(m_folder.path());
    process->start(m_program, arguments);
    process->waitForStarted();
    return process;
}

Outcome AtelierProgram::run(const QStringList& arguments)
{
    const auto process = start(arguments);
    process->closeWriteChannel();
    if (!process->waitForFinished(kTimeoutMs))
        return {.exitCode = -2, .output = process->readAllStandardOutput(), .errors = "does not end"};
    return {.exitCode = process->exitStatus() == QProcess::NormalExit ? process->exitCode() : -3,
        .output = process->readAllStandardOutput(), .errors = process->readAllStandardError()};
}

QStringList AtelierProgram::runs() const
{
    return QDir(QString::fromStdString(m_home.runs().string())).entryList(QDir::Dirs | QDir::NoDotAndDotDot);
}

contract::RunFolder AtelierProgram::onlyRun() const
{
    const QStringList all = runs();
    return contract::RunFolder(m_home.runs() / (all.size() == 1 ? all.front() : "not one run").toStdString());
}

QString AtelierProgram::writeFile(const QString& name, const QByteArray& content)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("%s cannot be written", qPrintable(file.fileName()));
    return file.fileName();
}

std::vector<QByteArray> linesOf(const QByteArray& text)
{
    const auto parts = text.trimmed().split('\n');
    return {parts.begin(), parts.end()};
}

double exampleLoss(int step)
{
    switch (step % 5) {
    case 0:
        return std::numeric_limits<double>::quiet_NaN();
    case 1:
        return std::numeric_limits<double>::infinity();
    case 2:
        return std::numeric_limits<double>::denorm_min();
    case 3:
        return -0.0;
    default:
        return 1.0 / (3 + step);
    }
}

contract::RunFolder AtelierProgram::addFinishedRun(const std::string& id, int steps)
{
    const contract::RunFolder folder(m_home.runs() / id);
    std::filesystem::create_directories(folder.attempt(1));
    std::filesystem::create_directories(folder.journals());
    contract::Experiment experiment;
    experiment.setText("run.name", id.substr(0, id.find('-')));
    experiment.setText("run.total_steps", std::to_string(steps));
    std::ofstream(folder.config(1)) << experiment.toToml(contract::Experiment::Write::Everything);
    folder.writeStart({.attempt = 1, .startUnixMs = 1795255200000, .ranks = 2, .host = "box",
        .versions = {}, .parentCheckpoint = {}, .parentStep = 0, .controlOffset = 0});
    for (const int rank : {0, 1, contract::kSupervisorRank}) {
        contract::JournalWriter journal(folder.journal(rank),
            {.version = 1, .run = id, .attempt = 1, .rank = rank, .host = {}, .startUnixMs = 0});
        for (int step = 1; step <= steps && rank >= 0; ++step) {
            journal.begin("step", step).add("time/step_ms", 1.5 * step);
            if (rank == 0)
                journal.add("loss", exampleLoss(step));
            journal.commit();
        }
        if (rank <= 0)
            journal.begin("end", steps).add("outcome", "finished").add("cause", "").commit();
    }
    return folder;
}

QByteArray contentOf(const std::filesystem::path& path)
{
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace tests
