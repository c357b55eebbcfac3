// atelier mcp
#include "app/cli/cli11.h"
#include "app/cli/command.h"
#include "app/mcp/session.h"

#include <QCoreApplication>
#include <QSocketNotifier>

#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <memory>

namespace app {
namespace {

/// Passes lines from standard input to the session, and its messages to standard output.
class Connection {
public:
    explicit Connection(bool isControlAllowed)
        : m_session(isControlAllowed, [this](const std::string& message) { write(message + "\n"); })
    {
        QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_context, [this] { read(); });
    }

private:
    void read()
    {
        std::array<char, 65536> bytes {};
        const ssize_t count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (count < 0 && (errno == EINTR || errno == EAGAIN))
            return;
        if (count <= 0) {
            m_notifier.setEnabled(false);
            takeLine();  // the last one may lack its end
            m_isAtEnd = true;
            return endWhenIdle();
        }
        std::string_view rest(bytes.data(), static_cast<std::size_t>(count));
        for (std::size_t end; (end = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(end + 1)) {
            add(rest.substr(0, end));
            takeLine();
        }
        add(rest);
    }

    void add(std::string_view part)
    {
        constexpr std::size_t kLongest = 4'000'000;
        m_isTooLong = m_isTooLong || m_line.size() + part.size() > kLongest;
        if (m_isTooLong)
            m_line.clear();
        else
            m_line += part;
    }

    void takeLine()
    {
        if (m_isTooLong)
            m_session.refuse("the message is longer than 4 MB");
        else if (m_line.find_first_not_of(" \t\r") != std::string::npos)
            m_session.receive(m_line);
        m_line.clear();
        m_isTooLong = false;
    }

    void write(std::string_view text)
    {
        while (!text.empty()) {
            const ssize_t count = ::write(STDOUT_FILENO, text.data(), text.size());
            if (count < 0 && errno == EINTR)
                continue;
            if (count < 0)
                return QCoreApplication::quit();  // the client has gone
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        // Not at once: the session has not marked the request as answered yet.
        QMetaObject::invokeMethod(&m_context, [this] { endWhenIdle(); }, Qt::QueuedConnection);
    }

    void endWhenIdle()
    {
        if (m_isAtEnd && m_session.isIdle())
            QCoreApplication::quit();
    }

    QObject m_context;
    Session m_session;
    QSocketNotifier m_notifier {STDIN_FILENO, QSocketNotifier::Read};
    std::string m_line;
    bool m_isTooLong = false;
    bool m_isAtEnd = false;
};

ExitCode serve(bool isControlAllowed)
{
    std::signal(SIGPIPE, SIG_IGN);
    int argumentCount = 1;
    char name[] = "atelier";
    char* arguments[] = {name, nullptr};
    QCoreApplication application(argumentCount, arguments);
    const Connection connection(isControlAllowed);
    QCoreApplication::exec();
    return kSuccess;
}

}  // namespace

void addMcpCommand(CLI::App& app, Action& action)
{
    const auto isControlAllowed = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("mcp", "Serve runs to an assistant, over the Model Context Protocol on standard input and output");
    command->add_flag("--allow-control", *isControlAllowed, "Offer tools, too, that start, stop and change runs; a started experiment may run programs");
    command->footer("For programs, not for people: a client starts `atelier mcp` and exchanges JSON messages with it, one in a line.");
    command->callback([isControlAllowed, &action] { action = [isControlAllowed] { return serve(*isControlAllowed); }; });
}

}  // namespace app
