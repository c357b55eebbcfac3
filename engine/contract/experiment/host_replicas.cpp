#include "engine/contract/experiment/host_replicas.h"

#include <cstdint>
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

SequenceSpread sequenceSpread(const Experiment& experiment, int world, int ranksOfAHost)
{
    const std::int64_t ulysses = experiment.integer("engine.ulysses"), sequence = ulysses * experiment.integer("engine.ring");
    const auto fits = [&](std::int64_t ranks) { return ranksOfAHost > 0 && ranksOfAHost % ranks == 0; };
    if (sequence <= 1 || ranksOfAHost >= world || fits(sequence))
        return {};
    const std::string hosts = ranksOfAHost > 0 ? "a host has " + std::to_string(ranksOfAHost) + (ranksOfAHost == 1 ? " rank" : " ranks")
                                               : std::string("the ranks of a host are not consecutive, or not equally many");
    if (ulysses > 1 && !fits(ulysses))
        return {"engine.ulysses = " + std::to_string(ulysses) + ": " + hosts + ", so that every attention exchanges all its tokens between hosts; "
                + (ranksOfAHost > 1 ? "a divisor of " + std::to_string(ranksOfAHost) + " stays within a host, and engine.ring passes less between them"
                                    : "engine.ring passes less between them"), true};
    return {"engine.ring = " + std::to_string(experiment.integer("engine.ring")) + ": " + hosts + ", so that the ring passes keys and values between hosts", false};
}

}  // namespace contract
