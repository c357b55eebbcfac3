// Which parameters of a unit lie in one flat buffer.
#pragma once
#include "engine/shard/parameter.h"

#include <cstddef>
#include <vector>

namespace engine {

/// Parameters of one kind.
struct UnitPart {
    UnitSpec spec;                    ///< "blocks.3", "blocks.3, adapter old", "blocks.3, frozen"
    std::vector<std::size_t> places;  ///< of each, among all of the unit
};

/// First what trains, then what belongs to an adapter and does not, by adapter, then the rest; no part is empty. Two
/// adapters beside the same layers lie alike in their parts.
std::vector<UnitPart> partsOf(const UnitSpec& unit);

}  // namespace engine
