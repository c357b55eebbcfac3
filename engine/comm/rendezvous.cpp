#include "engine/comm/rendezvous.h"

#include "engine/comm/errors.h"

#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

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

}  // namespace

std::unique_ptr<Group> joinRanks(
    const RankIdentity& identity, Accelerator* accelerator, std::chrono::milliseconds timeout)
{
    if (identity.worldSize == 1)
        return std::make_unique<Group>();
    const std::string place
        = identity.masterAddress + ":" + std::to_string(identity.masterPort);
    try {
        auto store = openStore(identity, timeout);
        return std::make_unique<Group>(accelerator
                ? accelerator->makeNccl(store, identity.rank, identity.worldSize, timeout)
                : makeGloo(store, identity, timeout));
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
