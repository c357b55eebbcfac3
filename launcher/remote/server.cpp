#include "launcher/remote/server.h"

#include "engine/contract/formats/folder_entries.h"
#include "engine/contract/formats/json_config.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/journal.h"
#include "engine/contract/run/origin.h"
#include "engine/contract/run/supervisor_lock.h"
#include "launcher/base/file_end.h"
#include "launcher/slurm/slurm_client.h"
#include "launcher/state/mirror_state.h"
#include "launcher/supervisor/control_message.h"

#include <QThreadPool>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <set>
#include <utility>
#include <vector>

namespace launcher {
namespace {

using namespace std::chrono_literals;

constexpr auto kTick = 250ms;
constexpr auto kStatusInterval = 1s;   // of a run that is active
constexpr auto kRoundInterval = 2s;    // between two looks at a run that is not
constexpr auto kBeatInterval = 5s;
constexpr auto kSlurmInterval = 10s;
constexpr std::size_t kRunsAtOnce = 500;
constexpr std::size_t kMostPending = 256 * 1024;  // bytes; less important ones wait in m_transfers

/// Tells whether anything that a run's state and facts are read from may have changed. Costs five stat().
std::string evidenceOf(const contract::RunFolder& folder)
{
    std::string text;
    for (const std::filesystem::path& each : {folder.root() / "attempts", folder.annotations(), contract::originFile(folder), folder.supervisorLock(),
             folder.journal(0), folder.journal(contract::kSupervisorRank)}) {
        struct stat info {};
        if (::stat(each.c_str(), &info) == 0)
            text += std::to_string(info.st_mtim.tv_sec) + "." + std::to_string(info.st_mtim.tv_nsec) + ":" + std::to_string(info.st_size);
        text += "|";
    }
    return text;
}

void setNonBlocking(int descriptor) { ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL) | O_NONBLOCK); }

}  // namespace

Server::Server(const DataHome& home, std::string version, int input, int output, QObject* parent)
    : QObject(parent)
    , m_home(home)
    , m_input(input)
    , m_output(output)
    , m_readable(input, QSocketNotifier::Read)
    , m_writable(output, QSocketNotifier::Write)
{
    setNonBlocking(input);
    setNonBlocking(output);
    connect(&m_readable, &QSocketNotifier::activated, this, &Server::read);
    connect(&m_writable, &QSocketNotifier::activated, this, &Server::write);
    connect(&m_timer, &QTimer::timeout, this, &Server::tick);
    m_writable.setEnabled(false);
    m_timer.start(kTick);
    send(messageLine({{"v", kRemoteVersion}, {"atelier", std::move(version)}, {"host", contract::hostName()}, {"now", nowUnixMs()},
        {"resources", resourcesFolder().string()}, {"tells_copied", true}}));
    QMetaObject::invokeMethod(this, &Server::tick, Qt::QueuedConnection);
}

Server::~Server() = default;

void Server::read()
{
    std::array<char, 65536> bytes {};
    const ssize_t count = ::read(m_input, bytes.data(), bytes.size());
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
        return;
    if (count <= 0)
        return end();
    std::string_view rest(bytes.data(), static_cast<std::size_t>(count));
    for (std::size_t newline; (newline = rest.find('\n')) != std::string_view::npos; rest.remove_prefix(newline + 1)) {
        m_line += rest.substr(0, newline);
        const std::string line = std::exchange(m_line, {});
        if (std::exchange(m_isTooLong, false) || line.size() > kLongestRemoteLine)
            answer(nullptr, "a request is longer than " + std::to_string(kLongestRemoteLine) + " bytes");
        else if (!line.empty())
            take(line);
    }
    m_line += rest;
    if (m_line.size() > kLongestRemoteLine) {
        m_line.clear();
        m_isTooLong = true;
    }
}

void Server::answer(const Json& id, const std::string& error, bool isCancelled)
{
    Json message = {{"id", id}, {"ok", error.empty()}};
    if (isCancelled)
        message["cancelled"] = true;
    if (!error.empty())
        message["error"] = error;
    send(messageLine(message));
}

