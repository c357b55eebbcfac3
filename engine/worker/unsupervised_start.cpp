#include "engine/worker/unsupervised_start.h"

#include "engine/comm/errors.h"
#include "engine/contract/attempt/attempt.h"
#include "engine/contract/formats/file_content.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/contract/formats/text.h"

#include <nlohmann/json.hpp>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace engine {
namespace {

using Clock = std::chrono::steady_clock;

std::filesystem::path meetingFile(const contract::RunFolder& folder) { return folder.root() / "rendezvous.json"; }

bool isOnOneHost(const RankIdentity& identity) { return identity.localWorldSize == identity.worldSize; }

/// Opens a listening socket at a free port and sets it in @p identity. @throws std::system_error.
void listenAtFreePort(RankIdentity& identity)
{
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(isOnOneHost(identity) ? INADDR_LOOPBACK : INADDR_ANY);
    socklen_t bytes = sizeof address;
    if (socket < 0 || ::bind(socket, reinterpret_cast<const sockaddr*>(&address), bytes) != 0 || ::listen(socket, SOMAXCONN) != 0
        || ::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &bytes) != 0)
        throw std::system_error(errno, std::generic_category(), "rank 0 cannot listen for the other ranks");
    identity.masterDescriptor = socket;
    identity.masterPort = ntohs(address.sin_port);
    identity.masterAddress = isOnOneHost(identity) ? "127.0.0.1" : contract::hostName();
}

void writeMeeting(const contract::RunFolder& folder, const RankIdentity& identity)
{
    const auto process = static_cast<std::int64_t>(::getpid());
    const nlohmann::json json = {{"v", 1}, {"launch", identity.launch}, {"address", identity.masterAddress}, {"port", identity.masterPort},
        {"boot_id", contract::bootId()}, {"pid", process}, {"start_ticks", contract::startTicksOf(process)}};
    contract::writeFileAtomically(meetingFile(folder), contract::jsonText(json) + "\n");
}

/// Whether rank 0 that has written @p json may be alive: on another host it may always be.
bool mayBeAlive(const nlohmann::json& json)
{
    const auto process = json.at("pid").get<std::int64_t>();
    return json.at("boot_id").get<std::string>() != contract::bootId()
        || contract::startTicksOf(process) == json.at("start_ticks").get<std::int64_t>();
}

/// Sets the address and port that rank 0 has written. @return false when the file is missing or of another start of the ranks.
bool readMeeting(const contract::RunFolder& folder, RankIdentity& identity)
{
    constexpr std::uint64_t kMostBytes = 64 * 1024;
    try {
        const auto text = contract::fileContentIfAny(meetingFile(folder), kMostBytes, contract::Links::Refuse);
        const auto json = contract::parsedJson(text.value_or("{}"));
        if (json.value("launch", "") != identity.launch || !mayBeAlive(json))
            return false;
        identity.masterAddress = json.at("address").get<std::string>();
        identity.masterPort = json.at("port").get<int>();
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

void awaitMeeting(const contract::RunFolder& folder, RankIdentity& identity, std::chrono::seconds timeout)
{
    constexpr auto kLookAgain = std::chrono::milliseconds(20);  // another host's file cannot be watched
    const auto deadline = Clock::now() + timeout;
    while (!readMeeting(folder, identity)) {
        if (Clock::now() > deadline)
            throw EngineError(EngineError::Kind::LostPeer,
                "rank 0 has not written " + meetingFile(folder).string() + " after " + std::to_string(timeout.count())
                    + " s: check that rank 0 runs, and that all hosts see the run's folder");
        std::this_thread::sleep_for(kLookAgain);
    }
}

contract::Experiment latestExperiment(const contract::RunFolder& folder)
{
    const std::vector<int> attempts = folder.attempts();
    if (attempts.empty())
        throw EngineError(EngineError::Kind::WrongUsage,
            folder.root().string() + " is not the folder of a run: `atelier prepare FILE` makes one and prints its name");
    return contract::experimentOf(folder, attempts.back());
}

void require(const std::string& problem)
{
    if (!problem.empty())
        throw EngineError(EngineError::Kind::Failure, problem);
}

}  // namespace

UnsupervisedStart::UnsupervisedStart(const contract::RunFolder& folder, RankIdentity& identity)
    : m_folder(folder)
    , m_lock(folder)
{
    const contract::Experiment experiment = latestExperiment(folder);
    const bool isAgreed = identity.worldSize == 1 || identity.masterPort > 0;
    if (identity.rank == 0)
        lead(identity);
    if (isAgreed)
        return;
    if (identity.rank == 0) {
        listenAtFreePort(identity);
        writeMeeting(folder, identity);
    } else {
        awaitMeeting(folder, identity, std::chrono::seconds(experiment.integer("launch.timeout")));
    }
}

void UnsupervisedStart::lead(const RankIdentity& identity)
{
    require(m_startLock.take(m_folder));
    require(m_lock.take());
    const contract::Experiment experiment = latestExperiment(m_folder);
    const contract::AttemptStart start = contract::nextStart(m_folder, std::nullopt, experiment, identity.worldSize);
    const std::int64_t steps = experiment.integer("run.total_steps");
    if (start.parentStep >= steps)
        throw EngineError(EngineError::Kind::Failure,
            "run " + m_folder.id() + " has trained all its " + std::to_string(steps) + " steps; `atelier resume " + m_folder.id()
                + " --set run.total_steps=" + std::to_string(2 * steps) + "` continues it");
    contract::makeSubfolders(m_folder);
    contract::writeAttempt(m_folder, start, experiment);
    m_lock.describe(start.attempt, true);
    m_startLock.release();
    m_attempt = start.attempt;
}

void UnsupervisedStart::agree(Rendezvous& rendezvous)
{
    const std::string agreed = rendezvous.gather("attempt", std::to_string(m_attempt)).front();
    m_attempt = static_cast<int>(contract::parseInteger(agreed).value_or(0));
}

}  // namespace engine
