// Packs the operands of the AVX-512 matrix products. Included only by cpu/matrix_product.cpp and cpu/amx_packing.h.
//
// [Note: packed operands]
// A term is the part of a row of the left matrix, or of a column of the right matrix, that one instruction consumes: one
// float32, or two neighbouring bfloat16 along the inner dimension (VDPBF16PS). A tile of 8 rows and 48 columns is summed in 24
// registers over a block of the inner dimension. Each step loads, for one term, three registers of the right matrix and eight
// terms of the left matrix, each broadcast to a register. The right matrix is therefore packed into panels of 48 columns,
// [term][column]. The left matrix is used as it is if its rows are contiguous, else packed into panels of 8 rows, [term][row].
// A panel of the right matrix stays in the cache for all rows of a block, while the next panel is prefetched.
//
// Dims: M rows, N columns, K inner.
#pragma once
#include "engine/kernels/cpu/vector.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>

// Arrays of sums stay in registers only if the loops over them are unrolled.
#define ATELIER_WHOLLY_UNROLLED _Pragma("GCC unroll 16")

#if defined(__x86_64__)
#include <immintrin.h>

namespace engine::cpu {

constexpr std::int64_t kCacheLine = 64;

constexpr std::int64_t roundedUp(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Memory for packed operands; it grows on demand and is kept.
class PackingMemory {
public:
    template <typename T>
    T* atLeast(std::int64_t count)
    {
        const std::int64_t bytes = roundedUp(count * static_cast<std::int64_t>(sizeof(T)), kCacheLine);
        if (bytes > m_bytes) {
            m_memory.reset();
            m_bytes = 0;
            m_memory.reset(std::aligned_alloc(kCacheLine, static_cast<std::size_t>(bytes)));
            if (!m_memory)
                throw std::bad_alloc();
            m_bytes = bytes;
        }
        return static_cast<T*>(m_memory.get());
    }

private:
    struct Free {
        void operator()(void* memory) const { std::free(memory); }
    };
    std::unique_ptr<void, Free> m_memory;
    std::int64_t m_bytes = 0;
};

}  // namespace engine::cpu

// GCC warns about its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")

namespace engine::cpu {

constexpr std::int64_t kTileRows = 8, kTileVectors = 3, kTileColumns = kTileVectors * kLanes;

/// One float32, or two bfloat16 with the first in the lower half.
using Term = std::uint32_t;

template <typename T>
constexpr std::int64_t kPerTerm = sizeof(Term) / sizeof(T);
template <typename T>
constexpr std::int64_t kPerRegister = kLanes * kPerTerm<T>;

/// Loads @p count elements into a register; the rest is zero.
template <typename T>
ATELIER_INLINE __m512i loadUpTo(const T* from, std::int64_t count)
{
    if constexpr (std::is_same_v<T, float>)
        return _mm512_maskz_loadu_epi32(static_cast<__mmask16>((1U << count) - 1), from);
    else
        return _mm512_maskz_loadu_epi16(static_cast<__mmask32>((std::uint64_t {1} << count) - 1), from);
}

/// Transposes a matrix of 16 rows × 16 terms.
ATELIER_INLINE void transpose(__m512i (&r)[16])
{
    __m512i t[16];
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 16; i += 2) {
        t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
        t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
    }
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 16; i += 4) {
        r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
        r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
        r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
        r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
    }
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 4; ++i) {
        t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
        t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
        t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
        t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
    }
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 4; ++i) {
        r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
        r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
        r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
        r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
    }
}

