#include "launcher/control_client.h"

#include "launcher/control_message.h"

#include <QLocalSocket>
#include <QTimer>

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <system_error>

namespace launcher {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kAsyncTimeoutMs = 5000;

ControlReply noSupervisor(const contract::RunFolder& folder)
{
    return {false, "run " + folder.id() + " has no active supervisor: the run has ended or is about to end"};
}

ControlReply noAnswer(const contract::RunFolder& folder)
{
    return {false, "the supervisor of run " + folder.id() + " does not reply; see its log "
            + folder.log(-1).string()};
}

/// A blocking client connection to a supervisor's socket.
class Connection {
public:
    explicit Connection(const std::filesystem::path& path)
        : m_descriptor(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_un address {};
        address.sun_family = AF_UNIX;
        if (path.native().size() >= sizeof address.sun_path)
            return;
        std::memcpy(address.sun_path, path.c_str(), path.native().size());
        m_isOpen = ::connect(m_descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    }
    ~Connection() { ::close(m_descriptor); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    bool isOpen() const { return m_isOpen; }

    bool send(const std::string& line) const
    {
        return ::send(m_descriptor, line.data(), line.size(), MSG_NOSIGNAL)
            == static_cast<ssize_t>(line.size());
    }

    /// Returns a line without its newline; empty when none arrives before @p deadline.
    std::string readLine(Clock::time_point deadline) const
    {
        std::string line;
        while (line.size() < kLongestControlLine) {
            const auto left
                = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
            pollfd waited {.fd = m_descriptor, .events = POLLIN, .revents = 0};
            const int ready = ::poll(&waited, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
            if (ready < 0 && errno == EINTR)
                continue;
            char bytes[512];
            const ssize_t count = ready > 0 ? ::recv(m_descriptor, bytes, sizeof bytes, 0) : 0;
            if (count <= 0)
                return {};
            line.append(bytes, static_cast<std::size_t>(count));
            if (const auto newline = line.find('\n'); newline != std::string::npos)
                return line.substr(0, newline);
        }
        return {};
    }

private:
    int m_descriptor;
    bool m_isOpen = false;
};

/// One command and its reply; deletes itself after the reply, or is deleted with its context.
class Exchange : public QObject {
public:
    Exchange(const contract::RunFolder& folder, std::function<void(const ControlReply&)> onReply,
        QObject* context)
        : QObject(context)
        , m_folder(folder)
        , m_onReply(std::move(onReply))
    {
        connect(&m_timeout, &QTimer::timeout, this, [this] { end(noAnswer(m_folder)); });
        connect(&m_socket, &QLocalSocket::errorOccurred, this,
            [this] { end(m_wasConnected ? noAnswer(m_folder) : noSupervisor(m_folder)); });
        connect(&m_socket, &QLocalSocket::readyRead, this, [this] {
            if (m_socket.canReadLine())
                end(parseReply(m_socket.readLine().toStdString()));
        });
        m_timeout.setSingleShot(true);
        m_timeout.start(kAsyncTimeoutMs);
    }

    void send(const std::filesystem::path& path, ControlCommand command)
    {
        connect(&m_socket, &QLocalSocket::connected, this, [this, command] {
            m_wasConnected = true;
            m_socket.write(QByteArray::fromStdString(requestLine(command)));
        });
        m_socket.connectToServer(QString::fromStdString(path.string()));
    }

private:
    void end(const ControlReply& reply)
    {
        const auto onReply = std::exchange(m_onReply, nullptr);
        if (!onReply)
            return;
        m_timeout.stop();
        deleteLater();
        onReply(reply);
    }

    contract::RunFolder m_folder;
    std::function<void(const ControlReply&)> m_onReply;
    QLocalSocket m_socket;
    QTimer m_timeout;
    bool m_wasConnected = false;
};

}  // namespace

ControlReply sendCommand(
    const DataHome& home, const contract::RunFolder& folder, ControlCommand command, int timeoutMs)
{
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
    const Connection connection(supervisorSocket(home, folder.root()));
    if (!connection.isOpen())
        return noSupervisor(folder);
    if (!connection.send(requestLine(command)))
        return noAnswer(folder);
    const std::string line = connection.readLine(deadline);
    return line.empty() ? noAnswer(folder) : parseReply(line);
}

void sendCommandAsync(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    QObject* context, std::function<void(const ControlReply&)> onReply)
{
    // Connecting may fail immediately. Queued, so that onReply is never called from inside this function.
    auto* exchange = new Exchange(folder, std::move(onReply), context);
    QMetaObject::invokeMethod(
        exchange,
        [exchange, path = supervisorSocket(home, folder.root()), command] { exchange->send(path, command); },
        Qt::QueuedConnection);
}

}  // namespace launcher
