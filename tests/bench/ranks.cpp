#include "tests/bench/ranks.h"

#include "tests/paths.h"

#include <QFile>
#include <QTcpServer>
#include <QTemporaryDir>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <stdexcept>
#include <vector>

namespace bench {
namespace {

using namespace std::chrono_literals;

constexpr auto kTimeLimit = 10min;

int freePort()
{
    QTcpServer server;
    server.listen(QHostAddress::LocalHost);
    return server.serverPort();
}

std::vector<std::string> environmentOf(int rank, int count, int port, bool keepsFreedMemory)
{
    std::vector<std::string> variables;
    for (char** variable = environ; *variable; ++variable)
        variables.emplace_back(*variable);
    const std::string number = std::to_string(rank), ranks = std::to_string(count);
    for (const auto& [name, value] : {std::pair<const char*, std::string> {"OMP_NUM_THREADS", "1"}, {"WORLD_SIZE", ranks},
             {"LOCAL_WORLD_SIZE", ranks}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", std::to_string(port)}, {"RANK", number},
             {"LOCAL_RANK", number}}) {
        std::erase_if(variables, [&](const std::string& old) { return old.starts_with(std::string(name) + '='); });
        variables.push_back(name + ('=' + value));
    }
    if (keepsFreedMemory)
        for (const char* variable : {"MALLOC_MMAP_THRESHOLD_=4294967296", "MALLOC_TRIM_THRESHOLD_=4294967296", "MALLOC_TOP_PAD_=67108864"})
            variables.emplace_back(variable);
    return variables;
}

std::vector<char*> pointersTo(std::vector<std::string>& texts)
{
    std::vector<char*> pointers;
    for (std::string& text : texts)
        pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

std::string contentOf(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
}

/// One started rank. Its standard output and error go to files, so that it never waits for a reader.
class Rank {
public:
    Rank(const QString& program, const QStringList& arguments, std::vector<std::string> environment, const QString& filesPrefix)
        : m_output(filesPrefix + ".out")
        , m_errors(filesPrefix + ".err")
    {
        std::vector<std::string> words {program.toStdString()};
        for (const QString& argument : arguments)
            words.push_back(argument.toStdString());
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        for (const auto& [descriptor, path] : {std::pair<int, const QString&> {1, m_output}, {2, m_errors}})
            posix_spawn_file_actions_addopen(
                &actions, descriptor, path.toLocal8Bit().constData(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        const int error
            = ::posix_spawn(&m_process, words.front().c_str(), &actions, nullptr, pointersTo(words).data(), pointersTo(environment).data());
        posix_spawn_file_actions_destroy(&actions);
        if (error != 0)
            throw std::runtime_error(words.front() + " cannot be started");
    }

    /// @return its peak memory in MiB
    double wait(std::chrono::steady_clock::time_point deadline)
    {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        pollfd finished {.fd = static_cast<int>(::syscall(SYS_pidfd_open, m_process, 0)), .events = POLLIN, .revents = 0};
        if (::poll(&finished, 1, static_cast<int>(std::max(left, 0ms).count())) == 0)
            ::kill(m_process, SIGKILL);
        ::close(finished.fd);
        rusage usage {};
        ::wait4(m_process, &m_status, 0, &usage);
        return static_cast<double>(usage.ru_maxrss) / 1024;
    }

    bool hasFailed() const { return !WIFEXITED(m_status) || WEXITSTATUS(m_status) != 0; }
    std::string output() const { return contentOf(m_output); }
    std::string errors() const { return contentOf(m_errors); }

private:
    QString m_output, m_errors;
    pid_t m_process = -1;
    int m_status = 0;
};

std::int64_t unixMs()
{
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace

QString peerPython()
{
    // LibTorch for the CPU only comes without what PyTorch needs in Python; the peers' environment has it, once it is wholly installed:
    // a test that runs beside this one may be at it.
    const QString peers = QStringLiteral(ATELIER_SOURCE_DIR "/.deps/peers");
    return qEnvironmentVariable("ATELIER_PEER_PYTHON",
        QFile::exists(peers + "/installed") ? peers + "/bin/python" : QStringLiteral(ATELIER_SOURCE_DIR "/.deps/venv/bin/python"));
}

RanksOutcome startRanks(const QString& program, const QStringList& arguments, bool keepsFreedMemory, int count)
{
    const QTemporaryDir files;
    const int port = freePort();
    RanksOutcome outcome;
    outcome.startUnixMs = unixMs();
    std::vector<Rank> ranks;
    for (int rank = 0; rank < count; ++rank)
        ranks.emplace_back(program, arguments, environmentOf(rank, count, port, keepsFreedMemory), files.filePath(QString::number(rank)));
    const auto deadline = std::chrono::steady_clock::now() + kTimeLimit;
    for (Rank& rank : ranks)
        outcome.peakMib = std::max(outcome.peakMib, rank.wait(deadline));
    outcome.output = ranks.front().output();
    // Python sometimes aborts on exit, after everything was measured: what rank 0 printed counts.
    for (const Rank& rank : ranks) {
        if (rank.hasFailed() && outcome.output.empty()) {
            const std::string errors = rank.errors();
            throw std::runtime_error(program.toStdString() + " " + arguments.join(' ').toStdString() + " failed: "
                + errors.substr(errors.size() - std::min<std::size_t>(errors.size(), 2000)));
        }
    }
    return outcome;
}

nlohmann::json runRanks(const QString& program, const QStringList& arguments, bool keepsFreedMemory, int count)
{
    const RanksOutcome outcome = startRanks(program, arguments, keepsFreedMemory, count);
    nlohmann::json line = nlohmann::json::parse(outcome.output, nullptr, false);
    if (line.is_discarded())
        throw std::runtime_error(program.toStdString() + " printed no JSON but: " + outcome.output.substr(0, 2000));
    line["peak_mib"] = outcome.peakMib;
    return line;
}

}  // namespace bench
