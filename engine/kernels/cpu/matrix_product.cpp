// Computes tiles of the output in registers, from operands in the layout of [Note: packed operands].
#include "engine/kernels/cpu/matrix_product.h"

#include "engine/kernels/cpu/amx_product.h"
#include "engine/kernels/cpu/product_packing.h"

#include <algorithm>
#include <cstring>

namespace engine::cpu {

#if defined(__x86_64__)
namespace {

constexpr std::int64_t kInnerTerms = 1536;           ///< of a block, whose panel then takes 288 KiB
template <typename T>
constexpr std::int64_t kInnerBlock = kInnerTerms * kPerTerm<T>;
constexpr std::int64_t kMostBlockRows = 512, kLeastBlockRows = 64;
constexpr std::int64_t kLeftBytes = 2 << 20;         ///< of a packed block of rows, unless that leaves too few rows

// GCC warns about its own header (GCC bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC push_options
#pragma GCC target("avx512f,avx512bw,avx512dq,avx512vl,avx512bf16")

/// Cache lines to prefetch while tiles are computed: linesPerRow of each row.
struct Prefetch {
    const char* row = nullptr;
    std::int64_t rowBytes = 0, linesPerRow = 1;
    std::int64_t line = 0, lines = 0;

    ATELIER_INLINE void next()
    {
        if (lines <= 0)
            return;
        --lines;
        _mm_prefetch(row + line * kCacheLine, _MM_HINT_T1);
        if (++line == linesPerRow) {
            line = 0;
            row += rowBytes;
        }
    }
};

ATELIER_INLINE __m512 loadWhere(__mmask16 mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
ATELIER_INLINE __m512 loadWhere(__mmask16 mask, const BFloat16* from)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(mask, from)), 16));
}

ATELIER_INLINE void storeWhere(__mmask16 mask, float* to, __m512 values) { _mm512_mask_storeu_ps(to, mask, values); }
ATELIER_INLINE void storeWhere(__mmask16 mask, BFloat16* to, __m512 values)
{
    _mm256_mask_storeu_epi16(to, mask, reinterpret_cast<__m256i>(_mm512_cvtneps_pbh(values)));
}

/// sum + row · columns, where row is one term broadcast to all lanes.
template <typename T>
ATELIER_INLINE __m512 multiplyAdd(__m512 sum, __m512i row, __m512i columns)
{
    if constexpr (std::is_same_v<T, float>)
        return _mm512_fmadd_ps(_mm512_castsi512_ps(row), _mm512_castsi512_ps(columns), sum);
    else
        return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(row), reinterpret_cast<__m512bh>(columns));
}

/// The memory that a tile reads and writes.
template <typename T>
struct Tile {
    const char* left = nullptr;       ///< the first row's first term
    std::int64_t leftRowBytes = 0;    ///< if the left matrix is not packed
    const Term* right = nullptr;
    std::int64_t terms = 0;
    float* partial = nullptr;         ///< [kTileRows, kTileColumns]: sums over earlier blocks of the inner dimension
    bool hasPartial = false, isLast = true;
    T* out = nullptr;
    std::int64_t outStride = 0;
    const T* bias = nullptr;
    bool adds = false;
    __mmask16 lastMask = 0;           ///< of the last vector's columns
};

