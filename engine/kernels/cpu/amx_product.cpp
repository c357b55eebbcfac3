// [Note: tiles]
// AMX has eight tile registers of 16 rows of 64 bytes. A tile of the left matrix holds 16 rows and 32 columns; one of the right matrix
// 32 rows and 16 columns, with two neighbouring rows interleaved: 16 rows of terms (see [Note: packed operands]). A block of 32 × 32
// sums occupies four registers, the operands the other four. Blocks run over the whole inner dimension, so sums leave the registers once.
//
// The right matrix is packed into tiles, column by column of tiles. The left matrix is used as it is where its rows are contiguous and
// whole tiles, else packed. Packed tiles are filled up with zeros. While a block is summed, the block before it is rounded and stored.
//
// Dims: M rows, N columns, K inner.
#include "engine/kernels/cpu/amx_product.h"

#include "engine/kernels/cpu/amx_packing.h"

#include <algorithm>
#include <utility>

#if defined(__x86_64__) && defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace engine::cpu {

#if defined(__x86_64__) && defined(__linux__)
namespace {

constexpr std::int64_t kPanelBytes = 1 << 20;            ///< of the packed part of the right matrix: half of a core's cache
constexpr std::int64_t kPanelBytesBesidePacked = 1 << 18, kPackedBytes = 1 << 20;  ///< where rows of the left matrix are packed, too

// GCC warns about its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16,amx-tile,amx-bf16")

/// The tile registers' shapes while it exists: all are full.
class TileShapes {
public:
    TileShapes()
    {
        struct alignas(64) {
            std::uint8_t palette = 1, startRow = 0;
            std::uint8_t unused[14] = {};
            std::uint16_t rowBytes[16] = {};
            std::uint8_t rows[16] = {};
        } shapes;
        for (int tile = 0; tile < 8; ++tile) {
            shapes.rowBytes[tile] = kRowBytes;
            shapes.rows[tile] = kSide;
        }
        asm volatile("" ::: "memory");
        _tile_loadconfig(&shapes);
    }
    ~TileShapes() { _tile_release(); }
    TileShapes(const TileShapes&) = delete;
    TileShapes& operator=(const TileShapes&) = delete;
};

/// Thirty-two bfloat16 as floats, in the order of lineAt().
ATELIER_INLINE __m512 floatsOf(__m512i values, bool ofSecondTile)
{
    const __m512i zero = _mm512_setzero_si512();
    return _mm512_castsi512_ps(ofSecondTile ? _mm512_unpackhi_epi16(zero, values) : _mm512_unpacklo_epi16(zero, values));
}

/// A block of sums that is to be rounded and stored, a few rows at a time. Its columns are in the order of lineAt(), its rows as
/// isInOrder says.
struct PendingBlock {
    alignas(64) float sums[kBlockSide][kBlockSide];
    BFloat16* out = nullptr;
    std::int64_t outStride = 0;
    std::int64_t next = kBlockSide;  ///< row of sums
    std::int64_t rows = 0;           ///< that exist
    bool isInOrder = true;
    __mmask32 mask = 0;              ///< of the columns that exist
    __m512 bias[2] = {};
    bool adds = false;
    bool isTransposed = false;       ///< sums are those of the transposed product still

    ATELIER_INLINE void store(std::int64_t count)
    {
        for (const std::int64_t end = std::min(kBlockSide, next + count); next < end; ++next) {
            const std::int64_t row = isInOrder ? next : lineAt(next);
            if (row < rows)
                storeRow(out + row * outStride);
        }
    }

    /// The same of a whole number of fours.
    ATELIER_INLINE void storeFours(std::int64_t count)
    {
        if (isTransposed)
            transposeSums();
        if (rows < kBlockSide) {
            store(count);
            return;
        }
        for (const std::int64_t end = std::min(kBlockSide, next + count); next < end; next += 4) {
            BFloat16* const to = out + (isInOrder ? next : lineAt(next)) * outStride;
            ATELIER_WHOLLY_UNROLLED
            for (int i = 0; i < 4; ++i)
                storeRow(to + i * outStride, i);
        }
    }

