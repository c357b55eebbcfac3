#include "launcher/supervisor/control_client.h"

#include "engine/contract/formats/sentence.h"
#include "engine/contract/run/control.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/slurm/slurm_job.h"
#include "launcher/supervisor/control_message.h"

#include <QLocalSocket>
#include <QThread>
#include <QTimer>

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
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

/// What becomes of a command that the supervisor has not answered, or cannot be reached with. To kill needs no answer: a supervisor that
/// holds the lock is ended itself, and its ranks end with it.
ControlReply withoutAnswer(const contract::RunFolder& folder, ControlCommand command, const ControlReply& problem)
{
    const auto owner = command == ControlCommand::Kill ? contract::lockOwner(folder) : std::nullopt;
    const bool isIt = owner && !owner->isRankZero && owner->host == contract::hostName() && contract::isLocked(folder)
        && contract::startTicksOf(owner->processId) == owner->startTicks;
    return isIt && ::kill(static_cast<pid_t>(owner->processId), SIGKILL) == 0 ? ControlReply {true, {}} : problem;
}

/// Carries out a command without a supervisor: through the file that rank 0 reads, or by a signal to rank 0 when it runs on this
/// machine. Its loss ends the other ranks.
ControlReply commandRanks(const contract::RunFolder& folder, const contract::LockOwner& rankZero, ControlCommand command)
{
    const bool isHere = rankZero.host == contract::hostName();
    const auto signalRankZero = [&](int number) -> ControlReply {
        if (!isHere)
            return {false, "the ranks of run " + folder.id() + " run on " + rankZero.host
                    + " without a supervisor; end them there, or by the program that started them"};
        const auto process = static_cast<pid_t>(rankZero.processId);
        const bool isSent = contract::startTicksOf(process) == rankZero.startTicks && ::kill(process, number) == 0;
        return isSent ? ControlReply {true, {}} : ControlReply {false, "rank 0 of run " + folder.id() + " has ended"};
    };
    const auto append = [&](contract::Command word) -> ControlReply {
        try {
            contract::appendCommand(folder.control(), word);
            return {true, {}};
        } catch (const std::system_error& error) {
            return {false, contract::cannotBe("written", folder.control(), error.code().value())};
        }
    };
    switch (command) {
    case ControlCommand::Stop:
        return append(contract::Command::Stop);
    case ControlCommand::Checkpoint:
        return append(contract::Command::Checkpoint);
    case ControlCommand::Sample:
        return append(contract::Command::Sample);
    case ControlCommand::StopNow:
        return signalRankZero(SIGINT);
    case ControlCommand::Kill:
        return signalRankZero(SIGKILL);
    case ControlCommand::Ping:
        break;
    }
    return {true, {}};
}

/// Rank 0 of an active run without a supervisor; nullopt when there is a supervisor, or the run has ended.
std::optional<contract::LockOwner> rankZeroOf(const contract::RunFolder& folder)
{
    auto owner = contract::lockOwner(folder);
    // A lock that another host holds may be invisible here; its ranks read the file of commands all the same.
    const bool isActive = owner && owner->isRankZero && (owner->host != contract::hostName() || contract::isLocked(folder));
    return isActive ? owner : std::nullopt;
}

