// Equality of points to the last bit, of NaNs and zeros too.
#pragma once
#include "storage/store.h"

#include <bit>
#include <cstdint>

inline bool isSame(double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); }

inline bool isSame(const storage::Point& a, const storage::Point& b)
{
    return a.step == b.step && isSame(a.tMs, b.tMs) && isSame(a.value, b.value);
}
