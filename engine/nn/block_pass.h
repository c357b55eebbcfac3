// Runs all blocks of a model, grouped by the units that hold their parameters.
#pragma once
#include "engine/autograd/tape.h"
#include "engine/nn/parameter_places.h"
#include "engine/nn/unit_plan.h"

#include <functional>
#include <vector>

namespace engine {

/// Computes one block. @param block its index
/// @return new values for the first of @p values; the remaining ones stay unchanged
using BlockBody = std::function<std::vector<Var>(
    std::size_t block, const BlockParameters& parameters, const std::vector<Var>& values)>;

/// Collective. @param plan must outlive the tape
/// @param values every value that blocks read @return the same values after the last block
std::vector<Var> runBlocks(Tape& tape, const UnitPlan& plan, std::vector<Var> values, const BlockBody& body);

}  // namespace engine
