// Ranks as forked processes of the test itself, joined for real.
#pragma once
#include "engine/comm/rendezvous.h"

#include <chrono>
#include <functional>
#include <vector>

namespace tests {

/// Runs @p body in as many processes as @p shape has ranks. Call it before anything has started threads.
/// @param timeout of each collective
/// @return their exit codes: 0 where it returned true, 1 for false, 2 for an exception, -signal for a killed one.
std::vector<int> runRanks(const contract::MeshShape& shape, engine::Exchange exchange,
    const std::function<bool(engine::Mesh&)>& body, std::chrono::seconds timeout = std::chrono::seconds(20));

}  // namespace tests
