#include "tests/app/mcp_client.h"

#include <QElapsedTimer>

namespace tests {

McpClient::McpClient(AtelierProgram& atelier, const QStringList& arguments)
    : m_process(atelier.start(QStringList("mcp") + arguments))
{
}

void McpClient::write(const QByteArray& line)
{
    m_process->write(line + '\n');
    while (m_process->bytesToWrite() > 0 && m_process->waitForBytesWritten(kTimeoutMs)) {
    }
}

int McpClient::send(const QString& method, QJsonObject params)
{
    params["_meta"] = QJsonObject {{"io.modelcontextprotocol/protocolVersion", "2026-07-28"}, {"io.modelcontextprotocol/clientCapabilities", QJsonObject()}};
    const QJsonObject request {{"jsonrpc", "2.0"}, {"id", ++m_lastId}, {"method", method}, {"params", params}};
    write(QJsonDocument(request).toJson(QJsonDocument::Compact));
    return m_lastId;
}

void McpClient::notify(const QString& method, const QJsonObject& params)
{
    write(QJsonDocument(QJsonObject {{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}).toJson(QJsonDocument::Compact));
}

const QJsonObject McpClient::read()
{
    QElapsedTimer waited;
    waited.start();
    while (!m_process->canReadLine() && waited.elapsed() < kTimeoutMs) {
        if (!m_process->waitForReadyRead(200) && m_process->state() == QProcess::NotRunning)
            break;
    }
    return QJsonDocument::fromJson(m_process->readLine()).object();
}

const QJsonObject McpClient::ask(const QString& method, const QJsonObject& params)
{
    send(method, params);
    return read();
}

const QJsonObject McpClient::call(const QString& tool, const QJsonObject& arguments)
{
    return ask("tools/call", {{"name", tool}, {"arguments", arguments}})["result"].toObject();
}

QJsonDocument McpClient::document(const QString& tool, const QJsonObject& arguments)
{
    const QJsonObject result = call(tool, arguments);
    const QByteArray text = result["content"].toArray().at(0)["text"].toString().toUtf8();
    if (result["isError"].toBool(true))
        qWarning("%s", text.constData());
    return QJsonDocument::fromJson(text);
}

int McpClient::close()
{
    m_process->closeWriteChannel();
    return m_process->waitForFinished(kTimeoutMs) ? m_process->exitCode() : -1;
}

}  // namespace tests
