// Floating-point numbers of 8, 16, 32 and 64 bits, as the tensors of a safetensors file have them.
#pragma once
#include <cstddef>
#include <string_view>

namespace contract {

/// Whether a safetensors dtype is one of numbers with a fraction: F64, F32, F16, BF16, F8_E4M3, F8_E5M2.
bool isFloatDtype(std::string_view dtype);

/// @p count numbers of @p dtype as float32: exact, but for F64, which is rounded to nearest.
/// @throws std::invalid_argument for a dtype that is none of those above.
void toFloats(std::string_view dtype, const void* in, std::size_t count, float* out);

/// Rounds to nearest, ties to even; what is too large becomes infinite, and NaN stays one.
/// @param dtype F32, F16 or BF16; @throws std::invalid_argument for another
void fromFloats(std::string_view dtype, const float* in, std::size_t count, void* out);

}  // namespace contract
