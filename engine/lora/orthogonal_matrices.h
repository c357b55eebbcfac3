// Draws two non-zero matrices whose product is zero: PEFT's "orthogonal" initialization of adapters.
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

enum class OrthogonalHalf { First, Second };

/// Names of the random streams to draw from.
struct OrthogonalDraws {
    std::string pair;  ///< shared by the two matrices of a pair
    std::string own;   ///< of this matrix alone
    OrthogonalHalf half = OrthogonalHalf::First;
};

/// Returns X Q / 10, with X [rows, rank / 2] ~ N(0, 1) and Q the even rows (First) or the odd rows (Second) of an orthogonal
/// matrix [rank, rank] drawn from the pair's stream. For two matrices M1 and M2 of a pair, M2 M1^T = 0.
/// @param rank must be even
/// @return [rows, rank] float32 on the CPU
at::Tensor drawOrthogonal(const OrthogonalDraws& draws, std::int64_t rows, std::int64_t rank, std::uint64_t seed);

}  // namespace engine
