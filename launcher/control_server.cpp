#include "launcher/supervisor/control_server.h"

#include "launcher/supervisor/control_message.h"

#include <QLocalSocket>
#include <QTimer>

#include <sys/un.h>

namespace launcher {
namespace {

constexpr int kMostClients = 64;
constexpr int kIdleMs = 60'000;

}  // namespace

ControlServer::ControlServer(Handler handler, QObject* parent)
    : QObject(parent)
    , m_handler(std::move(handler))
{
    m_server.setSocketOptions(QLocalServer::UserAccessOption);
    connect(&m_server, &QLocalServer::newConnection, this, [this] { accept(); });
}

ControlServer::~ControlServer() { close(); }

std::string ControlServer::listen(const std::filesystem::path& path)
{
    if (path.native().size() >= sizeof(sockaddr_un::sun_path))
        return path.string() + " is too long for a socket; choose a shorter ATELIER_HOME";
    const QString name = QString::fromStdString(path.string());
    QLocalServer::removeServer(name);
    if (m_server.listen(name))
        return {};
    return "the control socket " + path.string() + " cannot be opened: "
        + m_server.errorString().toStdString();
}

void ControlServer::close() { m_server.close(); }

void ControlServer::accept()
{
    while (QLocalSocket* socket = m_server.nextPendingConnection()) {
        if (m_server.findChildren<QLocalSocket*>().size() > kMostClients) {
            delete socket;
            continue;
        }
        // A bounded buffer keeps a client that floods the socket from filling memory: it blocks in its write instead.
        socket->setReadBufferSize(2 * static_cast<qint64>(kLongestControlLine));
        connect(socket, &QLocalSocket::readyRead, this, [this, socket] { read(socket); });
        connect(socket, &QLocalSocket::disconnected, socket, &QObject::deleteLater);
        QTimer::singleShot(kIdleMs, socket, [socket] { socket->abort(); });
    }
}

void ControlServer::read(QLocalSocket* socket)
{
    while (socket->canReadLine()) {
        const std::string reply = answer(socket->readLine().trimmed().toStdString());
        socket->write(QByteArray::fromStdString(reply));
        // Disconnect a client that keeps sending and never reads the replies.
        if (socket->bytesToWrite() > 64 * static_cast<qint64>(kLongestControlLine))
            return socket->abort();
    }
    if (socket->bytesAvailable() > static_cast<qint64>(kLongestControlLine)) {
        socket->write(QByteArray::fromStdString(replyLine(0, "a command must be shorter than 4 kB")));
        socket->disconnectFromServer();
    }
}

std::string ControlServer::answer(const std::string& line) const
{
    const ControlRequest request = parseRequest(line);
    if (!request.command)
        return replyLine(request.id, request.error);
    return replyLine(request.id, m_handler(*request.command));
}

}  // namespace launcher
