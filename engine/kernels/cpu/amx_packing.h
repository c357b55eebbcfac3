// Packs the operands of the products by AMX into tiles, see [Note: tiles] in amx_product.cpp, which alone includes this.
#pragma once
#include "engine/kernels/cpu/product_packing.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)

// GCC warns about its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")

namespace engine::cpu {

constexpr std::int64_t kSide = 16;                       ///< rows of a tile; columns of a tile of the right matrix, or of sums
constexpr std::int64_t kDepth = 32;                      ///< of the inner dimension in a tile
constexpr std::int64_t kTileTerms = kSide * kDepth / 2;  ///< of a packed tile, one KiB
constexpr std::int64_t kTileBytes = kTileTerms * static_cast<std::int64_t>(sizeof(Term));
constexpr std::int64_t kRowBytes = 64;                   ///< of a tile's row
constexpr std::int64_t kBlockSide = 2 * kSide;

/// The place in a block of the line at @p place of its two tiles, as interleaving the halves of registers leaves them: tile 0 has the
/// lines 0 to 3, 8 to 11 …, tile 1 the lines 4 to 7, 12 to 15 …
constexpr std::int64_t lineAt(std::int64_t place)
{
    const std::int64_t inTile = place % kSide;
    return inTile / 4 * 8 + inTile % 4 + place / kSide * 4;
}

ATELIER_INLINE __mmask32 halvesMask(std::int64_t count)
{
    return count >= kBlockSide ? ~__mmask32 {0} : static_cast<__mmask32>((std::uint64_t {1} << std::max<std::int64_t>(count, 0)) - 1);
}

ATELIER_INLINE void storeTile(Term* to, const __m512i (&rows)[16])
{
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 16; ++i)
        _mm512_store_si512(to + i * kLanes, rows[i]);
}

/// A tile of lines whose elements are contiguous: those at the places from @p first of a block of @p lines, which are @p stride apart.
/// @param isInOrder else in the order of lineAt()
ATELIER_INLINE void loadLines(
    __m512i (&to)[16], const BFloat16* from, std::int64_t stride, std::int64_t first, bool isInOrder, std::int64_t lines, std::int64_t elements)
{
    if (lines >= kBlockSide && elements >= kDepth) {
        ATELIER_WHOLLY_UNROLLED
        for (int i = 0; i < 16; ++i)
            to[i] = _mm512_loadu_si512(from + (isInOrder ? first + i : lineAt(first + i)) * stride);
        return;
    }
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 16; ++i) {
        const std::int64_t line = isInOrder ? first + i : lineAt(first + i);
        to[i] = line < lines ? loadUpTo(from + line * stride, std::min(elements, kDepth)) : _mm512_setzero_si512();
    }
}

/// Two tiles of the terms of a block of @p lines, which are in the order of lineAt(). Elements of different lines are contiguous, those
/// of a line @p stride apart.
ATELIER_INLINE void interleave(const BFloat16* from, std::int64_t stride, std::int64_t lines, std::int64_t elements, Term* first, Term* second)
{
    const auto store = [&](int i, __m512i even, __m512i odd) ATELIER_LAMBDA_INLINE {
        _mm512_store_si512(first + i * kLanes, _mm512_unpacklo_epi16(even, odd));
        _mm512_store_si512(second + i * kLanes, _mm512_unpackhi_epi16(even, odd));
    };
    if (lines >= kBlockSide && elements >= kDepth) {
        ATELIER_WHOLLY_UNROLLED
        for (int i = 0; i < 16; ++i) {
            const BFloat16* const even = from + 2 * i * stride;
            _mm_prefetch(reinterpret_cast<const char*>(even + kDepth * stride), _MM_HINT_T1);
            _mm_prefetch(reinterpret_cast<const char*>(even + (kDepth + 1) * stride), _MM_HINT_T1);
            store(i, _mm512_loadu_si512(even), _mm512_loadu_si512(even + stride));
        }
        return;
    }
    const __mmask32 mask = halvesMask(lines);
    const auto elementsAt = [&](std::int64_t element) ATELIER_LAMBDA_INLINE {
        return element < elements ? _mm512_maskz_loadu_epi16(mask, from + element * stride) : _mm512_setzero_si512();
    };
    for (int i = 0; i < 16; ++i)
        store(i, elementsAt(2 * i), elementsAt(2 * i + 1));
}

ATELIER_INLINE void transposeTile(Term* tile)
{
    __m512i rows[16];
    ATELIER_WHOLLY_UNROLLED
    for (int i = 0; i < 16; ++i)
        rows[i] = _mm512_load_si512(tile + i * kLanes);
    transpose(rows);
    storeTile(tile, rows);
}

/// Packs @p lines rows of the left matrix, or columns of the right one, into tiles: [tile of 16 lines][tile of 32 elements][1 KiB].
/// The elements of a line are contiguous, lines @p stride apart.
/// @tparam kIsLeft a tile's rows are lines, which stay in order; else they are terms, and lines are in the order of lineAt()
template <bool kIsLeft>
void packLines(const BFloat16* from, std::int64_t stride, std::int64_t lines, std::int64_t inner, Term* to)
{
    const std::int64_t column = (inner + kDepth - 1) / kDepth * kTileTerms;
    for (std::int64_t line = 0; line < lines; line += kBlockSide) {
        for (const std::int64_t first : {std::int64_t {0}, kSide}) {
            Term* tile = to + (line + first) / kSide * column;
            for (std::int64_t k = 0; k < inner; k += kDepth, tile += kTileTerms) {
                __m512i rows[16];
                const BFloat16* const here = from + line * stride + k;
                ATELIER_WHOLLY_UNROLLED
                for (std::int64_t i = 0; i < kSide; ++i)
                    _mm_prefetch(reinterpret_cast<const char*>(here + (kBlockSide + first + i) * stride), _MM_HINT_T1);
                loadLines(rows, here, stride, first, kIsLeft, lines - line, inner - k);
                if constexpr (!kIsLeft)
                    transpose(rows);
                storeTile(tile, rows);
            }
        }
    }
}

/// The same of lines whose elements are @p stride apart: neighbouring lines are contiguous. Lines are in the order of lineAt().
template <bool kIsLeft>
void packAcross(const BFloat16* from, std::int64_t stride, std::int64_t lines, std::int64_t inner, Term* to)
{
    const std::int64_t column = (inner + kDepth - 1) / kDepth * kTileTerms;
    for (std::int64_t k = 0; k < inner; k += kDepth) {
        for (std::int64_t line = 0; line < lines; line += kBlockSide) {
            Term* const first = to + line / kSide * column + k / kDepth * kTileTerms;
            Term* const second = first + column;
            interleave(from + k * stride + line, stride, lines - line, inner - k, first, second);
            if constexpr (kIsLeft) {
                transposeTile(first);
                transposeTile(second);
            }
        }
    }
}

}  // namespace engine::cpu

#pragma GCC pop_options
#pragma GCC diagnostic pop
#endif
