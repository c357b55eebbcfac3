#include "engine/comm/rank_identity.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"
#include "engine/contract/run/supervisor_lock.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace engine {
namespace {

int integerVariable(const char* name, int fallback, int least, int most)
{
    const char* text = std::getenv(name);
    if (!text)
        return fallback;
    const auto value = contract::parseInteger(text);
    if (!value || *value < least || *value > most)
        throw EngineError(EngineError::Kind::WrongUsage,
            "environment variable " + std::string(name) + " = \"" + text
                + "\": must be an integer from " + std::to_string(least) + " to "
                + std::to_string(most));
    return static_cast<int>(*value);
}

int requiredVariable(const char* name, int least, int most)
{
    if (!std::getenv(name))
        throw EngineError(EngineError::Kind::WrongUsage,
            "environment variable " + std::string(name)
                + " is not set: start ranks with atelier run, torchrun, mpirun or srun");
    return integerVariable(name, 0, least, most);
}

constexpr int kMostRanks = 1 << 20;

/// The environment variables in which a launcher passes a rank its numbers.
struct Names {
    const char* rank;
    const char* worldSize;
    const char* localRank;
    const char* localWorldSize;  ///< may be missing; the ranks are then taken to be on one host
};

constexpr Names kTorchrun {"RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE"};
// SLURM_NTASKS is set in a batch script, too, which is one process however many tasks it may start.
constexpr Names kOthers[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
    {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"},
    {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", ""},
};

std::string textVariable(const char* name)
{
    const char* text = std::getenv(name);
    return text ? text : "";
}

void readPlace(const Names& names, RankIdentity& identity)
{
    identity.worldSize = requiredVariable(names.worldSize, 1, kMostRanks);
    identity.rank = requiredVariable(names.rank, 0, identity.worldSize - 1);
    identity.localWorldSize = *names.localWorldSize
        ? integerVariable(names.localWorldSize, identity.worldSize, 1, kMostRanks)
        : identity.worldSize;
    identity.localRank = integerVariable(names.localRank, identity.rank % identity.localWorldSize, 0, identity.localWorldSize - 1);
}

/// Number of tasks on this node of a Slurm step: SLURM_STEP_TASKS_PER_NODE is "2(x3),1" for three nodes of two tasks and one of one.
int slurmTasksOnNode(int worldSize)
{
    const int node = integerVariable("SLURM_NODEID", 0, 0, kMostRanks);
    const std::string list = textVariable("SLURM_STEP_TASKS_PER_NODE");
    int first = 0;
    for (std::size_t begin = 0; begin < list.size();) {
        const std::size_t end = std::min(list.find(',', begin), list.size());
        const std::string entry = list.substr(begin, end - begin);
        const std::size_t open = entry.find("(x");
        const auto tasks = contract::parseInteger(entry.substr(0, open));
        const auto nodes = open == std::string::npos
            ? std::int64_t {1}
            : contract::parseInteger(entry.substr(open + 2, entry.size() - open - 3)).value_or(0);
        if (!tasks || *tasks < 1 || nodes < 1)
            break;
        first += static_cast<int>(nodes);
        if (node < first)
            return static_cast<int>(*tasks);
        begin = end + 1;
    }
    return worldSize;
}

/// A process is the same as another one when the machine has not been restarted and its id and start time are equal.
std::string parentProcess()
{
    const auto parent = static_cast<std::int64_t>(::getppid());
    return contract::bootId() + " " + std::to_string(parent) + " " + std::to_string(contract::startTicksOf(parent));
}

/// @throws EngineError WrongUsage when ranks of several hosts have nothing in common.
std::string launchOf(const RankIdentity& identity)
{
    std::string launch;
    for (const char* name : {"PMIX_NAMESPACE", "OMPI_MCA_orte_hnp_uri", "SLURM_JOB_ID", "SLURM_STEP_ID", "SLURM_RESTART_COUNT"})
        launch += textVariable(name).empty() ? "" : textVariable(name) + " ";
    if (!launch.empty())
        return launch;
    if (identity.localWorldSize < identity.worldSize)
        requiredVariable("MASTER_PORT", 1, 65535);
    return parentProcess();
}

void readMaster(RankIdentity& identity)
{
    identity.masterPort = requiredVariable("MASTER_PORT", 1, 65535);
    if (const std::string address = textVariable("MASTER_ADDR"); !address.empty())
        identity.masterAddress = address;
}

}  // namespace

RankIdentity rankFromEnvironment()
{
    RankIdentity identity;
    if (std::getenv("RANK") || std::getenv("WORLD_SIZE")) {
        readPlace(kTorchrun, identity);
        if (identity.worldSize > 1)
            readMaster(identity);
        if (identity.rank == 0)
            identity.masterDescriptor = integerVariable("ATELIER_MASTER_FD", -1, 3, 1 << 20);
        if (textVariable("TORCHELASTIC_USE_AGENT_STORE") == "True")
            identity.hostedStore = "restart " + textVariable("TORCHELASTIC_RESTART_COUNT");
        return identity;
    }
    const auto* const names = std::ranges::find_if(
        kOthers, [](const Names& each) { return std::getenv(each.rank) && std::getenv(each.worldSize); });
    if (names == std::end(kOthers))
        return identity;
    readPlace(*names, identity);
    if (!*names->localWorldSize)
        identity.localWorldSize = slurmTasksOnNode(identity.worldSize);
    if (identity.worldSize == 1)
        return identity;
    if (std::getenv("MASTER_PORT"))
        readMaster(identity);
    else
        identity.launch = launchOf(identity);
    return identity;
}

}  // namespace engine