    __attribute__((noinline)) void transposeSums()
    {
        const auto load = [&](__m512i (&tile)[16], std::int64_t row, std::int64_t column) ATELIER_LAMBDA_INLINE {
            ATELIER_WHOLLY_UNROLLED
            for (int i = 0; i < 16; ++i)
                tile[i] = _mm512_load_si512(sums[row + i] + column);
            transpose(tile);
        };
        const auto store = [&](const __m512i (&tile)[16], std::int64_t row, std::int64_t column) ATELIER_LAMBDA_INLINE {
            ATELIER_WHOLLY_UNROLLED
            for (int i = 0; i < 16; ++i)
                _mm512_store_si512(sums[row + i] + column, tile[i]);
        };
        __m512i tile[16];
        for (const std::int64_t place : {std::int64_t {0}, kSide}) {
            load(tile, place, place);
            store(tile, place, place);
        }
        alignas(64) float below[kSide][kSide];
        load(tile, kSide, 0);
        ATELIER_WHOLLY_UNROLLED
        for (int i = 0; i < 16; ++i)
            _mm512_store_si512(below[i], tile[i]);
        load(tile, 0, kSide);
        store(tile, kSide, 0);
        ATELIER_WHOLLY_UNROLLED
        for (int i = 0; i < 16; ++i)
            _mm512_store_si512(sums[i] + kSide, _mm512_load_si512(below[i]));
        isTransposed = false;
    }

    ATELIER_INLINE void storeRow(BFloat16* to, int after = 0) const
    {
        const __m512i groups = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
        __m512 low = _mm512_add_ps(_mm512_load_ps(sums[next + after]), bias[0]);
        __m512 high = _mm512_add_ps(_mm512_load_ps(sums[next + after] + kSide), bias[1]);
        if (adds) {
            const __m512i before = _mm512_maskz_loadu_epi16(mask, to);
            low = _mm512_add_ps(low, floatsOf(before, false));
            high = _mm512_add_ps(high, floatsOf(before, true));
        }
        _mm512_mask_storeu_epi16(to, mask, _mm512_permutexvar_epi64(groups, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low))));
    }
};

/// One or two tiles of rows of the left matrix.
struct LeftTiles {
    const char* data = nullptr;
    std::int64_t rowBytes = 0;   ///< between rows of a tile
    std::int64_t stepBytes = 0;  ///< between tiles along the inner dimension
    std::int64_t tileBytes = 0;  ///< between the two tiles of rows
};

/// Sums a block over @p steps tiles of the inner dimension; stores @p pending meanwhile, whose sums are the new block's afterwards.
template <int kRowTiles, int kColumnTiles>
void sumBlock(const LeftTiles& left, const Term* right, std::int64_t steps, PendingBlock& pending)
{
    const std::int64_t storedAtOnce = roundedUp((kBlockSide + steps - 1) / steps, 4);
    const std::int64_t rowBytes = left.rowBytes, stepBytes = left.stepBytes;
    const char *first = left.data, *second = left.data + left.tileBytes;
    const auto* column = reinterpret_cast<const char*>(right);
    const char* const nextColumn = column + steps * kTileBytes;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (std::int64_t offset = 0; offset < steps * kTileBytes; offset += kTileBytes) {
        _tile_loadd(6, column + offset, kRowBytes);
        _tile_loadd(4, first, rowBytes);
        _tile_dpbf16ps(0, 4, 6);
        if constexpr (kColumnTiles == 2) {
            _tile_loadd(7, nextColumn + offset, kRowBytes);
            _tile_dpbf16ps(1, 4, 7);
        }
        if constexpr (kRowTiles == 2) {
            _tile_loadd(5, second, rowBytes);
            _tile_dpbf16ps(2, 5, 6);
            if constexpr (kColumnTiles == 2)
                _tile_dpbf16ps(3, 5, 7);
        }
        first += stepBytes;
        second += stepBytes;
        pending.storeFours(storedAtOnce);
    }
    pending.storeFours(kBlockSide);
    constexpr auto kSumBytes = static_cast<std::int64_t>(sizeof pending.sums[0]);
    _tile_stored(0, pending.sums[0], kSumBytes);
    if constexpr (kColumnTiles == 2)
        _tile_stored(1, pending.sums[0] + kSide, kSumBytes);
    if constexpr (kRowTiles == 2) {
        _tile_stored(2, pending.sums[kSide], kSumBytes);
        if constexpr (kColumnTiles == 2)
            _tile_stored(3, pending.sums[kSide] + kSide, kSumBytes);
    }
}

