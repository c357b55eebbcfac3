// A server on this machine that gives prepared answers.
#pragma once
#include <QByteArray>
#include <QList>
#include <QTcpServer>
#include <QTcpSocket>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <thread>

namespace tests {

inline QByteArray httpAnswer(int status, const QByteArray& body, const QByteArray& headers = {})
{
    return "HTTP/1.1 " + QByteArray::number(status) + " Status\r\nContent-Length: " + QByteArray::number(body.size())
        + "\r\nConnection: close\r\n" + headers + "\r\n" + body;
}

/// What a chat service answers.
inline QByteArray chatAnswer(const QByteArray& said)
{
    return httpAnswer(200, "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"" + said + "\"}}]}");
}

/// Answers one request on each connection, with the prepared answers in turn. An empty one closes the connection without an answer.
class LocalServer {
public:
    static constexpr char kHang[] = "hang";  ///< as an answer: nothing comes, until the server is destroyed

    explicit LocalServer(QList<QByteArray> answers)
    {
        std::promise<quint16> port;
        std::future<quint16> listening = port.get_future();
        m_thread = std::thread([this, answers = std::move(answers), port = std::move(port)]() mutable { serve(answers, port); });
        m_port = listening.get();
    }
    ~LocalServer()
    {
        m_end.set_value();
        QTcpSocket last;  // ends the wait for a connection
        last.connectToHost(QStringLiteral("127.0.0.1"), m_port);
        last.waitForConnected(1000);
        m_thread.join();
    }
    LocalServer(const LocalServer&) = delete;
    LocalServer& operator=(const LocalServer&) = delete;

    std::string url(const char* path = "/score") const { return "http://127.0.0.1:" + std::to_string(m_port) + path; }

    /// The requests so far, headers and body. Call it when none is under way.
    const QList<QByteArray>& requests() const { return m_requests; }
    QByteArray body(qsizetype number) const { return m_requests.at(number).mid(m_requests.at(number).indexOf("\r\n\r\n") + 4); }

private:
    static QByteArray readRequest(QTcpSocket& socket)
    {
        QByteArray request;
        for (;;) {
            const qsizetype header = request.indexOf("\r\n\r\n");
            const qsizetype length = request.toLower().indexOf("content-length:") + 15;
            const qsizetype body = request.mid(length, request.indexOf("\r\n", length) - length).trimmed().toLongLong();
            if (header >= 0 && request.size() >= header + 4 + body)
                return request;
            if (!socket.bytesAvailable() && !socket.waitForReadyRead(10000))
                return request;
            request += socket.readAll();
        }
    }

    void serve(const QList<QByteArray>& answers, std::promise<quint16>& port)
    {
        QTcpServer server;
        server.listen(QHostAddress::LocalHost);
        port.set_value(server.serverPort());
        std::future<void> end = m_end.get_future();
        const auto isOver = [&] { return end.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
        for (qsizetype number = 0; !isOver(); ++number) {
            if ((!server.hasPendingConnections() && !server.waitForNewConnection(30000)) || isOver())
                continue;
            const std::unique_ptr<QTcpSocket> socket(server.nextPendingConnection());
            const QByteArray request = readRequest(*socket);
            m_requests << request;
            const QByteArray answer = answers.value(number);
            if (answer == kHang)
                end.wait();
            socket->write(answer == kHang ? QByteArray() : answer);
            while (socket->bytesToWrite() > 0 && socket->waitForBytesWritten(1000)) { }
        }
    }

    QList<QByteArray> m_requests;
    std::promise<void> m_end;
    quint16 m_port = 0;
    std::thread m_thread;
};

}  // namespace tests
