// Which parameters of a model train.
#pragma once
#include "engine/shard/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Sets isTrained for the parameters that @p names selects, and clears it for all others. Parameters that do not train are
/// still gathered, but have no gradient and no optimizer state.
/// @param names "all" (changes nothing), or comma-separated checkpoint names in which * matches any characters, such as
///        "blocks.*.qkv.*, final.*"
/// @throws EngineError WrongUsage for a name that matches no parameter.
void selectTrainable(std::vector<UnitSpec>& units, std::string_view names);

/// Summary for the log, such as "69284 parameters, 5000 of them trained, in 4 units".
std::string sizeSummary(const std::vector<UnitSpec>& units);

}  // namespace engine
