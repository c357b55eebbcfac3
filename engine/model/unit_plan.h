// Which blocks of a model are gathered together.
#pragma once
#include "engine/shard/unit.h"

#include <string>
#include <vector>

namespace engine {

struct WrapPolicy {
    std::int64_t minParameters = 0;  ///< blocks in a row share a unit until it has so many; 0: none do
    std::string keepInRoot = {};     ///< names of blocks, see contract/name_pattern.h: they are never gathered by themselves
};

/// The units of a model, and where in them its blocks lie: the parameters of each follow each other, as declared.
struct UnitPlan {
    struct Place {
        std::size_t unit = 0;
        std::size_t firstParameter = 0;
    };
    std::vector<UnitSpec> units;  ///< the root first; "blocks.3-5" has three blocks
    std::vector<Place> blocks;
};

/// @param root what belongs to no block; @param blocks in the order of their use
/// @throws EngineError WrongUsage for a name of keepInRoot that fits no block.
UnitPlan planUnits(UnitSpec root, std::vector<UnitSpec> blocks, const WrapPolicy& policy);

}  // namespace engine
