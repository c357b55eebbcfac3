// Masks for the dropout that adapters apply to a linear's input in training.
#pragma once
#include "engine/shard/random.h"

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

/// What the random draws of a pass depend on. They do not depend on how the rows of a step are divided over ranks and
/// micro-batches, nor on whether a block is being recomputed.
struct PassDraws {
    std::uint64_t seed = 0, step = 0;
    std::uint64_t firstRow = 0;  ///< this pass has rows [firstRow, firstRow + rows) of the step's batch
    std::int64_t rows = 1;
};

/// Fills @p mask with 0 with probability @p dropout, otherwise with 1. Each row of the batch has its own draws: by counter on
/// CPU, by the device's generator on a GPU.
/// @param mask contiguous, any floating-point dtype; the batch's rows one after another, or one row that all samples share
/// @param module name of the linear
void drawDropoutMask(const at::Tensor& mask, double dropout, const std::string& module, const PassDraws& draws);

}  // namespace engine
