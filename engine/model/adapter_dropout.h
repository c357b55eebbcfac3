// Which elements of a linear's input an adapter does not see in a pass that trains.
#pragma once
#include "engine/shard/random.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

/// What draws of a pass depend on: neither on how the rows of a step are divided over ranks and micro-batches, nor on
/// whether a block is computed for the first time.
struct PassDraws {
    std::uint64_t seed = 0, step = 0;
    std::uint64_t firstRow = 0;  ///< of the step's batch, whose rows [firstRow, firstRow + rows) this pass has
    std::int64_t rows = 1;
};

/// Fills @p mask with 1, and with 0 at the chance @p dropout. Each row of the batch has draws of its own, on CPU by counter,
/// on a GPU by the device's generator.
/// @param mask contiguous, any floating-point dtype; what it masks has the batch's rows one after another, or is one for all
/// @param module of the linear
void drawKept(const at::Tensor& mask, double dropout, const std::string& module, const PassDraws& draws);

}  // namespace engine
