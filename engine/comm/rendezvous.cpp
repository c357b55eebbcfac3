#include "engine/comm/rendezvous.h"

#include "engine/comm/errors.h"
#include "engine/comm/process_group.h"
#include "engine/comm/shared_memory_group.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <random>
#include <string>
#include <vector>

namespace engine {
namespace {

c10::intrusive_ptr<c10d::Store> openStore(
    const RankIdentity& identity, std::chrono::milliseconds timeout)
{
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(identity.masterPort);
    options.isServer = identity.rank == 0;
    options.numWorkers = static_cast<std::size_t>(identity.worldSize);
    options.waitWorkers = false;
    options.timeout = timeout;
    if (identity.masterDescriptor >= 0)
        options.masterListenFd = identity.masterDescriptor;
    return c10::make_intrusive<c10d::TCPStore>(identity.masterAddress, options);
}

c10::intrusive_ptr<c10d::Backend> makeGloo(const c10::intrusive_ptr<c10d::Store>& store,
    const RankIdentity& identity, std::chrono::milliseconds timeout)
{
    auto options = c10d::ProcessGroupGloo::Options::create(timeout);
    const bool isOneHost = identity.worldSize == identity.localWorldSize;
    options->devices.push_back(isOneHost
            ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
            : c10d::ProcessGroupGloo::createDefaultDevice());
    options->threads = 2;
    return c10::make_intrusive<c10d::ProcessGroupGloo>(
        store, identity.rank, identity.worldSize, options);
}

std::string read(c10d::Store& store, const std::string& key)
{
    const auto bytes = store.get(key);
    return {bytes.begin(), bytes.end()};
}

void write(c10d::Store& store, const std::string& key, const std::string& text)
{
    store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// A number that no other run on this host has.
std::uint64_t runToken(c10d::Store& store, int rank)
{
    if (rank == 0) {
        std::random_device random;
        write(store, "run", std::to_string((std::uint64_t {random()} << 32) | random()));
    }
    return std::stoull(read(store, "run"));
}

/// @return nullptr, on every rank, when one of them cannot open the others' memory.
std::unique_ptr<Group> shareMemory(c10d::Store& store, const RankIdentity& identity, std::chrono::milliseconds timeout)
{
    const auto key = [](const char* what, int rank) { return std::string(what) + std::to_string(rank); };
    auto memory = std::make_unique<SharedMemory>(
        identity.rank, identity.worldSize, runToken(store, identity.rank), timeout);
    write(store, key("memory of ", identity.rank), memory->address());
    std::vector<std::string> addresses;
    for (int rank = 0; rank < identity.worldSize; ++rank)
        addresses.push_back(read(store, key("memory of ", rank)));
    write(store, key("opened by ", identity.rank), memory->open(addresses) ? "yes" : "no");
    bool haveAll = true;
    for (int rank = 0; rank < identity.worldSize; ++rank)
        haveAll &= read(store, key("opened by ", rank)) == "yes";
    if (!haveAll)
        return nullptr;
    auto group = std::make_unique<SharedMemoryGroup>(std::move(memory), identity.rank, identity.worldSize);
    group->barrier("after joining");  // the store may go only when nobody reads it any more
    return group;
}

std::unique_ptr<Group> meet(const RankIdentity& identity, Accelerator* accelerator, Exchange exchange,
    std::chrono::milliseconds timeout)
{
    auto store = openStore(identity, timeout);
    if (accelerator)
        return std::make_unique<ProcessGroup>(
            accelerator->makeNccl(store, identity.rank, identity.worldSize, timeout));
    const bool isOneHost = identity.worldSize == identity.localWorldSize;
    if (exchange == Exchange::SharedMemory && !isOneHost)
        throw EngineError(EngineError::Kind::Failure,
            "engine.exchange = shared needs all ranks on one host; auto takes Gloo across hosts");
    if (exchange != Exchange::Gloo && isOneHost) {
        if (auto group = shareMemory(*store, identity, timeout))
            return group;
        if (exchange == Exchange::SharedMemory)
            throw EngineError(EngineError::Kind::Failure,
                "engine.exchange = shared: the ranks cannot open each other's memory (other users or "
                "containers?); auto takes Gloo then");
    }
    return std::make_unique<ProcessGroup>(makeGloo(store, identity, timeout));
}

}  // namespace

std::unique_ptr<Group> joinRanks(const RankIdentity& identity, Accelerator* accelerator, Exchange exchange,
    std::chrono::milliseconds timeout)
{
    if (identity.worldSize == 1)
        return std::make_unique<LoneGroup>();
    const std::string place
        = identity.masterAddress + ":" + std::to_string(identity.masterPort);
    try {
        return meet(identity, accelerator, exchange, timeout);
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        const std::string reason = firstLine(error);
        if (identity.rank == 0 && reason.find("EADDRINUSE") != std::string::npos)
            throw EngineError(EngineError::Kind::Failure,
                "port " + std::to_string(identity.masterPort)
                    + " is taken: set MASTER_PORT to a free one");
        throw EngineError(EngineError::Kind::LostPeer,
            "the " + std::to_string(identity.worldSize) + " ranks could not meet at " + place + ": "
                + reason);
    }
}

}  // namespace engine
