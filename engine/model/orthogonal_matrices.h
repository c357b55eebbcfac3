// Two matrices whose product is zero though neither is, as PEFT begins adapters that are "orthogonal".
#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

namespace engine {

enum class OrthogonalHalf { First, Second };

/// Streams of random numbers.
struct OrthogonalDraws {
    std::string pair;  ///< of what both halves have in common
    std::string own;   ///< of this matrix
    OrthogonalHalf half = OrthogonalHalf::First;
};

/// X Q / 10: X [rows, rank / 2] ~ N(0, 1), Q every second row, from the half's first on, of an orthogonal matrix [rank, rank]. So the
/// first matrix, transposed, of any number of rows, is zero times the second of the same pair.
/// @param rank even
/// @return [rows, rank] float32 on the CPU
at::Tensor drawOrthogonal(const OrthogonalDraws& draws, std::int64_t rows, std::int64_t rank, std::uint64_t seed);

}  // namespace engine