/// Computes the rows [first, first + count) of the output.
class TiledRows {
public:
    /// @param isTransposed the transposed product is written to the output's memory
    TiledRows(const MatrixProduct<BFloat16>& product, bool isTransposed, std::int64_t first, std::int64_t count, PendingBlock& pending)
        : m_product(product)
        , m_isTransposed(isTransposed)
        , m_first(first)
        , m_count(count)
        , m_steps((product.inner + kDepth - 1) / kDepth)
        , m_pending(pending)
    {
        const bool hasRows = product.left.columnStride == 1;
        const std::int64_t stride = hasRows ? product.left.rowStride : product.left.columnStride;
        m_packedFrom = hasRows && product.inner % kDepth == 0 ? count / kSide * kSide : 0;
        if (const std::int64_t packed = count - m_packedFrom; packed > 0) {
            thread_local PackingMemory leftMemory;
            m_left = leftMemory.atLeast<Term>(roundedUp(packed, kBlockSide) / kSide * m_steps * kTileTerms);
            m_isLeftInOrder = hasRows;
            (hasRows ? packLines<true> : packAcross<true>)(
                product.left.data + (first + m_packedFrom) * product.left.rowStride, stride, packed, product.inner, m_left);
        }
        thread_local PackingMemory rightMemory;
        const std::int64_t columnBytes = m_steps * kTileBytes / kSide;
        const std::int64_t panelBytes = hasRows ? kPanelBytes : kPanelBytesBesidePacked;
        m_width = std::max(panelBytes / columnBytes / kBlockSide, std::int64_t {1}) * kBlockSide;
        m_right = rightMemory.atLeast<Term>(roundedUp(std::min(m_width, product.columns), kBlockSide) / kSide * m_steps * kTileTerms);
    }

    void run()
    {
        for (std::int64_t column = 0; column < m_product.columns; column += m_width) {
            const std::int64_t columns = std::min(m_width, m_product.columns - column);
            const bool hasColumns = m_product.right.rowStride == 1;
            (hasColumns ? packLines<false> : packAcross<false>)(m_product.right.data + column * m_product.right.columnStride,
                hasColumns ? m_product.right.columnStride : m_product.right.rowStride, columns, m_product.inner, m_right);
            asm volatile("" ::: "memory");  // the intrinsics that load tiles do not say that they read memory
            for (std::int64_t row = 0; row < m_count;) {
                const std::int64_t rows = rowsFrom(row);
                for (std::int64_t c = 0; c < columns; c += kBlockSide)
                    compute(row, rows, column + c, std::min(kBlockSide, columns - c), m_right + c / kSide * m_steps * kTileTerms);
                row += rows;
            }
        }
    }

private:
    /// How many rows the block that begins at @p row has: two tiles that lie alike in memory, or one.
    std::int64_t rowsFrom(std::int64_t row) const
    {
        const std::int64_t end = row < m_packedFrom ? m_packedFrom : m_count;
        return std::min(kBlockSide, end - row);
    }

    LeftTiles leftFrom(std::int64_t row) const
    {
        if (row < m_packedFrom) {
            const std::int64_t rowBytes = m_product.left.rowStride * static_cast<std::int64_t>(sizeof(BFloat16));
            return {reinterpret_cast<const char*>(m_product.left.data) + (m_first + row) * rowBytes, rowBytes, kRowBytes, kSide * rowBytes};
        }
        return {reinterpret_cast<const char*>(m_left + (row - m_packedFrom) / kSide * m_steps * kTileTerms), kRowBytes, kTileBytes,
            m_steps * kTileBytes};
    }