template <int kRows, int kVectors, bool kIsPacked, typename T>
__attribute__((noinline)) void computeTile(const Tile<T>& tile, Prefetch& prefetch)
{
    __m512 sums[kRows][kVectors];
    ATELIER_WHOLLY_UNROLLED
    for (int r = 0; r < kRows; ++r) {
        ATELIER_WHOLLY_UNROLLED
        for (int v = 0; v < kVectors; ++v)
            sums[r][v] = tile.hasPartial ? _mm512_loadu_ps(tile.partial + r * kTileColumns + v * kLanes) : _mm512_setzero_ps();
    }
    constexpr std::int64_t kTermBytes = (kIsPacked ? kTileRows : 1) * sizeof(Term), kUnrolled = 4;
    const std::int64_t rowBytes = kIsPacked ? static_cast<std::int64_t>(sizeof(Term)) : tile.leftRowBytes;
    const char* left = tile.left;
    const Term* right = tile.right;
    const auto addTerm = [&](std::int64_t term) ATELIER_LAMBDA_INLINE {
        __m512i columns[kVectors];
        ATELIER_WHOLLY_UNROLLED
        for (int v = 0; v < kVectors; ++v)
            columns[v] = _mm512_load_si512(right + term * kTileColumns + v * kLanes);
        ATELIER_WHOLLY_UNROLLED
        for (int r = 0; r < kRows; ++r) {
            int value;
            std::memcpy(&value, left + r * rowBytes + term * kTermBytes, sizeof value);
            const __m512i row = _mm512_set1_epi32(value);
            ATELIER_WHOLLY_UNROLLED
            for (int v = 0; v < kVectors; ++v)
                sums[r][v] = multiplyAdd<T>(sums[r][v], row, columns[v]);
        }
    };
    std::int64_t term = 0;
    for (; term + kUnrolled <= tile.terms; term += kUnrolled) {
        addTerm(0), addTerm(1), addTerm(2), addTerm(3);
        left += kUnrolled * kTermBytes;
        right += kUnrolled * kTileColumns;
        prefetch.next();
    }
    for (; term < tile.terms; ++term) {
        addTerm(0);
        left += kTermBytes;
        right += kTileColumns;
    }
    if (!tile.isLast) {
        ATELIER_WHOLLY_UNROLLED
        for (int r = 0; r < kRows; ++r) {
            ATELIER_WHOLLY_UNROLLED
            for (int v = 0; v < kVectors; ++v)
                _mm512_storeu_ps(tile.partial + r * kTileColumns + v * kLanes, sums[r][v]);
        }
        return;
    }
    ATELIER_WHOLLY_UNROLLED
    for (int v = 0; v < kVectors; ++v) {
        const __mmask16 mask = v == kVectors - 1 ? tile.lastMask : static_cast<__mmask16>(0xffff);
        const __m512 bias = tile.bias ? loadWhere(mask, tile.bias + v * kLanes) : _mm512_setzero_ps();
        ATELIER_WHOLLY_UNROLLED
        for (int r = 0; r < kRows; ++r) {
            T* const to = tile.out + r * tile.outStride + v * kLanes;
            __m512 result = _mm512_add_ps(sums[r][v], bias);
            if (tile.adds)
                result = _mm512_add_ps(result, loadWhere(mask, to));
            storeWhere(mask, to, result);
        }
    }
}

template <int kRows, bool kIsPacked, typename T>
void computeTile(int vectors, const Tile<T>& tile, Prefetch& prefetch)
{
    if (vectors == 3)
        computeTile<kRows, 3, kIsPacked>(tile, prefetch);
    else if (vectors == 2)
        computeTile<kRows, 2, kIsPacked>(tile, prefetch);
    else
        computeTile<kRows, 1, kIsPacked>(tile, prefetch);
}

template <bool kIsPacked, typename T>
void computeTile(std::int64_t rows, int vectors, const Tile<T>& tile, Prefetch& prefetch)
{
    switch (rows) {
    case 8: computeTile<8, kIsPacked>(vectors, tile, prefetch); break;
    case 4: computeTile<4, kIsPacked>(vectors, tile, prefetch); break;
    case 2: computeTile<2, kIsPacked>(vectors, tile, prefetch); break;
    default: computeTile<1, kIsPacked>(vectors, tile, prefetch); break;
    }
}

