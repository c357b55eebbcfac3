#include "launcher/remote/served_process.h"

#include "launcher/runs/launch.h"

#include <QDir>
#include <QTemporaryFile>
#include <QTimer>

#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>

namespace launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto kLongestEnd = 5s;      // after SIGTERM
constexpr int kLongestChangeMs = 20'000;
constexpr qsizetype kMostErrors = 64 * 1024;  // bytes
constexpr qsizetype kLongestProgress = 4096;  // bytes
constexpr char kProgress[] = "progress: ";

/// The kernel then ends the command with its parent, which may be killed.
void endWithParent(QProcess& process)
{
    const pid_t starter = ::getpid();
    // Runs between fork and exec: must not allocate or lock.
    process.setChildProcessModifier([starter] {
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        // The parent may have died before prctl took effect.
        if (::getppid() != starter)
            ::_exit(1);
    });
}

}  // namespace

ServedProcess::ServedProcess(std::int64_t id, CommandEnds ends, QObject* parent)
    : QObject(parent)
    , m_id(id)
    , m_ends(ends)
{
    if (m_ends == CommandEnds::WhenCancelled)
        endWithParent(m_process);
    m_process.setStandardInputFile(QProcess::nullDevice());
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &ServedProcess::readOutput);
    connect(&m_process, &QProcess::readyReadStandardError, this, &ServedProcess::readErrors);
    connect(&m_process, &QProcess::finished, this, [this](int code, QProcess::ExitStatus status) {
        readOutput();
        readErrors();
        takeErrorLine(m_errorLine);
        if (code == 0 && status == QProcess::NormalExit)
            return finish({});
        const std::string said = errorText();
        finish(m_isCancelled ? std::string("the command was cancelled")
                             : said.empty() ? "the command ended with exit code " + std::to_string(code) : said);
    });
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            finishLater("the program " + m_process.program().toStdString() + " could not be started");
    });
}

ServedProcess::~ServedProcess()
{
    m_process.disconnect(this);
    if (m_process.state() == QProcess::NotRunning)
        return;
    if (m_ends == CommandEnds::ByItself) {
        m_process.waitForFinished(kLongestChangeMs);
        return;
    }
    m_process.terminate();
    m_process.waitForFinished(static_cast<int>(std::chrono::milliseconds(kLongestEnd).count()));
}

void ServedProcess::start(const std::vector<std::string>& words, const std::string& input)
{
    QStringList arguments;
    for (const std::string& word : words)
        arguments << QString::fromStdString(word);
    // A file rather than a pipe, since an experiment is read more than once.
    if (const auto place = arguments.indexOf(QStringLiteral("-")); place >= 0) {
        auto* const file = new QTemporaryFile(QDir::temp().filePath(QStringLiteral("experiment-XXXXXX.toml")), this);
        if (!file->open() || file->write(input.data(), static_cast<qint64>(input.size())) != static_cast<qint64>(input.size()) || !file->flush())
            return finishLater(file->fileTemplate().toStdString() + " cannot be written: " + file->errorString().toStdString());
        m_experiment = file->fileName();
        arguments[place] = m_experiment;
    }
    m_process.setProgram(QString::fromStdString(programPath("atelier")));
    m_process.setArguments(arguments);
    m_process.start();
}

bool ServedProcess::cancel()
{
    if (m_ends == CommandEnds::ByItself)
        return false;
    m_isCancelled = true;
    m_process.terminate();
    QTimer::singleShot(kLongestEnd, &m_process, &QProcess::kill);
    return true;
}

void ServedProcess::readOutput()
{
    m_output += m_process.readAllStandardOutput().toStdString();
    if (m_output.size() <= kMostCommandOutput)
        return;
    m_process.kill();
    finish("the command printed more than " + std::to_string(kMostCommandOutput) + " bytes");
}

void ServedProcess::readErrors()
{
    m_errorLine += m_process.readAllStandardError();
    for (qsizetype end; (end = m_errorLine.indexOf('\n')) >= 0; m_errorLine.remove(0, end + 1))
        takeErrorLine(m_errorLine.left(end));
    m_errorLine.truncate(kMostErrors);
}

void ServedProcess::takeErrorLine(const QByteArray& line)
{
    if (!line.startsWith(kProgress))
        m_errors = (m_errors + line + '\n').right(kMostErrors);
    else if (line.size() <= kLongestProgress)
        Q_EMIT progressed(line.mid(qstrlen(kProgress)).toStdString());
}

/// What the command has said of its failure: its errors, or else its last line.
std::string ServedProcess::errorText() const
{
    QByteArray text = m_errors.trimmed();
    if (!m_experiment.isEmpty())
        text.replace(m_experiment.toUtf8(), "experiment");  // nobody else knows the file
    constexpr char kError[] = "error: ";
    std::string errors;
    const QList<QByteArray> lines = text.split('\n');
    for (const QByteArray& line : lines) {
        if (line.startsWith(kError))
            errors += (errors.empty() ? "" : "; ") + line.mid(qstrlen(kError)).toStdString();
    }
    return errors.empty() ? lines.back().toStdString() : errors;
}

void ServedProcess::finish(const std::string& error)
{
    m_process.disconnect(this);
    Q_EMIT ended({.error = error, .output = error.empty() ? m_output : std::string(), .isCancelled = m_isCancelled && !error.empty()});
}

void ServedProcess::finishLater(const std::string& error)
{
    QMetaObject::invokeMethod(this, [this, error] { finish(error); }, Qt::QueuedConnection);
}

}  // namespace launcher
