// Which attempts the last attempt of a run goes on from, and how far: its history. Everything else is abandoned.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <vector>

namespace contract {

/// Where an attempt comes from.
struct Descent {
    int attempt = 1;
    std::int64_t parentStep = 0;  ///< the step from which it resumed
    int parent = 0;               ///< the attempt that wrote the checkpoint of that step; 0: not known
    std::int64_t lastStep = std::numeric_limits<std::int64_t>::max();  ///< that it recorded, if that is known
};

/// The attempt that @p of goes on from, 0 for none. If it is not known, the newest earlier one that recorded the step from which
/// @p of resumed, else the newest that had begun by then. @param attempts all of the run, by number
int parentOf(const Descent& of, const std::vector<Descent>& attempts);

/// The attempts in the history of the last one, each with the last of its steps that belongs there; of the last one itself, all.
using Lineage = std::map<int, std::int64_t>;

/// @param attempts all of the run, by number
Lineage lineageOf(const std::vector<Descent>& attempts);

/// Whether what @p attempt recorded or wrote at @p step is in the history. Without attempts, everything is.
bool belongs(const Lineage& lineage, int attempt, std::int64_t step);

}  // namespace contract