/// Packs one panel of a right matrix whose columns are contiguous (a weight's rows). @param from [N, K], rows @p stride apart
template <typename T>
void packColumns(const T* from, std::int64_t stride, std::int64_t columns, std::int64_t inner, Term* to)
{
    for (std::int64_t column = 0; column < columns; column += kLanes) {
        const std::int64_t count = std::min(kLanes, columns - column);
        for (std::int64_t k = 0; k < inner; k += kPerRegister<T>) {
            const std::int64_t left = std::min(kPerRegister<T>, inner - k);
            const T* const first = from + column * stride + k;
            __m512i rows[16];
            if (left == kPerRegister<T> && count == kLanes) {
                ATELIER_WHOLLY_UNROLLED
                for (int i = 0; i < 16; ++i)
                    rows[i] = _mm512_loadu_si512(first + i * stride);
            } else {
                ATELIER_WHOLLY_UNROLLED
                for (int i = 0; i < 16; ++i)
                    rows[i] = i < count ? loadUpTo(first + i * stride, left) : _mm512_setzero_si512();
            }
            transpose(rows);
            Term* const out = to + k / kPerTerm<T> * kTileColumns + column;
            const std::int64_t terms = (left + kPerTerm<T> - 1) / kPerTerm<T>;
            ATELIER_WHOLLY_UNROLLED
            for (int i = 0; i < 16; ++i) {
                if (i < terms)
                    _mm512_store_si512(out + i * kTileColumns, rows[i]);
            }
        }
    }
}

/// Loads one term of each of sixteen neighbouring columns. @param first of @p left elements along the inner dimension, which
/// are @p stride apart @param mask of the columns that exist
ATELIER_INLINE __m512i termsAcross(const float* first, std::int64_t /*stride*/, std::int64_t /*left*/, __mmask16 mask)
{
    return _mm512_maskz_loadu_epi32(mask, first);
}

ATELIER_INLINE __m512i termsAcross(const BFloat16* first, std::int64_t stride, std::int64_t left, __mmask16 mask)
{
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, first));
    if (left == 1)
        return low;
    return _mm512_or_si512(low, _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, first + stride)), 16));
}

ATELIER_INLINE __mmask16 maskOf(std::int64_t count)
{
    return count >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1U << count) - 1);
}

/// Packs one panel of a right matrix whose rows are contiguous. @param from [K, N], rows @p stride apart
template <typename T>
void packRows(const T* from, std::int64_t stride, std::int64_t columns, std::int64_t inner, Term* to)
{
    for (std::int64_t left = inner; left > 0; left -= kPerTerm<T>, from += kPerTerm<T> * stride, to += kTileColumns) {
        if (columns == kTileColumns && left >= kPerTerm<T>) {
            for (std::int64_t c = 0; c < kTileColumns; c += kLanes)
                _mm512_store_si512(to + c, termsAcross(from + c, stride, kPerTerm<T>, 0xffff));
        } else {
            for (std::int64_t c = 0; c < columns; c += kLanes)
                _mm512_store_si512(to + c, termsAcross(from + c, stride, left, maskOf(columns - c)));
        }
    }
}

/// Packs the panels of a left matrix whose columns are contiguous. @param from [K, M], rows @p stride apart
template <typename T>
void packLeft(const T* from, std::int64_t stride, std::int64_t rows, std::int64_t inner, Term* to)
{
    constexpr std::int64_t kAtOnce = kPerRegister<T>;  // rows: a cache line of the source
    constexpr std::int64_t kAhead = 16;  // rows of the source, which are too far apart for the hardware prefetcher
    const std::int64_t terms = (inner + kPerTerm<T> - 1) / kPerTerm<T>, panel = terms * kTileRows;
    for (std::int64_t row = 0; row < rows; row += kAtOnce) {
        for (std::int64_t term = 0; term < terms; ++term) {
            const T* const first = from + kPerTerm<T> * term * stride + row;
            ATELIER_WHOLLY_UNROLLED
            for (std::int64_t i = 0; i < kPerTerm<T>; ++i)
                _mm_prefetch(reinterpret_cast<const char*>(first + (kAhead + i) * stride), _MM_HINT_T0);
            Term* out = to + row * terms + term * kTileRows;
            for (std::int64_t r = 0; r < std::min(kAtOnce, rows - row); r += kLanes, out += 2 * panel) {
                const std::int64_t count = rows - row - r;
                const __m512i values = termsAcross(first + r, stride, inner - kPerTerm<T> * term, maskOf(count));
                _mm256_storeu_si256(reinterpret_cast<__m256i*>(out), _mm512_castsi512_si256(values));
                if (count > kTileRows)
                    _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + panel), _mm512_extracti64x4_epi64(values, 1));
            }
        }
    }
}

}  // namespace engine::cpu

#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif
