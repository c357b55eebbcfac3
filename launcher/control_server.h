// A supervisor's control socket: answers each JSON request line with one JSON reply line.
#pragma once
#include "launcher/supervisor/control_client.h"

#include <QLocalServer>
#include <QObject>

#include <filesystem>
#include <functional>
#include <string>

class QLocalSocket;

namespace launcher {

class ControlServer : public QObject {
public:
    /// Executes a command; must not block. Returns an empty string when the command is accepted, else why not.
    using Handler = std::function<std::string(ControlCommand)>;

    ControlServer(Handler handler, QObject* parent = nullptr);
    ~ControlServer() override;

    /// Opens the socket at @p path. Replaces a socket that a dead supervisor left behind, so the caller must hold the
    /// run's lock. @return empty, or why the socket cannot be opened, in one sentence.
    std::string listen(const std::filesystem::path& path);

    void close();

private:
    void accept();
    void read(QLocalSocket* socket);
    std::string answer(const std::string& line) const;

    Handler m_handler;
    QLocalServer m_server;
};

}  // namespace launcher
