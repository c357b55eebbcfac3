#include "engine/comm/rank_identity.h"

#include "engine/comm/errors.h"
#include "engine/contract/formats/text.h"

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
                + " is not set: start ranks with atelier run, torchrun or srun");
    return integerVariable(name, 0, least, most);
}

}  // namespace

RankIdentity rankFromEnvironment()
{
    constexpr int kMostRanks = 1 << 20;
    RankIdentity identity;
    if (!std::getenv("RANK") && !std::getenv("WORLD_SIZE"))
        return identity;
    identity.worldSize = requiredVariable("WORLD_SIZE", 1, kMostRanks);
    identity.rank = requiredVariable("RANK", 0, identity.worldSize - 1);
    identity.localWorldSize = integerVariable("LOCAL_WORLD_SIZE", identity.worldSize, 1, kMostRanks);
    identity.localRank = integerVariable("LOCAL_RANK", identity.rank % identity.localWorldSize, 0,
        identity.localWorldSize - 1);
    if (identity.worldSize > 1)
        identity.masterPort = requiredVariable("MASTER_PORT", 1, 65535);
    if (const char* address = std::getenv("MASTER_ADDR"))
        identity.masterAddress = address;
    if (identity.rank == 0)
        identity.masterDescriptor = integerVariable("ATELIER_MASTER_FD", -1, 3, 1 << 20);
    return identity;
}

}  // namespace engine
