#include "ui/single_instance.h"

#include <QLocalSocket>

namespace ui {
namespace {

constexpr int kPatienceMs = 500;

}  // namespace

SingleInstance::SingleInstance(const launcher::DataHome& home, QObject* parent)
    : QObject(parent)
    , m_name(QString::fromStdString((home.runtime / "window").string()))
{
    connect(&m_server, &QLocalServer::newConnection, this, &SingleInstance::read);
}

bool SingleInstance::tell(const QString& message) const
{
    QLocalSocket socket;
    socket.connectToServer(m_name);
    if (!socket.waitForConnected(kPatienceMs))
        return false;
    socket.write(message.toUtf8() + '\n');
    return socket.waitForBytesWritten(kPatienceMs);
}

bool SingleInstance::listen()
{
    // Nobody answered, so what lies there was left by a window that was killed.
    QLocalServer::removeServer(m_name);
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    return m_server.listen(m_name);
}

void SingleInstance::read()
{
    while (QLocalSocket* const socket = m_server.nextPendingConnection()) {
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        const auto take = [this, socket] {
            while (socket->canReadLine())
                Q_EMIT told(QString::fromUtf8(socket->readLine()).trimmed());
        };
        connect(socket, &QLocalSocket::readyRead, this, take);
        take();
    }
}

}  // namespace ui
