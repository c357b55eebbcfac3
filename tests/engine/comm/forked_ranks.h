// Runs ranks as forked processes of the test itself, connected as real ranks are.
#pragma once
#include "engine/comm/rendezvous.h"

#include <chrono>
#include <functional>
#include <vector>

namespace tests {

/// Runs @p body in as many processes as @p shape has ranks. Call it before any thread has been started.
/// On a GPU they share it, and exchange over Gloo. @param timeout of each collective
/// @return the exit code of each: 0 where @p body returned true, 1 for false, 2 for an exception, -signal if killed
std::vector<int> runRanks(const contract::MeshShape& shape, engine::Exchange exchange,
    const std::function<bool(engine::Mesh&)>& body, std::chrono::seconds timeout = std::chrono::seconds(20));

/// The same before the ranks have joined.
std::vector<int> runProcesses(int world, const std::function<bool(const engine::RankIdentity&)>& body);

/// Returns @p holds, and says what does not hold, since a rank has no test to fail.
bool require(bool holds, const char* what);

}  // namespace tests
