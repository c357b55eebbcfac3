// A client of the Model Context Protocol that speaks to the real `atelier mcp`.
#pragma once
#include "tests/app/atelier_program.h"

#include <QJsonArray>
#include <QJsonObject>

namespace tests {

class McpClient {
public:
    /// Starts the server. @param arguments after "mcp"
    explicit McpClient(AtelierProgram& atelier, const QStringList& arguments = {});

    /// Writes a line as it is.
    void write(const QByteArray& line);
    /// Sends a request of revision 2026-07-28 and returns its id.
    int send(const QString& method, QJsonObject params = {});
    void notify(const QString& method, const QJsonObject& params);
    /// The next message of the server; empty when none comes in time.
    const QJsonObject read();
    /// send() and read(): the whole answer.
    const QJsonObject ask(const QString& method, const QJsonObject& params = {});
    /// Calls a tool and returns the result.
    const QJsonObject call(const QString& tool, const QJsonObject& arguments = {});
    /// The text of the first content, parsed as JSON.
    QJsonDocument document(const QString& tool, const QJsonObject& arguments = {});

    /// Closes the server's input and waits for its end. @return its exit code, -1 when it does not end
    int close();
    QProcess& process() { return *m_process; }

private:
    std::unique_ptr<QProcess> m_process;
    int m_lastId = 0;
};

}  // namespace tests
