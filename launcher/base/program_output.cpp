#include "launcher/base/program_output.h"

#include <QDeadlineTimer>
#include <QProcess>

#include <algorithm>

namespace launcher {

ProgramOutput outputOf(const std::string& program, const std::vector<std::string>& arguments, std::chrono::milliseconds limit, qint64 mostBytes,
    const std::stop_token& stop)
{
    constexpr int kStopPollMs = 100;
    const QDeadlineTimer deadline(limit);
    const auto left = [&] { return static_cast<int>(deadline.remainingTime()); };
    QProcess process;
    QStringList words;
    for (const std::string& argument : arguments)
        words << QString::fromStdString(argument);
    process.setStandardInputFile(QProcess::nullDevice());
    process.setStandardErrorFile(QProcess::nullDevice());
    process.start(QString::fromStdString(program), words);
    if (!process.waitForStarted(left()))
        return {};
    ProgramOutput result;
    while (process.state() != QProcess::NotRunning && !deadline.hasExpired() && result.output.size() <= mostBytes && !stop.stop_requested()) {
        process.waitForReadyRead(std::min(kStopPollMs, left()));
        result.output += process.readAllStandardOutput();
    }
    if (process.state() != QProcess::NotRunning) {
        process.kill();
        process.waitForFinished(-1);  // SIGKILL takes effect at once
        result.end = ProgramOutput::End::Killed;
        return result;
    }
    result.output += process.readAllStandardOutput();
    result.end = process.exitStatus() == QProcess::CrashExit ? ProgramOutput::End::Killed : ProgramOutput::End::Exited;
    result.exitCode = process.exitCode();
    return result;
}

}  // namespace launcher
