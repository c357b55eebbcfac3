// Conversions between float32 and the floating-point dtypes of safetensors files (8, 16, 32 and 64 bits).
#pragma once
#include <cstddef>
#include <string_view>

namespace contract {

/// Whether @p dtype is a floating-point dtype of safetensors: F64, F32, F16, BF16, F8_E4M3 or F8_E5M2.
bool isFloatDtype(std::string_view dtype);

/// Converts @p count numbers of @p dtype to float32. Exact for every dtype except F64, which is rounded to nearest.
/// @p in needs no alignment. @throws std::invalid_argument when isFloatDtype(@p dtype) is false.
void toFloats(std::string_view dtype, const void* in, std::size_t count, float* out);

/// Converts float32 numbers to @p dtype, rounding to nearest, ties to even. Overflow becomes infinity; NaN stays NaN.
/// @param dtype F32, F16 or BF16; @throws std::invalid_argument for another
void fromFloats(std::string_view dtype, const float* in, std::size_t count, void* out);

}  // namespace contract
