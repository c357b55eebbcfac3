#include "ui/single_instance.h"

#include <QLocalSocket>

namespace ui {
namespace {

constexpr int kTimeoutMs = 500;
constexpr int kAnswerTimeoutMs = 5000;  // a window that has just been started answers once it is built
constexpr char kTaken[] = "taken\n";

}  // namespace

SingleInstance::SingleInstance(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_name(QString::fromStdString((home.runtime / "window").string()))
{
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::read);
}

bool SingleInstance::sendMessage(const QString& message) const
{
    QLocalSocket socket;
    socket.connectToServer(m_name);
    if (!socket.waitForConnected(kTimeoutMs))
        return false;
    socket.write(message.toUtf8() + '\n');
    // The kernel accepts bytes for a window that no longer reads them, so only an answer counts.
    return socket.waitForBytesWritten(kTimeoutMs) && socket.waitForReadyRead(kAnswerTimeoutMs);
}

bool SingleInstance::listen()
{
    // sendMessage() got no answer, so an existing socket file is left over from a window that was killed.
    QLocalServer::removeServer(m_name);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    return m_server.listen(m_name);
}

void SingleInstance::close()
{
    m_server.close();
    // Nobody reads what has arrived meanwhile: those senders see the connection end without an answer.
    for (QLocalSocket* const socket : m_server.findChildren<QLocalSocket*>())
        socket->abort();
}

void SingleInstance::read()
{
    while (QLocalSocket* const socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto readLines = [this, socket] {
            while (m_server.isListening() && socket->canReadLine()) {
                const QString message = QString::fromUtf8(socket->readLine()).trimmed();
                socket->write(kTaken);
                socket->flush();
                Q_EMIT messageReceived(message);
            }
        };
        connect(socket, &QLocalSocket::readyRead, this, readLines);
        readLines();
    }
}

}  // namespace ui
