#include "tests/bench/processes.h"

#include <QProcess>

#include <stdexcept>

namespace bench {

QByteArray outputOf(const QString& program, const QStringList& arguments)
{
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    process.start(program, arguments);
    if (!process.waitForFinished(-1) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0)
        throw std::runtime_error(program.toStdString() + " failed");
    return process.readAllStandardOutput();
}

QString diffusersPython()
{
    return QString::fromUtf8(outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {})).trimmed();
}

}  // namespace bench
