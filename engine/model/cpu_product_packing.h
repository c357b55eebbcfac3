// Where AVX-512's products of bfloat16 find their operands: for cpu_matrix_product.cpp only.
//
// [Note: packed operands]
// A tile of 8 rows and 48 columns is summed in 24 registers over a block of the inner dimension: for each pair of inner indices
// three registers of the right matrix, and eight pairs of the left one, each spread over a register. For that the right matrix
// lies in panels of 48 columns, [pair][column][2]; the left one as it is where its rows are contiguous, else in panels
// of 8 rows, [pair][row][2]. A panel of the right matrix stays in the cache while all rows of a block pass by, and the next
// ones are fetched meanwhile.
//
// Dims: M rows, N columns, K inner.
#pragma once
#include "engine/comm/cpu_vector.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

// Sums in arrays stay in registers where loops over them are unrolled.
#define ATELIER_WHOLLY_UNROLLED _Pragma("GCC unroll 16")

#if defined(__x86_64__)
#include <immintrin.h>

namespace engine::cpu {

constexpr std::int64_t kCacheLine = 64;

constexpr std::int64_t roundedUp(std::int64_t value, std::int64_t multiple) { return (value + multiple - 1) / multiple * multiple; }

/// Memory for packed operands, which grows and stays.
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

// The compiler warns of its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")

namespace engine::cpu {

constexpr std::int64_t kTileRows = 8, kTileVectors = 3, kTileColumns = kTileVectors * kLanes;

/// Two neighbours along the inner dimension, the first in the lower half.
using Pair = std::uint32_t;

/// A row of 16 rows × 16 pairs becomes a column.
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

/// One panel of a right matrix whose columns are contiguous (a weight's rows). @param from [N, K], rows @p stride apart
inline void packColumns(const BFloat16* from, std::int64_t stride, std::int64_t columns, std::int64_t inner, Pair* to)
{
    constexpr std::int64_t kElements = 32;  // of a register
    for (std::int64_t column = 0; column < columns; column += kLanes) {
        const std::int64_t count = std::min(kLanes, columns - column);
        for (std::int64_t k = 0; k < inner; k += kElements) {
            const std::int64_t left = std::min(kElements, inner - k);
            const BFloat16* const first = from + column * stride + k;
            __m512i rows[16];
            if (left == kElements && count == kLanes) {
                ATELIER_WHOLLY_UNROLLED
                for (int i = 0; i < 16; ++i)
                    rows[i] = _mm512_loadu_si512(first + i * stride);
            } else {
                const auto mask = static_cast<__mmask32>((std::uint64_t {1} << left) - 1);
                ATELIER_WHOLLY_UNROLLED
                for (int i = 0; i < 16; ++i)
                    rows[i] = i < count ? _mm512_maskz_loadu_epi16(mask, first + i * stride) : _mm512_setzero_si512();
            }
            transpose(rows);
            Pair* const out = to + k / 2 * kTileColumns + column;
            const std::int64_t pairs = (left + 1) / 2;
            ATELIER_WHOLLY_UNROLLED
            for (int i = 0; i < 16; ++i) {
                if (i < pairs)
                    _mm512_store_si512(out + i * kTileColumns, rows[i]);
            }
        }
    }
}

/// Sixteen elements of @p first and of @p second, taken in turn. @param mask of those that are there; second nullptr: zeros
ATELIER_INLINE __m512i interleaved(const BFloat16* first, const BFloat16* second, __mmask16 mask)
{
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, first));
    return second ? _mm512_or_si512(low, _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, second)), 16)) : low;
}

ATELIER_INLINE __mmask16 maskOf(std::int64_t count)
{
    return count >= kLanes ? static_cast<__mmask16>(0xffff) : static_cast<__mmask16>((1U << count) - 1);
}

/// One panel of a right matrix whose rows are contiguous. @param from [K, N], rows @p stride apart
inline void packRows(const BFloat16* from, std::int64_t stride, std::int64_t columns, std::int64_t inner, Pair* to)
{
    for (std::int64_t k = 0; k < inner; k += 2, from += 2 * stride, to += kTileColumns) {
        const BFloat16* const second = k + 1 < inner ? from + stride : nullptr;
        if (columns == kTileColumns && second) {
            for (std::int64_t c = 0; c < kTileColumns; c += kLanes)
                _mm512_store_si512(to + c, interleaved(from + c, second + c, 0xffff));
        } else {
            for (std::int64_t c = 0; c < columns; c += kLanes)
                _mm512_store_si512(to + c, interleaved(from + c, second ? second + c : nullptr, maskOf(columns - c)));
        }
    }
}

/// Panels of a left matrix whose columns are contiguous. @param from [K, M], rows @p stride apart
inline void packLeft(const BFloat16* from, std::int64_t stride, std::int64_t rows, std::int64_t inner, Pair* to)
{
    constexpr std::int64_t kAtOnce = 32;  // rows: a cache line of the source
    constexpr std::int64_t kAhead = 16;   // of the source's rows, which lie too far apart for the processor to guess the next
    const std::int64_t pairs = (inner + 1) / 2, panel = pairs * kTileRows;
    for (std::int64_t row = 0; row < rows; row += kAtOnce) {
        for (std::int64_t pair = 0; pair < pairs; ++pair) {
            const BFloat16* const first = from + 2 * pair * stride + row;
            const BFloat16* const second = 2 * pair + 1 < inner ? first + stride : nullptr;
            _mm_prefetch(reinterpret_cast<const char*>(first + kAhead * stride), _MM_HINT_T0);
            _mm_prefetch(reinterpret_cast<const char*>(first + (kAhead + 1) * stride), _MM_HINT_T0);
            Pair* out = to + row * pairs + pair * kTileRows;
            for (std::int64_t r = 0; r < std::min(kAtOnce, rows - row); r += kLanes, out += 2 * panel) {
                const std::int64_t count = rows - row - r;
                const __m512i values = interleaved(first + r, second ? second + r : nullptr, maskOf(count));
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