void Server::take(std::string_view line)
{
    Json request;
    try {
        request = contract::parseJson(line, "a request");
    } catch (const std::exception& error) {
        return answer(nullptr, error.what());
    }
    if (!request.is_object())
        return answer(nullptr, "a request is a JSON object");
    const Json id = request.value("id", Json());
    const std::string command = textField(request, "cmd");
    if (command == "do")
        return execute(id, request);
    if (command == "cancel")
        return answer(id, m_commands.cancel(numberField(request, "of")) ? "" : "that command has ended, or cannot be cancelled");
    const std::string run = textField(request, "run");
    if (!isRunName(run) || !contract::isFolder(rootOf(run)))
        return answer(id, "there is no run " + contract::inQuotes(contract::shortened(run)));
    if (command == "have")
        return followed(run).have(request.value("files", Json()));
    if (command == "annotate")
        return annotate(id, run, request);
    if (command == "leave")
        return leave(run);
    if (command == "look") {
        const auto depth = depthCalled(textField(request, "depth"));
        return depth ? look(run, *depth) : answer(id, "\"depth\" must be one of: facts, records, logs, samples");
    }
    const ControlRequest control = parseRequest(line);
    if (!control.command)
        return answer(id, control.error);
    sendCommandAsync(m_home, contract::RunFolder(rootOf(run)), *control.command, this, [this, id, run](const ControlReply& reply) {
        answer(id, reply.isAccepted ? std::string() : reply.error);
        sayRun(run);
    });
}

void Server::look(const std::string& run, FileDepth depth)
{
    FollowedRun& looked = followed(run);
    looked.setDepth(depth, m_transfers);
    const std::string stamp = factsStamp(rootOf(run));
    looked.sendChanges(m_transfers);
    if (depth == FileDepth::Facts)
        m_followed.erase(run);
    m_transfers.addMessage(run, FileDepth::Facts, {{"run", run}, {"done", stamp}});
    for (const FileDepth each : {FileDepth::Records, FileDepth::Logs, FileDepth::Samples}) {
        if (each <= depth)
            m_transfers.addMessage(run, each, {{"copied", run}, {"depth", depthName(each)}});
    }
    write();
}

FollowedRun& Server::followed(const std::string& run)
{
    return m_followed.try_emplace(run, run, rootOf(run)).first->second;
}

void Server::leave(const std::string& run)
{
    m_transfers.drop(run, std::nullopt);
    m_followed.erase(run);
}

void Server::annotate(const Json& id, const std::string& run, const Json& request)
{
    const contract::RunFolder folder(rootOf(run));
    std::string problem;
    try {
        contract::appendAnnotations(folder.annotations(), annotationsOf(request.value("before", Json())), annotationsOf(request.value("after", Json())));
    } catch (const std::exception& error) {
        problem = contract::sentenceOf(error);
    }
    answer(id, problem);
    sayRun(run);
}

void Server::execute(const Json& id, const Json& request)
{
    std::vector<std::string> words;
    const Json arguments = request.value("arguments", Json());
    for (const Json& word : arguments.is_array() ? arguments : Json::array())
        words.push_back(word.is_string() ? word.get<std::string>() : std::string());
    const std::string input = textField(request, "input");
    if (const std::string problem = commandProblem(words, input); !problem.empty())
        return answer(id, problem);
    if (m_commands.isFull())
        return answer(id, "eight other commands are still being carried out; try again");
    m_commands.execute(
        numberField(request, "id"), words, input, [this, id](const std::string& text) { send(messageLine({{"id", id}, {"progress", text}})); },
        [this, id](const CommandEnd& end) { answerCommand(id, end); });
}

void Server::answerCommand(const Json& id, const CommandEnd& end)
{
    for (std::size_t begin = 0; begin < end.output.size(); begin += kLongestPayload) {
        const std::string part = end.output.substr(begin, kLongestPayload);
        send(messageLine({{"id", id}, {"output", true}, {"bytes", part.size()}}) + part);
    }
    answer(id, end.error, end.isCancelled);
    m_next.clear();
    m_listedAt = {};  // what has changed is said at once
}

void Server::tick()
{
    if (m_out.size() - m_written < kMostPending) {
        askSlurm();
        listRuns();
        sayNextRuns();
        for (auto& [run, looked] : m_followed) {
            if (looked.depth() > FileDepth::Facts)
                looked.sendChanges(m_transfers);
        }
    }
    if (Clock::now() - m_saidAt >= kBeatInterval)
        send(messageLine({{"beat", 1}}));
    write();
}

