#include "engine/comm/rendezvous.h"

#include "engine/comm/errors.h"
#include "engine/comm/listener.h"
#include "engine/comm/process_group.h"
#include "engine/comm/shared_memory_group.h"
#include "engine/comm/staged_group.h"

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace engine {
namespace {

std::string masterEndpoint(const RankIdentity& identity)
{
    return identity.masterAddress + ":" + std::to_string(identity.masterPort);
}

c10::intrusive_ptr<c10d::Store> openStore(
    const RankIdentity& identity, std::chrono::milliseconds timeout)
{
    // TCPStore waits half a second or more before it retries a refused connection, so wait for the port first.
    const bool isServer = identity.rank == 0 && identity.hostedStore.empty();
    if (!isServer && !awaitListener(identity.masterAddress, identity.masterPort, timeout))
        throw EngineError(EngineError::Kind::LostPeer,
            "rank 0 does not listen at " + masterEndpoint(identity) + " after "
                + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(timeout).count())
                + " s: check that rank 0 runs, and MASTER_ADDR and MASTER_PORT");
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(identity.masterPort);
    options.isServer = isServer;
    options.numWorkers = static_cast<std::size_t>(identity.worldSize);
    options.waitWorkers = false;
    options.timeout = timeout;
    if (identity.masterDescriptor >= 0)
        options.masterListenFd = identity.masterDescriptor;
    c10::intrusive_ptr<c10d::Store> store = c10::make_intrusive<c10d::TCPStore>(identity.masterAddress, options);
    // What the ranks of an earlier restart have written is still in a store that is not theirs.
    if (!identity.hostedStore.empty())
        store = c10::make_intrusive<c10d::PrefixStore>("atelier " + identity.hostedStore, store);
    return store;
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

/// @p texts as one, each after its length: "3 abc0 ".
std::string joined(const std::vector<std::string>& texts)
{
    std::string all;
    for (const std::string& text : texts)
        all += std::to_string(text.size()) + ' ' + text;
    return all;
}

/// The texts that joined() has made one.
std::vector<std::string> separated(const std::string& all)
{
    std::vector<std::string> texts;
    for (std::size_t begin = 0; begin < all.size();) {
        const std::size_t space = all.find(' ', begin);
        const std::size_t length = std::stoull(all.substr(begin, space - begin));
        texts.push_back(all.substr(space + 1, length));
        begin = space + 1 + length;
    }
    return texts;
}

/// Differs between ranks that may not reach each other at 127.0.0.1: on another machine, in a container with a network of its own.
/// It also differs between ranks that were started apart on one machine.
std::string hostOf(const RankIdentity& identity)
{
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    std::error_code error;
    const auto network = std::filesystem::read_symlink("/proc/self/ns/net", error);
    return boot + ' ' + network.string() + ' ' + std::to_string(identity.rank - identity.localRank);
}

/// Builds the groups that this rank belongs to. All members of a group call build() with the same name and ranks.
class GroupBuilder {
public:
    /// @param hosts hostOf() each rank: what ranks decide by it must be equal on all of them
    GroupBuilder(c10::intrusive_ptr<c10d::Store> store, const RankIdentity& identity, std::vector<std::string> hosts,
        Accelerator* accelerator, const JoinOptions& options)
        : m_store(std::move(store))
        , m_identity(identity)
        , m_hosts(std::move(hosts))
        , m_accelerator(accelerator)
        , m_options(options)
    {
    }

    std::unique_ptr<Group> build(const std::string& name, const std::vector<int>& ranks)
    {
        const Members members {ranks,
            static_cast<int>(std::ranges::find(ranks, m_identity.rank) - ranks.begin()),
            c10::make_intrusive<c10d::PrefixStore>(name + " of " + std::to_string(ranks.front()), m_store)};
        if (m_accelerator && m_options.exchange != Exchange::Gloo)
            return std::make_unique<NcclGroup>(
                m_accelerator->makeNccl(members.store, members.index, members.size(), m_options.timeout), m_options.timeout);
        const auto host = [&](int rank) -> const std::string& { return m_hosts[static_cast<std::size_t>(rank)]; };
        const bool isOneHost = std::ranges::all_of(ranks, [&](int rank) { return host(rank) == host(ranks.front()); });
        if (m_accelerator)
            return std::make_unique<StagedGroup>(std::make_unique<GlooGroup>(makeGloo(members, isOneHost)));
        const bool mustShare = m_options.exchange == Exchange::SharedMemory;
        if (mustShare && !isOneHost)
            throw EngineError(EngineError::Kind::Failure,
                "engine.exchange = shared needs all ranks on one host: set it to auto, which uses Gloo across hosts");
        if (m_options.exchange != Exchange::Gloo && isOneHost) {
            if (auto group = shareMemory(members))
                return group;
            if (mustShare)
                throw EngineError(EngineError::Kind::Failure,
                    "engine.exchange = shared: the ranks cannot open each other's memory (different users or "
                    "containers?): set it to auto, which then uses Gloo");
        }
        return std::make_unique<GlooGroup>(makeGloo(members, isOneHost));
    }

private:
    struct Members {
        const std::vector<int>& ranks;
        int index;  ///< of this rank in ranks
        c10::intrusive_ptr<c10d::Store> store;
        int size() const { return static_cast<int>(ranks.size()); }
    };

    c10::intrusive_ptr<c10d::Backend> makeGloo(const Members& members, bool isOneHost) const
    {
        auto options = c10d::ProcessGroupGloo::Options::create(m_options.timeout);
        options->devices.push_back(isOneHost ? c10d::ProcessGroupGloo::createDeviceForHostname("127.0.0.1")
                                             : c10d::ProcessGroupGloo::createDefaultDevice());
        options->threads = 2;
        return c10::make_intrusive<c10d::ProcessGroupGloo>(members.store, members.index, members.size(), options);
    }

    /// @return nullptr on every rank when any rank cannot open the others' memory.
    std::unique_ptr<Group> shareMemory(const Members& members) const
    {
        c10d::Store& store = *members.store;
        if (members.index == 0) {  // a number that no other group on this host uses
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
    std::vector<std::string> m_hosts;  ///< by rank
    Accelerator* m_accelerator;
    const JoinOptions& m_options;
};

std::unique_ptr<Mesh> buildMesh(GroupBuilder& groups, const RankIdentity& identity, const contract::MeshShape& shape)
{
    using Axis = contract::MeshShape::Axis;
    std::vector<int> all(static_cast<std::size_t>(identity.worldSize));
    std::iota(all.begin(), all.end(), 0);
    auto mesh = std::make_unique<Mesh>(shape, groups.build("all ranks", all));
    const std::pair<Axis, const char*> axes[] = {{Axis::Shard, "shard"}, {Axis::Replicate, "replicate"},
        {Axis::Data, "data"}, {Axis::Ring, "ring"}, {Axis::Ulysses, "ulysses"}, {Axis::Reshard, "reshard"}};
    for (const auto& [axis, name] : axes) {
        const auto members = shape.members(axis, identity.rank);
        const bool isOwn = members.size() < all.size() || axis == Axis::Ring || axis == Axis::Ulysses;
        if (members.size() > 1 && isOwn)
            mesh->add(axis, groups.build(name, members));
    }
    mesh->world().barrier("after joining");  // the store must exist until every rank has finished reading it
    return mesh;
}

}  // namespace

template <typename Action>
auto Rendezvous::connected(Action action) const
{
    try {
        return action();
    } catch (const EngineError&) {
        throw;
    } catch (const std::exception& error) {
        const std::string reason = firstLine(error);
        if (m_identity.rank == 0 && reason.find("EADDRINUSE") != std::string::npos)
            throw EngineError(EngineError::Kind::Failure,
                "port " + std::to_string(m_identity.masterPort)
                    + " is already in use: set MASTER_PORT to a free port");
        throw EngineError(EngineError::Kind::LostPeer,
            "the " + std::to_string(m_identity.worldSize) + " ranks could not connect through " + masterEndpoint(m_identity) + ": "
                + reason);
    }
}

Rendezvous::Rendezvous(const RankIdentity& identity, const JoinOptions& options)
    : m_identity(identity)
    , m_options(options)
{
    if (identity.worldSize > 1)
        m_store = connected([&] { return openStore(identity, options.timeout); });
}

Rendezvous::~Rendezvous() = default;
Rendezvous::Rendezvous(Rendezvous&&) noexcept = default;
Rendezvous& Rendezvous::operator=(Rendezvous&&) noexcept = default;

std::vector<std::string> Rendezvous::gather(const std::string& name, const std::string& text)
{
    if (!m_store)
        return {text};
    return connected([&] {
        // Rank 0 collects the texts and passes all of them on: if each rank read each text, the store would get ranks² requests.
        const auto key = [&](int rank) { return name + " of rank " + std::to_string(rank); };
        const std::string ofAll = name + " of all ranks";
        if (m_identity.rank != 0) {
            write(*m_store, key(m_identity.rank), text);
            return separated(read(*m_store, ofAll));
        }
        std::vector<std::string> all = {text};
        for (int rank = 1; rank < m_identity.worldSize; ++rank)
            all.push_back(read(*m_store, key(rank)));
        write(*m_store, ofAll, joined(all));
        return all;
    });
}

std::unique_ptr<Mesh> Rendezvous::join(const contract::MeshShape& shape, Accelerator* accelerator)
{
    if (!m_store)
        return std::make_unique<Mesh>(shape, std::make_unique<LoneGroup>());
    return connected([&] {
        GroupBuilder groups(m_store, m_identity, gather("host", hostOf(m_identity)), accelerator, m_options);
        return buildMesh(groups, m_identity, shape);
    });
}

std::unique_ptr<Mesh> joinRanks(const RankIdentity& identity, const contract::MeshShape& shape,
    Accelerator* accelerator, const JoinOptions& options)
{
    return Rendezvous(identity, options).join(shape, accelerator);
}

}  // namespace engine