/// Commands reach the ranks of a job in Slurm as those of other runs without a supervisor. Where no rank reads them, and to end the ranks
/// at once, the job is cancelled. Blocks as cancelSlurm() does.
ControlReply commandSlurm(const contract::RunFolder& folder, const SlurmJob& job, ControlCommand command)
{
    const bool isStop = command == ControlCommand::Stop || command == ControlCommand::StopNow || command == ControlCommand::Kill;
    const bool isUnknown = !refreshSlurm(folder, std::chrono::seconds(0)).empty();
    const auto rankZero = rankZeroOf(folder);
    const bool isRead = rankZero && isOfPresentStart(folder, *rankZero) && (isUnknown || lastSighting(folder, job).isRunning());
    if (isRead && command != ControlCommand::StopNow && command != ControlCommand::Kill)
        return commandRanks(folder, *rankZero, command);
    if (!isStop)
        return {false, "no rank of run " + folder.id() + " runs: it waits for its job in Slurm, " + job.id};
    const std::string problem = cancelSlurm(folder);
    return {problem.empty(), problem};
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
    Exchange(const contract::RunFolder& folder, ControlCommand command, std::function<void(const ControlReply&)> onReply,
        QObject* context)
        : QObject(context)
        , m_folder(folder)
        , m_command(command)
        , m_onReply(std::move(onReply))
    {
        connect(&m_timeout, &QTimer::timeout, this, [this] { end(withoutAnswer(m_folder, m_command, noAnswer(m_folder))); });
        connect(&m_socket, &QLocalSocket::errorOccurred, this,
            [this] { end(withoutAnswer(m_folder, m_command, m_wasConnected ? noAnswer(m_folder) : noSupervisor(m_folder))); });
        connect(&m_socket, &QLocalSocket::readyRead, this, [this] {
            if (m_socket.canReadLine())
                end(parseReply(m_socket.readLine().toStdString()));
        });
        m_timeout.setSingleShot(true);
        m_timeout.start(kAsyncTimeoutMs);
    }

    void send(const std::filesystem::path& path)
    {
        if (const auto job = liveSlurmJob(m_folder))
            return askSlurm(*job);
        if (const auto rankZero = rankZeroOf(m_folder))
            return end(commandRanks(m_folder, *rankZero, m_command));
        connect(&m_socket, &QLocalSocket::connected, this, [this] {
            m_wasConnected = true;
            m_socket.write(QByteArray::fromStdString(requestLine(m_command)));
        });
        m_socket.connectToServer(QString::fromStdString(path.string()));
    }

private:
    void askSlurm(const SlurmJob& job)
    {
        m_timeout.stop();  // Slurm's programs have a time limit of their own
        auto* const thread = QThread::create([folder = m_folder, job, command = m_command, reply = m_slurmReply] { *reply = commandSlurm(folder, job, command); });
        connect(thread, &QThread::finished, this, [this] { end(*m_slurmReply); });
        connect(thread, &QThread::finished, thread, &QObject::deleteLater);
        thread->start();
    }

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
    ControlCommand m_command;
    std::function<void(const ControlReply&)> m_onReply;
    QLocalSocket m_socket;
    QTimer m_timeout;
    std::shared_ptr<ControlReply> m_slurmReply = std::make_shared<ControlReply>();
    bool m_wasConnected = false;
};

}  // namespace

ControlReply sendCommand(
    const DataHome& home, const contract::RunFolder& folder, ControlCommand command, int timeoutMs)
{
    if (const auto job = liveSlurmJob(folder))
        return commandSlurm(folder, *job, command);
    if (const auto rankZero = rankZeroOf(folder))
        return commandRanks(folder, *rankZero, command);
    const auto deadline = Clock::now() + std::chrono::milliseconds(timeoutMs);
    const Connection connection(supervisorSocket(home, folder.root()));
    if (!connection.isOpen())
        return withoutAnswer(folder, command, noSupervisor(folder));
    const std::string line = connection.send(requestLine(command)) ? connection.readLine(deadline) : std::string();
    return line.empty() ? withoutAnswer(folder, command, noAnswer(folder)) : parseReply(line);
}

void sendCommandAsync(const DataHome& home, const contract::RunFolder& folder, ControlCommand command,
    QObject* context, std::function<void(const ControlReply&)> onReply)
{
    // Connecting may fail immediately. Queued, so that onReply is never called from inside this function.
    auto* exchange = new Exchange(folder, command, std::move(onReply), context);
    QMetaObject::invokeMethod(
        exchange, [exchange, path = supervisorSocket(home, folder.root())] { exchange->send(path); }, Qt::QueuedConnection);
}

}  // namespace launcher
