// The weights of named adapters: copy one to another, average it into another, read or write its whole matrices.
#pragma once
#include "engine/shard/unit_sequence.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace engine {

/// target ← source (row E-097). All ranks must call. Copies local shards only, as both are sharded alike.
/// @throws EngineError WrongUsage when an adapter does not exist or the two do not have the same layers, with both counts.
void copyAdapter(UnitSequence& units, const std::string& source, const std::string& target);

/// target ← decay · target + (1 - decay) · source, computed in float32 (row E-098); decay 0 copies. An adapter that does not
/// train is stored in float32: in bfloat16 the small changes of an average would be rounded away. All ranks must call.
/// @throws as copyAdapter(), and EngineError WrongUsage for a decay outside [0, 1].
void averageAdapter(UnitSequence& units, const std::string& source, const std::string& target, double decay);

/// A whole matrix of an adapter.
struct AdapterMatrix {
    std::string name;   ///< "MODULE.lora_A.default.weight"
    at::Tensor values;  ///< [rank, in] or [out, rank], in the dtype of its master weights, on the units' device
};

enum class AdapterAccess {
    Read,
    Write  ///< changes that the body makes to values are stored; every rank must make the same
};

/// Gathers only the adapter's matrices, one unit at a time, and calls @p body for each unit that has some (rows E-103 and
/// E-104). Does not change which adapter is selected. Collective.
/// @param prefixes visits only units whose name starts with one of these, such as "transformer_blocks."; empty: all units
/// @throws EngineError WrongUsage when the adapter does not exist or has no matrices in those units.
void visitAdapter(UnitSequence& units, const std::string& adapter, AdapterAccess access,
    const std::function<void(const std::vector<AdapterMatrix>&)>& body, const std::vector<std::string>& prefixes = {});

/// A fingerprint for checking that two adapters are equal (row E-106).
struct AdapterChecksum {
    double sum = 0;          ///< of all elements; each matrix is summed in float32
    std::int64_t count = 0;  ///< number of matrices
    std::string firstA, firstB, last;  ///< names of the first A, the first B and the last matrix

    bool operator==(const AdapterChecksum&) const = default;
};

/// Returns the same value on any number of ranks, or nullopt when the adapter does not exist. Collective.
std::optional<AdapterChecksum> checksumOfAdapter(UnitSequence& units, const std::string& adapter);

}  // namespace engine
