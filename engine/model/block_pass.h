// A pass through all blocks of a model, in the units they lie in.
#pragma once
#include "engine/model/parameter_places.h"
#include "engine/model/tape.h"
#include "engine/model/unit_plan.h"

#include <functional>
#include <vector>

namespace engine {

/// @param block its number. @return what becomes of the first of @p values; the others stay what they are
using BlockBody = std::function<std::vector<Var>(
    std::size_t block, const BlockParameters& parameters, const std::vector<Var>& values)>;

/// Collective. @param plan outlives the tape
/// @param values every value that blocks read. @return them after the last block
std::vector<Var> runBlocks(Tape& tape, const UnitPlan& plan, std::vector<Var> values, const BlockBody& body);

}  // namespace engine
