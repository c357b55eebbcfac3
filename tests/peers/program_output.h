// What another program prints.
#pragma once
#include <QProcess>

namespace tests {

/// Waits for its end. What it says on standard error goes on to ours. @return its standard output
/// @param exitCode -1 when it crashed
inline QByteArray outputOf(const QString& program, const QStringList& arguments, int* exitCode)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(program, arguments);
    process.waitForFinished(-1);
    *exitCode = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    return process.readAllStandardOutput();
}

}  // namespace tests