/// Computes rows [first, first + count) of the output, one panel of columns at a time.
template <typename T>
class RowBlock {
public:
    RowBlock(const MatrixProduct<T>& product, std::int64_t first, std::int64_t count)
        : m_product(product)
        , m_first(first)
        , m_count(count)
        , m_isPacked(product.left.columnStride != 1)
        , m_terms((product.inner + kPerTerm<T> - 1) / kPerTerm<T>)
    {
        const std::int64_t panels = (product.columns + kTileColumns - 1) / kTileColumns;
        m_width = roundedUp((product.columns + panels - 1) / panels, kLanes);
        thread_local PackingMemory left, right, partials;
        if (m_isPacked) {
            m_left = left.atLeast<Term>(roundedUp(count, kTileRows) * m_terms);
            packLeft(product.left.data + first, product.left.columnStride, count, product.inner, m_left);
        }
        m_right = right.atLeast<Term>(std::min(kInnerTerms, m_terms) * kTileColumns);
        if (product.inner > kInnerBlock<T>)
            m_partials = partials.atLeast<float>(count * kTileColumns);
    }

    void run()
    {
        for (std::int64_t column = 0; column < m_product.columns; column += m_width) {
            for (std::int64_t k = 0; k < m_product.inner; k += kInnerBlock<T>) {
                const Panel panel = panelAt(column, k);
                const bool hasRows = m_product.right.columnStride == 1;
                (hasRows ? packRows<T> : packColumns<T>)(panel.data, hasRows ? m_product.right.rowStride : m_product.right.columnStride,
                    panel.columns, panel.inner, m_right);
                const bool isLast = k + panel.inner == m_product.inner;
                preparePrefetch(isLast ? panelAt(column + m_width, 0) : panelAt(column, k + panel.inner));
                compute(panel);
            }
        }
    }

private:
    /// A part of the right matrix.
    struct Panel {
        std::int64_t column = 0, columns = 0, k = 0, inner = 0;
        const T* data = nullptr;
    };

    Panel panelAt(std::int64_t column, std::int64_t k) const
    {
        return {column, std::min(m_width, m_product.columns - column), k, std::min(kInnerBlock<T>, m_product.inner - k),
            m_product.right.data + k * m_product.right.rowStride + column * m_product.right.columnStride};
    }

    /// Spreads the prefetching of the next panel evenly over the tiles of the current one.
    void preparePrefetch(const Panel& panel)
    {
        m_fetch = {};
        m_linesPerTile = 0;
        if (panel.columns <= 0)
            return;
        constexpr auto kElementBytes = static_cast<std::int64_t>(sizeof(T));
        const bool hasRows = m_product.right.columnStride == 1;
        const std::int64_t rows = hasRows ? panel.inner : panel.columns, width = hasRows ? panel.columns : panel.inner;
        m_fetch.row = reinterpret_cast<const char*>(panel.data);
        m_fetch.rowBytes = (hasRows ? m_product.right.rowStride : m_product.right.columnStride) * kElementBytes;
        m_fetch.linesPerRow = (width * kElementBytes + kCacheLine - 1) / kCacheLine;
        const std::int64_t tiles = (m_count + kTileRows - 1) / kTileRows;
        m_linesPerTile = (rows * m_fetch.linesPerRow + tiles - 1) / tiles;
    }

