#include "engine/comm/rendezvous.h"

#include "engine/comm/errors.h"
#include "engine/comm/listener.h"
#include "engine/comm/process_group.h"
#include "engine/comm/shared_memory_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace engine {
namespace {

std::string placeOf(const RankIdentity& identity) { return identity.masterAddress + ":" + std::to_string(identity.masterPort); }

c10::intrusive_ptr<c10d::Store> openStore(
    const RankIdentity& identity, std::chrono::milliseconds timeout)
{
    // A store that is refused tries again after half a second and more.
    if (identity.rank != 0 && !awaitListener(identity.masterAddress, identity.masterPort, timeout))
        throw EngineError(EngineError::Kind::LostPeer,
            "rank 0 does not listen at " + placeOf(identity) + ": it has not come within "
                + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(timeout).count())
                + " s, or MASTER_ADDR and MASTER_PORT name another place");
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

std::string read(c10d::Store& store, const std::string& key)
{
    const auto bytes = store.get(key);
    return {bytes.begin(), bytes.end()};
}

void write(c10d::Store& store, const std::string& key, const std::string& text)
{
    store.set(key, std::vector<std::uint8_t>(text.begin(), text.end()));
}

/// Builds the groups that this rank belongs to; ranks with the same name and members build them together.
class Meeting {
public:
    Meeting(c10::intrusive_ptr<c10d::Store> store, const RankIdentity& identity, Accelerator* accelerator,
        const JoinOptions& options)
        : m_store(std::move(store))
        , m_identity(identity)
        , m_accelerator(accelerator)
        , m_options(options)
    {
    }

    std::unique_ptr<Group> build(const std::string& name, const std::vector<int>& ranks)
    {
        const Members members {ranks,
            static_cast<int>(std::ranges::find(ranks, m_identity.rank) - ranks.begin()),
            c10::make_intrusive<c10d::PrefixStore>(name + " of " + std::to_string(ranks.front()), m_store)};
        if (m_accelerator)
            return std::make_unique<ProcessGroup>(
                m_accelerator->makeNccl(members.store, members.index, members.size(), m_options.timeout));
        const bool isOneHost = hostOf(ranks.front()) == hostOf(ranks.back());
        const bool mustShare = m_options.exchange == Exchange::SharedMemory;
        if (mustShare && !isOneHost)
            throw EngineError(EngineError::Kind::Failure,
                "engine.exchange = shared needs all ranks on one host; auto takes Gloo across hosts");
        if (m_options.exchange != Exchange::Gloo && isOneHost) {
            if (auto group = shareMemory(members))
                return group;
            if (mustShare)
                throw EngineError(EngineError::Kind::Failure,
                    "engine.exchange = shared: the ranks cannot open each other's memory (other users or "
                    "containers?); auto takes Gloo then");
        }
        return std::make_unique<GlooGroup>(makeGloo(members, isOneHost));
    }

private:
    struct Members {
        const std::vector<int>& ranks;
        int index;  ///< of this rank
        c10::intrusive_ptr<c10d::Store> store;
        int size() const { return static_cast<int>(ranks.size()); }
    };

    int hostOf(int rank) const { return rank / m_identity.localWorldSize; }

    c10::intrusive_ptr<c10d::Backend> makeGloo(const Members& members, bool isOneHost) const
    {
        auto options = c10d::ProcessGroupGloo::Options::create(m_options.timeout);
        options->devices.push_back(isOneHost ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                             : c10d::ProcessGroupGloo::createDefaultDevice());
        options->threads = 2;
        return c10::make_intrusive<c10d::ProcessGroupGloo>(members.store, members.index, members.size(), options);
    }

    /// @return nullptr, on every rank, when one of them cannot open the others' memory.
    std::unique_ptr<Group> shareMemory(const Members& members) const
    {
        c10d::Store& store = *members.store;
        if (members.index == 0) {  // a number that no other group on this host has
            std::random_device random;
            write(store, "token", std::to_string((std::uint64_t {random()} << 32) | random()));
        }
        auto memory = std::make_unique<SharedMemory>(
            members.index, members.ranks, std::stoull(read(store, "token")), m_options.timeout);
        const auto key = [](const char* what, int index) { return std::string(what) + std::to_string(index); };
        write(store, key("memory of ", members.index), memory->address());
        std::vector<std::string> addresses;
        for (int index = 0; index < members.size(); ++index)
            addresses.push_back(read(store, key("memory of ", index)));
        write(store, key("opened by ", members.index), memory->open(addresses) ? "yes" : "no");
        bool haveAll = true;
        for (int index = 0; index < members.size(); ++index)
            haveAll &= read(store, key("opened by ", index)) == "yes";
        if (!haveAll)
            return nullptr;
        return std::make_unique<SharedMemoryGroup>(std::move(memory), members.index, members.size());
    }

    c10::intrusive_ptr<c10d::Store> m_store;
    const RankIdentity& m_identity;
    Accelerator* m_accelerator;
    const JoinOptions& m_options;
};

std::unique_ptr<Mesh> meet(const RankIdentity& identity, const contract::MeshShape& shape,
    Accelerator* accelerator, const JoinOptions& options)
{
    using Axis = contract::MeshShape::Axis;
    Meeting meeting(openStore(identity, options.timeout), identity, accelerator, options);
    std::vector<int> all(static_cast<std::size_t>(identity.worldSize));
    std::iota(all.begin(), all.end(), 0);
    auto mesh = std::make_unique<Mesh>(shape, meeting.build("all ranks", all));
    const std::pair<Axis, const char*> axes[] = {{Axis::Shard, "shard"}, {Axis::Replicate, "replicate"},
        {Axis::Data, "data"}, {Axis::Ring, "ring"}, {Axis::Ulysses, "ulysses"}, {Axis::Reshard, "reshard"}};
    for (const auto& [axis, name] : axes) {
        const auto members = shape.members(axis, identity.rank);
        const bool isOwn = members.size() < all.size() || axis == Axis::Ring || axis == Axis::Ulysses;
        if (members.size() > 1 && isOwn)
            mesh->add(axis, meeting.build(name, members));
    }
    mesh->world().barrier("after joining");  // the store may go only when nobody reads it any more
    return mesh;
}

}  // namespace

std::unique_ptr<Mesh> joinRanks(const RankIdentity& identity, const contract::MeshShape& shape,
    Accelerator* accelerator, const JoinOptions& options)
{
    if (identity.worldSize == 1)
        return std::make_unique<Mesh>(shape, std::make_unique<LoneGroup>());
    try {
        return meet(identity, shape, accelerator, options);
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        const std::string reason = firstLine(error);
        if (identity.rank == 0 && reason.find("EADDRINUSE") != std::string::npos)
            throw EngineError(EngineError::Kind::Failure,
                "port " + std::to_string(identity.masterPort)
                    + " is taken: set MASTER_PORT to a free one");
        throw EngineError(EngineError::Kind::LostPeer,
            "the " + std::to_string(identity.worldSize) + " ranks could not meet at " + placeOf(identity) + ": "
                + reason);
    }
}

}  // namespace engine