    void compute(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, const Term* right)
    {
        const LeftTiles left = leftFrom(row);
        const bool isInOrder = row < m_packedFrom || m_isLeftInOrder;
        const bool areTwoRows = rows > (isInOrder ? kSide : 4), areTwoColumns = columns > 4;  // see lineAt()
        (areTwoRows ? (areTwoColumns ? sumBlock<2, 2> : sumBlock<2, 1>) : (areTwoColumns ? sumBlock<1, 2> : sumBlock<1, 1>))(
            left, right, m_steps, m_pending);
        row += m_first;
        if (m_isTransposed) {
            std::swap(row, column);
            std::swap(rows, columns);
        }
        m_pending.out = m_product.out + row * m_product.outStride + column;
        m_pending.outStride = m_product.outStride;
        m_pending.next = 0;
        m_pending.rows = rows;
        m_pending.isInOrder = isInOrder && !m_isTransposed;
        m_pending.isTransposed = m_isTransposed;
        m_pending.mask = halvesMask(columns);
        m_pending.adds = m_product.adds;
        if (m_product.bias) {
            const __m512i bias = _mm512_maskz_loadu_epi16(m_pending.mask, m_product.bias + column);
            m_pending.bias[0] = floatsOf(bias, false);
            m_pending.bias[1] = floatsOf(bias, true);
        }
    }

    const MatrixProduct<BFloat16>& m_product;
    bool m_isTransposed;
    std::int64_t m_first, m_count, m_steps;
    std::int64_t m_packedFrom = 0;  ///< rows before this one are used as they are
    bool m_isLeftInOrder = true;    ///< what is packed, see PendingBlock
    std::int64_t m_width = 0;       ///< columns of the right matrix that are packed at a time
    Term* m_left = nullptr;
    Term* m_right = nullptr;
    PendingBlock& m_pending;
};

/// With the operands exchanged; without the output's memory, which stays as it is.
MatrixProduct<BFloat16> transposed(const MatrixProduct<BFloat16>& product)
{
    MatrixProduct<BFloat16> other = product;
    std::swap(other.rows, other.columns);
    other.left = {product.right.data, product.right.columnStride, product.right.rowStride};
    other.right = {product.left.data, product.left.columnStride, product.left.rowStride};
    return other;
}

/// To pack columns of the left matrix takes 80 cycles more for a tile than rows of the right one: worth it for the smaller
/// operand, unless to transpose the sums (300 cycles for a block) takes longer.
bool isFasterTransposed(const MatrixProduct<BFloat16>& product)
{
    return product.left.columnStride != 1 && product.right.columnStride == 1 && !product.bias
        && (product.rows - product.columns) * product.inner > 2 * product.rows * product.columns;
}

/// Leaves the last block in @p pending.
void multiplyTiles(const MatrixProduct<BFloat16>& product, PendingBlock& pending)
{
    const bool isTransposed = isFasterTransposed(product);
    const MatrixProduct<BFloat16> computed = isTransposed ? transposed(product) : product;
    std::int64_t atOnce = computed.rows;
    if (computed.left.columnStride != 1) {
        const std::int64_t rowBytes = computed.inner * static_cast<std::int64_t>(sizeof(BFloat16));
        atOnce = std::max(kPackedBytes / rowBytes / kBlockSide, std::int64_t {1}) * kBlockSide;
    }
    for (std::int64_t row = 0; row < computed.rows; row += atOnce)
        TiledRows(computed, isTransposed, row, std::min(atOnce, computed.rows - row), pending).run();
}

}  // namespace

bool hasAmx()
{
    static const bool has = [] {
        constexpr int kRequestPermission = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
            && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16") && __builtin_cpu_supports("amx-tile")
            && __builtin_cpu_supports("amx-bf16") && ::syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
    }();
    return has;
}

void multiplyEachWithAmx(const MatrixProduct<BFloat16>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end)
{
    const TileShapes shapes;
    PendingBlock pending;
    for (std::int64_t i = begin; i < end; ++i)
        multiplyTiles(productAt(first, i, batch), pending);
    pending.storeFours(kBlockSide);
}

#pragma GCC pop_options
#pragma GCC diagnostic pop

#else

bool hasAmx() { return false; }
void multiplyEachWithAmx(
    const MatrixProduct<BFloat16>& /*first*/, const ProductBatch& /*batch*/, std::int64_t /*begin*/, std::int64_t /*end*/)
{
}

#endif

}  // namespace engine::cpu
