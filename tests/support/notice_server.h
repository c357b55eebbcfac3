// A web server for notices about runs.
#pragma once
#include <QHostAddress>
#include <QJsonDocument>
#include <QJsonObject>
#include <QList>
#include <QStringList>
#include <QTcpServer>
#include <QTcpSocket>

#include <string>
#include <utility>

namespace tests {

/// Keeps the documents it is sent and gives always the same answer.
class NoticeServer : public QTcpServer {
public:
    explicit NoticeServer(QByteArray answer = "HTTP/1.1 204 No Content\r\n\r\n")
        : m_answer(std::move(answer))
    {
        listen(QHostAddress::LocalHost);
        connect(this, &QTcpServer::newConnection, this, [this] {
            QTcpSocket* const socket = nextPendingConnection();
            connect(socket, &QTcpSocket::readyRead, socket, [this, socket] { read(*socket); });
        });
    }
    std::string url() const { return "http://127.0.0.1:" + std::to_string(serverPort()) + "/secret/path"; }

    /// "state" of the documents, in their order.
    QStringList states() const
    {
        QStringList all;
        for (const QJsonObject& each : documents)
            all << each["state"].toString();
        return all;
    }

    QList<QJsonObject> documents;
    QByteArray request;

private:
    void read(QTcpSocket& socket)
    {
        request += socket.readAll();
        const qsizetype body = request.indexOf("\r\n\r\n");
        const qsizetype field = request.toLower().indexOf("content-length: ");
        if (body < 0 || field < 0)
            return;
        const qsizetype length = request.mid(field + 16, request.indexOf("\r\n", field) - field - 16).toLongLong();
        if (request.size() < body + 4 + length)
            return;
        documents << QJsonDocument::fromJson(request.mid(body + 4)).object();
        request.clear();
        if (m_answer.isEmpty())
            return;  // hangs
        socket.write(m_answer);
        socket.disconnectFromHost();
    }

    QByteArray m_answer;
};

}  // namespace tests
