#include "engine/contract/experiment/host_replicas.h"

#include <string>
#include <utility>

namespace contract {

Experiment withHostReplicas(Experiment experiment, int world, int ranksOfAHost)
{
    const bool areSeveral = ranksOfAHost > 1 && ranksOfAHost < world && world % ranksOfAHost == 0;
    if (areSeveral && experiment.text("engine.shard_size") == "auto")
        experiment.set("engine.shard_size", std::to_string(ranksOfAHost));
    return experiment;
}

}  // namespace contract