    /// @param panel the one that is packed in m_right
    void compute(const Panel& panel)
    {
        const MatrixProduct<T>& product = m_product;
        const int vectors = static_cast<int>((panel.columns + kLanes - 1) / kLanes);
        Tile<T> tile;
        tile.right = m_right;
        tile.terms = (panel.inner + kPerTerm<T> - 1) / kPerTerm<T>;
        tile.hasPartial = panel.k > 0;
        tile.isLast = panel.k + panel.inner == product.inner;
        tile.leftRowBytes = product.left.rowStride * static_cast<std::int64_t>(sizeof(T));
        tile.outStride = product.outStride;
        tile.adds = product.adds;
        tile.bias = product.bias ? product.bias + panel.column : nullptr;
        tile.lastMask = maskOf(panel.columns - (vectors - 1) * kLanes);
        for (std::int64_t row = 0; row < m_count;) {
            const std::int64_t left = m_count - row;
            const std::int64_t rows = left >= 8 ? 8 : left >= 4 ? 4 : left >= 2 ? 2 : 1;
            tile.out = product.out + (m_first + row) * product.outStride + panel.column;
            tile.partial = m_partials ? m_partials + row * kTileColumns : nullptr;
            m_fetch.lines = m_linesPerTile;
            if (m_isPacked) {
                const Term* const packed
                    = m_left + row / kTileRows * kTileRows * m_terms + panel.k / kPerTerm<T> * kTileRows + row % kTileRows;
                tile.left = reinterpret_cast<const char*>(packed);
                computeTile<true>(rows, vectors, tile, m_fetch);
            } else {
                tile.left = reinterpret_cast<const char*>(product.left.data + (m_first + row) * product.left.rowStride + panel.k);
                computeTile<false>(rows, vectors, tile, m_fetch);
            }
            row += rows;
        }
    }

    const MatrixProduct<T>& m_product;
    std::int64_t m_first, m_count;
    bool m_isPacked;
    std::int64_t m_terms;      ///< of the whole inner dimension
    std::int64_t m_width = 0;  ///< of a panel. All are equal: a narrow panel would read the whole left matrix too
    Term* m_left = nullptr;
    Term* m_right = nullptr;
    float* m_partials = nullptr;
    Prefetch m_fetch;
    std::int64_t m_linesPerTile = 0;
};

#pragma GCC pop_options
#pragma GCC diagnostic pop

}  // namespace

template <typename T>
bool hasMatrixProducts()
{
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16")
        && (std::is_same_v<T, BFloat16> || __builtin_cpu_is("amd"));
    return has;
}

template <typename T>
void multiplyByVectors(const MatrixProduct<T>& product)
{
    std::int64_t atOnce = kMostBlockRows;
    if (product.left.columnStride != 1) {
        const std::int64_t rowBytes = product.inner * static_cast<std::int64_t>(sizeof(T));
        atOnce = std::clamp(kLeftBytes / rowBytes / kTileRows * kTileRows, kLeastBlockRows, kMostBlockRows);
    }
    for (std::int64_t row = 0; row < product.rows; row += atOnce)
        RowBlock(product, row, std::min(atOnce, product.rows - row)).run();
}

template <typename T>
void multiplyEach(const MatrixProduct<T>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end)
{
    if constexpr (std::is_same_v<T, BFloat16>) {
        if (hasAmx()) {
            multiplyEachWithAmx(first, batch, begin, end);
            return;
        }
    }
    for (std::int64_t i = begin; i < end; ++i)
        multiplyByVectors(productAt(first, i, batch));
}

#else

template <typename T>
bool hasMatrixProducts()
{
    return false;
}
template <typename T>
void multiplyByVectors(const MatrixProduct<T>& /*product*/)
{
}
template <typename T>
void multiplyEach(const MatrixProduct<T>& /*first*/, const ProductBatch& /*batch*/, std::int64_t /*begin*/, std::int64_t /*end*/)
{
}

#endif

template <typename T>
void multiply(const MatrixProduct<T>& product)
{
    multiplyEach(product, {}, 0, 1);
}

template bool hasMatrixProducts<float>();
template bool hasMatrixProducts<BFloat16>();
template void multiply(const MatrixProduct<float>& product);
template void multiply(const MatrixProduct<BFloat16>& product);
template void multiplyByVectors(const MatrixProduct<float>& product);
template void multiplyByVectors(const MatrixProduct<BFloat16>& product);
template void multiplyEach(const MatrixProduct<float>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end);
template void multiplyEach(const MatrixProduct<BFloat16>& first, const ProductBatch& batch, std::int64_t begin, std::int64_t end);

}  // namespace engine::cpu
