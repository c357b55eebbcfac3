// The weights of named adapters: one becomes another or its average, and each can be read and written whole.
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// target ← source (row E-097). Each rank has the same elements of both, so that nothing travels. Collective.
/// @throws EngineError WrongUsage where one of them is not there or they are not for the same layers, with both counts.
void copyAdapter(UnitSequence& units, const std::string& source, const std::string& target);

/// target ← decay · target + (1 - decay) · source, computed in float32 (row E-098): a copy where decay is 0. An adapter that
/// does not train is kept in float32, so that an average does not stand still where the source is bfloat16. Collective.
/// @throws as copyAdapter(), and for a decay that is not in [0, 1].
void averageAdapter(UnitSequence& units, const std::string& source, const std::string& target, double decay);

/// A matrix of an adapter, whole.
struct AdapterMatrix {
    std::string name;   ///< "MODULE.lora_A.default.weight"
    at::Tensor values;  ///< [rank, in] or [out, rank], as its master weights, on the units' device
};

enum class AdapterAccess {
    Read,
    Write  ///< what the body leaves in values, the same on every rank, is kept
};

/// Gathers the adapter's matrices and nothing else, a unit at a time, and calls @p body for each unit that has some
/// (rows E-103 and E-104). Which adapter is selected stays as it is. Collective.
/// @param prefixes of the units' names, such as "transformer_blocks.": the others are left out; none: all units
/// @throws EngineError WrongUsage where there is no such adapter, or nothing of it in those units, naming them.
void visitAdapter(UnitSequence& units, const std::string& adapter, AdapterAccess access,
    const std::function<void(const std::vector<AdapterMatrix>&)>& body, const std::vector<std::string>& prefixes = {});

/// To tell whether two adapters are the same (row E-106).
struct AdapterChecksum {
    double sum = 0;          ///< of all elements, over each matrix in float32
    std::int64_t count = 0;  ///< matrices
    std::string firstA, firstB, last;

    bool operator==(const AdapterChecksum&) const = default;
};

/// The same on any number of ranks. Collective. @return nothing where there is no such adapter
std::optional<AdapterChecksum> checksumOfAdapter(UnitSequence& units, const std::string& adapter);


}  // namespace engine
