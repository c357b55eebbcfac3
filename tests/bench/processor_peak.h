// What one core can compute at most: how far any program, ours or a peer's, could get.
#pragma once
#include <optional>

namespace bench {

/// Multiplications and additions a second, in 10⁹, of one core that does nothing but vector products of float32, or of bf16 pairs that
/// add up in float32; measured for 0.2 s. Nothing where that is not the fastest way to multiply matrices: without AVX-512, or with AMX.
std::optional<double> peakGflops(bool isBf16);

}  // namespace bench
