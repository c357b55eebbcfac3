// Which parameters of a model train.
#pragma once
#include "engine/shard/parameter.h"

#include <string>
#include <string_view>
#include <vector>

namespace engine {

/// Leaves only those trained that one of @p names names: "all", or names as in checkpoints with commas between, in
/// which * stands for anything ("blocks.*.qkv.*, final.*"). The others are gathered as ever, but get no gradient and
/// no optimizer state.
/// @throws EngineError WrongUsage for a name that fits no parameter.
void selectTrainable(std::vector<UnitSpec>& units, std::string_view names);

/// "69284 parameters, 5000 of them trained, in 4 units".
std::string sizeOf(const std::vector<UnitSpec>& units);

}  // namespace engine
