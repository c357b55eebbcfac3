#include "tests/bench/processes.h"

#include "tests/paths.h"

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

LineServer::LineServer(const QString& program, const QStringList& arguments)
{
    m_process.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_process.start(program, arguments);
    m_greeting = readLine();
}

LineServer::~LineServer()
{
    m_process.closeWriteChannel();
    m_process.waitForFinished(-1);
}

QByteArray LineServer::ask(const QByteArray& line)
{
    m_process.write(line + '\n');
    return readLine();
}

QByteArray LineServer::readLine()
{
    while (!m_process.canReadLine()) {
        if (!m_process.waitForReadyRead(-1))
            throw std::runtime_error(m_process.program().toStdString() + " ended without an answer");
    }
    return m_process.readLine().trimmed();
}

QString diffusersPython()
{
    return QString::fromUtf8(outputOf(ATELIER_SOURCE_DIR "/tests/peers/environment", {})).trimmed();
}

}  // namespace bench
