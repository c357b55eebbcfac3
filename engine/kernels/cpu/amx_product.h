// Products of bfloat16 matrices with AMX, summed in float32. CPU.
#pragma once
#include "engine/kernels/cpu/matrix_product.h"

namespace engine::cpu {

/// Whether the processor has AMX for bfloat16 and the operating system lets this process use it, which is asked for once.
bool hasAmx();

/// What multiplyEach() does; call it only if hasAmx(). Denormal numbers count as zeros.
void multiplyEachWithAmx(const MatrixProduct<BFloat16>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end);

}  // namespace engine::cpu
