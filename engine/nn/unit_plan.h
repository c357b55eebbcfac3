// Groups the blocks of a model into units, which are gathered as a whole.
#pragma once
#include "engine/shard/unit.h"

#include <string>
#include <vector>

namespace engine {

struct WrapPolicy {
    std::int64_t minParameters = 0;  ///< consecutive blocks share a unit until it has this many; 0: one block per unit
    std::string keepInRoot = {};     ///< patterns of block names (contract/formats/name_pattern.h) that stay in the root unit
};

/// The units of a model, and the position of each block: a block's parameters are consecutive, in declaration order.
struct UnitPlan {
    struct Place {
        std::size_t unit = 0;
        std::size_t firstParameter = 0;
    };
    std::vector<UnitSpec> units;  ///< the root first; "blocks.3-5" has three blocks
    std::vector<Place> blocks;
};

/// @param root parameters that belong to no block @param blocks in the order of their use
/// @throws EngineError WrongUsage for a pattern of keepInRoot that matches no block.
UnitPlan planUnits(UnitSpec root, std::vector<UnitSpec> blocks, const WrapPolicy& policy);

}  // namespace engine
