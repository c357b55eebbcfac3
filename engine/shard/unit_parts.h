// Divides the parameters of a unit into the flat buffers that hold them.
#pragma once
#include "engine/shard/parameter.h"

#include <cstddef>
#include <vector>

namespace engine {

/// The parameters of one kind, which share a flat buffer.
struct UnitPart {
    UnitSpec spec;                    ///< named "blocks.3", "blocks.3, adapter old" or "blocks.3, frozen"
    std::vector<std::size_t> places;  ///< index of each parameter in the UnitSpec that was divided
};

/// The parts in this order: parameters that train, frozen adapters one by one, the other frozen parameters. No part is empty.
/// Adapters on the same layers have equal layouts in their parts.
std::vector<UnitPart> partsOf(const UnitSpec& unit);

}  // namespace engine
