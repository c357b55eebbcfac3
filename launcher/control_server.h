// A supervisor's ear: one line of JSON in, one line of JSON out.
#pragma once
#include "launcher/control_client.h"

#include <QLocalServer>
#include <QObject>

#include <filesystem>
#include <functional>
#include <string>

class QLocalSocket;

namespace launcher {

class ControlServer : public QObject {
public:
    /// Must return at once. @return empty when the command is accepted, else why not.
    using Handler = std::function<std::string(ControlCommand)>;

    ControlServer(Handler handler, QObject* parent = nullptr);
    ~ControlServer() override;

    /// Takes the place of a socket that a dead supervisor left: call it with the run's lock held.
    /// @return empty, or why nobody can be heard, in one sentence.
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
