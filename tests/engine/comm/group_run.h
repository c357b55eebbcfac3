// Runs a test's body in each rank of one group, as a process of its own.
#pragma once
#include "engine/comm/group.h"
#include "tests/engine/comm/forked_ranks.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace tests {

/// @return the exit codes, as runRanks()
inline std::vector<int> run(int ranks, const std::function<bool(engine::Group&)>& body, engine::Exchange exchange = engine::Exchange::SharedMemory)
{
    return tests::runRanks(
        {.world = ranks, .shard = ranks}, exchange, [&](engine::Mesh& mesh) { return body(mesh.world()); });
}

/// The exit codes of ranks whose bodies returned true.
inline std::vector<int> allZero(int ranks) { return std::vector<int>(static_cast<std::size_t>(ranks), 0); }

}  // namespace tests