/// As a window does: Slurm may take long to answer, so it is asked on another thread.
void Server::askSlurm()
{
    if (Clock::now() - m_slurmAskedAt < kSlurmInterval || m_isAskingSlurm->load())
        return;
    m_slurmAskedAt = Clock::now();
    std::vector<std::filesystem::path> roots;
    for (const auto& [run, said] : m_runs) {
        if (said.isInSlurm)
            roots.push_back(rootOf(run));
    }
    if (roots.empty())
        return;
    *m_isAskingSlurm = true;
    QThreadPool::globalInstance()->start([roots, isAsking = m_isAskingSlurm] {
        for (const std::filesystem::path& root : roots) {
            if (!refreshSlurm(contract::RunFolder(root), kSlurmInterval).empty())
                break;  // one that does not answer is not asked for each run
        }
        *isAsking = false;
    });
}

/// Begins a round: looks which runs there are.
void Server::listRuns()
{
    if (!m_next.empty() || Clock::now() - m_listedAt < kRoundInterval)
        return;
    m_listedAt = Clock::now();
    std::error_code error;
    std::set<std::string> present;
    for (const std::filesystem::path& entry : contract::entriesOf(m_home.runs(), error)) {
        if (isRunName(entry.filename().string()) && contract::isFolder(entry))
            present.insert(entry.filename().string());
    }
    if (error && error != std::errc::no_such_file_or_directory)
        return;  // a network disk that has gone for a while removes nothing
    for (auto each = m_runs.begin(); each != m_runs.end();) {
        if (present.contains(each->first)) {
            ++each;
            continue;
        }
        leave(each->first);
        send(messageLine({{"gone", each->first}}));
        each = m_runs.erase(each);
    }
    m_next.assign(present.begin(), present.end());
    if (m_next.empty() && !std::exchange(m_isListed, true))
        send(messageLine({{"listed", 0}}));
}

void Server::sayNextRuns()
{
    for (auto& [run, said] : m_runs) {
        if (said.isChanging && Clock::now() - said.at >= kStatusInterval)
            sayRun(run);
    }
    for (std::size_t count = 0; count < kRunsAtOnce && !m_next.empty(); ++count) {
        const std::string run = std::exchange(m_next.front(), {});
        m_next.pop_front();
        sayRun(run);
        if (m_next.empty() && !std::exchange(m_isListed, true))
            send(messageLine({{"listed", m_runs.size()}}));
    }
}

/// Says what has changed of a run since it was said last.
void Server::sayRun(const std::string& run)
{
    const contract::RunFolder folder(rootOf(run));
    Said& said = m_runs[run];
    const std::string evidence = evidenceOf(folder);
    const bool isDue = said.isChanging && Clock::now() - said.at >= kStatusInterval;
    if (evidence == said.evidence && !isDue)
        return;
    const RunStatus status = inspectRun(folder);
    const std::string stamp = factsStamp(folder.root());
    Json json = statusJson(status);
    if (json != said.status || stamp != said.stamp)
        send(messageLine({{"run", run}, {"stamp", stamp}, {"status", json}}));
    said = {.evidence = evidence, .stamp = stamp, .status = std::move(json), .isInSlurm = !status.slurmJob.empty(),
        .isChanging = isActive(status.state) || isWaiting(status.state) || !status.slurmJob.empty(),
        .at = Clock::now()};
}

void Server::send(const std::string& bytes)
{
    m_out += bytes;
    m_saidAt = Clock::now();
    m_writable.setEnabled(!m_isEnded);
}

void Server::write()
{
    if (m_isEnded)
        return;
    while (m_out.size() - m_written < kMostPending) {
        const auto next = m_transfers.next();
        if (!next)
            break;
        m_out += *next;
        m_saidAt = Clock::now();
    }
    while (m_written < m_out.size()) {
        const ssize_t count = ::write(m_output, m_out.data() + m_written, m_out.size() - m_written);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0 && errno == EAGAIN)
            break;
        if (count < 0)
            return end();
        m_written += static_cast<std::size_t>(count);
    }
    constexpr std::size_t kMostWritten = 1024 * 1024;
    if (m_written == m_out.size() || m_written > kMostWritten)
        m_out.erase(0, std::exchange(m_written, 0));
    m_writable.setEnabled(!m_out.empty() || !m_transfers.isEmpty());
}

void Server::end()
{
    if (std::exchange(m_isEnded, true))
        return;
    m_readable.setEnabled(false);
    m_writable.setEnabled(false);
    m_timer.stop();
    Q_EMIT ended();
}

}  // namespace launcher
