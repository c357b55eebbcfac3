#include "engine/kernels/cpu/layer_kernels.h"

#include "engine/kernels/cpu/exponential.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace engine::cpu {
namespace {

// Σ over 16 lanes at a time; the remainder of a row is padded with zeros.
template <typename Floats, typename Term>
ATELIER_INLINE float sumOver(std::int64_t count, Term term)
{
    Floats total {};
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto) ATELIER_LAMBDA_INLINE { total += term(i, get); });
    return sum(total);
}

template <typename Floats, typename T, typename S>
ATELIER_INLINE void norm(Rows rows, const T* x, PerSample<const S> shift, PerSample<const S> scale, T* out,
    float* mean, float* inverseDeviation, float epsilon, float scaleOffset)
{
    const std::int64_t width = rows.width;
    const float share = 1.0F / static_cast<float>(width);
    x += rows.begin * width;
    out += rows.begin * width;
    for (std::int64_t row = rows.begin; row < rows.end; ++row, x += width, out += width) {
        const S* const a = shift.of(row / rows.tokens);
        const S* const b = scale.of(row / rows.tokens);
        const float m = share * sumOver<Floats>(width, [&](std::int64_t i, auto get) ATELIER_LAMBDA_INLINE { return get(x + i); });
        float squares = 0;
        {
            Floats total {};
            std::int64_t i = 0;
            for (; i + kLanes <= width; i += kLanes) {
                const Floats d = load<Floats>(x + i) - m;
                total += d * d;
            }
            squares = sum(total);
            for (; i < width; ++i) {
                const float d = floatAt(x + i) - m;
                squares += d * d;
            }
        }
        const float r = 1.0F / std::sqrt(squares * share + epsilon);
        forLanes<Floats>(width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            put(out + i, (get(x + i) - m) * r * (get(b + i) + scaleOffset) + get(a + i));
        });
        mean[row] = m;
        inverseDeviation[row] = r;
    }
}

template <typename Floats, typename T, typename S>
ATELIER_INLINE void normBackward(Rows rows, const T* gradient, const T* x, PerSample<const S> scale,
    const float* mean, const float* inverseDeviation, T* dx, bool addsToDx, float scaleOffset, float* sums)
{
    const std::int64_t width = rows.width;
    const float share = 1.0F / static_cast<float>(width);
    const S* const b = scale.of(rows.begin / rows.tokens);
    float* const shiftSum = sums;
    float* const scaleSum = sums + width;
    std::fill_n(sums, 2 * width, 0.0F);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int64_t start = row * width;
        const float m = mean[row];
        const float r = inverseDeviation[row];
        Floats sumG {}, sumGX {};  // sums of the gradient by x̂, and of that times x̂
        forLanes<Floats>(width, [&](std::int64_t i, auto get, auto) ATELIER_LAMBDA_INLINE {
            const Floats hat = (get(x + start + i) - m) * r;
            const Floats weighted = get(gradient + start + i) * (get(b + i) + scaleOffset);
            sumG += weighted;
            sumGX += weighted * hat;
        });
        const float meanG = sum(sumG) * share;
        const float meanGX = sum(sumGX) * share;
        forLanes<Floats>(width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            const Floats g = get(gradient + start + i);
            const Floats hat = (get(x + start + i) - m) * r;
            put(shiftSum + i, get(shiftSum + i) + g);
            put(scaleSum + i, get(scaleSum + i) + g * hat);
            const Floats d = (g * (get(b + i) + scaleOffset) - meanG - hat * meanGX) * r;
            put(dx + start + i, addsToDx ? d + get(dx + start + i) : d);
        });
    }
}

template <typename Floats, typename T, typename S>
ATELIER_INLINE void addGated(Rows rows, const T* x, PerSample<const S> gate, const T* h, T* out)
{
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const S* const g = gate.of(row / rows.tokens);
        const std::int64_t start = row * rows.width;
        forLanes<Floats>(rows.width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            put(out + start + i, get(x + start + i) + get(g + i) * get(h + start + i));
        });
    }
}

template <typename Floats, typename T, typename S>
ATELIER_INLINE void addGatedBackward(
    Rows rows, const T* gradient, PerSample<const S> gate, const T* h, T* dh, float* sums)
{
    std::fill_n(sums, rows.width, 0.0F);
    const S* const g = gate.of(rows.begin / rows.tokens);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const std::int64_t start = row * rows.width;
        forLanes<Floats>(rows.width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            const Floats d = get(gradient + start + i);
            put(sums + i, get(sums + i) + d * get(h + start + i));
            put(dh + start + i, d * get(g + i));
        });
    }
}

/// 1 / (1 + e^-x), in T's precision
template <typename T, typename Floats>
ATELIER_INLINE Floats sigmoid(const Floats& x)
{
    if constexpr (std::is_same_v<T, float>)
        return 1.0F / (1.0F + exponential(clamped<T>(-x, -87, 89)));
    return roughReciprocal(1.0F + roughPowerOfTwo(clamped<T>(x * -kLog2E, -120, 120)));
}

constexpr float kGeluSlope = 2 * 0.7978845608F;  // tanh(u) = 2 sigmoid(2 u) - 1
constexpr float kGeluCube = 0.044715F;

/// gelu(x) = x · sigmoid(slope (x + cube x³))
template <typename T, typename Floats>
ATELIER_INLINE Floats geluGate(const Floats& x)
{
    return sigmoid<T>(x * (x * x * (kGeluCube * kGeluSlope) + kGeluSlope));
}

template <typename Floats, typename T>
ATELIER_INLINE void applyGelu(const T* x, T* out, std::int64_t count)
{
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        const Floats value = get(x + i);
        put(out + i, value * geluGate<T>(value));
    });
}

template <typename Floats, typename T>
ATELIER_INLINE void applyGeluAndDerivative(T* x, T* out, std::int64_t count)
{
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        const Floats value = get(x + i);
        const Floats s = geluGate<T>(value), y = value * s;
        const Floats slope = value * value * (3 * kGeluCube * kGeluSlope) + kGeluSlope;
        put(out + i, y);
        put(x + i, s + (y - y * s) * slope);
    });
}

template <typename Floats, typename T>
ATELIER_INLINE void multiplyBy(T* values, const T* factors, std::int64_t count)
{
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE { put(values + i, get(values + i) * get(factors + i)); });
}

template <typename Floats, typename T>
ATELIER_INLINE void applySilu(const T* x, T* out, std::int64_t count)
{
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        const Floats value = get(x + i);
        put(out + i, value * sigmoid<T>(value));
    });
}

template <typename Floats, typename T>
ATELIER_INLINE void applySiluBackward(const T* gradient, const T* x, T* dx, bool adds, std::int64_t count)
{
    forLanes<Floats>(count, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        const Floats value = get(x + i);
        const Floats s = sigmoid<T>(value);
        const Floats d = get(gradient + i) * (s + value * s * (1.0F - s));
        put(dx + i, adds ? d + get(dx + i) : d);
    });
}

template <typename Floats, typename T>
ATELIER_INLINE void sumColumns(Rows rows, const T* x, float* sums)
{
    std::fill_n(sums, rows.width, 0.0F);
    for (std::int64_t row = rows.begin; row < rows.end; ++row) {
        const T* const from = x + row * rows.width;
        forLanes<Floats>(rows.width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            put(sums + i, get(sums + i) + get(from + i));
        });
    }
}

template <typename Floats, typename T>
ATELIER_INLINE void sumPieces(
    const float* sums, std::int64_t pieces, std::int64_t stride, T* out, std::int64_t width, bool adds)
{
    forLanes<Floats>(width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
        Floats total = get(sums + i);
        for (std::int64_t piece = 1; piece < pieces; ++piece)
            total += get(sums + piece * stride + i);
        put(out + i, adds ? get(out + i) + total : total);
    });
}

constexpr std::int64_t kKeptExponentials = 4096;

/// @param score score(i, get) returns the row's scores from index i on: as many as get loads
template <typename Floats, typename T, typename Score>
ATELIER_INLINE void softmaxRow(T* x, std::int64_t width, Score score)
{
    const std::int64_t whole = width / kLanes * kLanes, rest = width - whole;
    const auto all = [](const auto* from) ATELIER_LAMBDA_INLINE { return load<Floats>(from); };
    const auto some = [rest](const auto* from) ATELIER_LAMBDA_INLINE { return loadPart<Floats>(from, rest); };
    Floats most = spread<Floats>(-__builtin_inff());
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        const Floats value = score(i, all);
        most = select(value > most, value, most);
    }
    float highest = folded(most, [](const auto& a, const auto& b) ATELIER_LAMBDA_INLINE { return select(a > b, a, b); });
    if (rest > 0) {
        const auto value = toArray(score(whole, some));
        for (std::int64_t lane = 0; lane < rest; ++lane)
            highest = std::max(highest, value[lane]);
    }

    // Exponentials are the most expensive part: rows of usual lengths keep them, so that each is computed once.
    alignas(sizeof(Floats)) float kept[kKeptExponentials];
    const bool keeps = width <= kKeptExponentials;
    Floats totals {};
    for (std::int64_t i = 0; i < whole; i += kLanes) {
        const Floats value = exponentialUpToOne<T>(score(i, all) - highest);
        totals += value;
        if (keeps)
            store(kept + i, value);
    }
    float total = sum(totals);
    if (rest > 0) {
        const Floats value = exponentialUpToOne<T>(score(whole, some) - highest);
        const auto lanes = toArray(value);
        for (std::int64_t lane = 0; lane < rest; ++lane)
            total += lanes[lane];
        if (keeps)
            storePart(kept + whole, value, rest);
    }
    const float scale = 1.0F / total;
    if (keeps) {
        forLanes<Floats>(width, [&](std::int64_t j, auto get, auto put) ATELIER_LAMBDA_INLINE { put(x + j, get(kept + j) * scale); });
    } else {
        forLanes<Floats>(width, [&](std::int64_t j, auto get, auto put) ATELIER_LAMBDA_INLINE {
            put(x + j, exponentialUpToOne<T>(score(j, get) - highest) * scale);
        });
    }
}

template <typename Floats, typename T>
ATELIER_INLINE void applySoftmax(Rows rows, T* x, const float* bias, float scale)
{
    x += rows.begin * rows.width;
    for (std::int64_t row = rows.begin; row < rows.end; ++row, x += rows.width) {
        if (bias) {
            const float* const own = bias + row / rows.tokens * rows.width;
            softmaxRow<Floats>(x, rows.width,
                [&](std::int64_t i, auto get) ATELIER_LAMBDA_INLINE { return get(x + i) * scale + get(own + i); });
        } else {
            softmaxRow<Floats>(x, rows.width, [&](std::int64_t i, auto get) ATELIER_LAMBDA_INLINE { return get(x + i) * scale; });
        }
    }
}

template <typename Floats, typename T>
ATELIER_INLINE void applySoftmaxBackward(const T* p, T* d, std::int64_t rows, std::int64_t width, float scale)
{
    for (std::int64_t row = 0; row < rows; ++row, p += width, d += width) {
        const float mean = sumOver<Floats>(width, [&](std::int64_t i, auto get) ATELIER_LAMBDA_INLINE { return get(p + i) * get(d + i); });
        forLanes<Floats>(width, [&](std::int64_t i, auto get, auto put) ATELIER_LAMBDA_INLINE {
            put(d + i, get(p + i) * scale * (get(d + i) - mean));
        });
    }
}

}  // namespace

#define ATELIER_RUN(T, ...)                                                        \
    forProcessor<T>([=]<typename Floats>(LanesTag<Floats>) ATELIER_LAMBDA_INLINE { \
        __VA_ARGS__;                                                               \
    })

#define ATELIER_DEFINE_MODULATIONS(T, S)                                                                                         \
    void modulatedNorm(Rows rows, const T* x, PerSample<const S> shift, PerSample<const S> scale, T* out, float* mean,           \
        float* inverseDeviation, float epsilon, float scaleOffset)                                                               \
    {                                                                                                                            \
        ATELIER_RUN(T, norm<Floats>(rows, x, shift, scale, out, mean, inverseDeviation, epsilon, scaleOffset));                  \
    }                                                                                                                            \
    void modulatedNormBackward(Rows rows, const T* gradient, const T* x, PerSample<const S> scale, const float* mean,            \
        const float* inverseDeviation, T* dx, bool addsToDx, float scaleOffset, float* sums)                                     \
    {                                                                                                                            \
        ATELIER_RUN(T, normBackward<Floats>(rows, gradient, x, scale, mean, inverseDeviation, dx, addsToDx, scaleOffset, sums)); \
    }                                                                                                                            \
    void gatedAdd(Rows rows, const T* x, PerSample<const S> gate, const T* h, T* out)                                            \
    {                                                                                                                            \
        ATELIER_RUN(T, addGated<Floats>(rows, x, gate, h, out));                                                                 \
    }                                                                                                                            \
    void gatedAddBackward(Rows rows, const T* gradient, PerSample<const S> gate, const T* h, T* dh, float* sums)                 \
    {                                                                                                                            \
        ATELIER_RUN(T, addGatedBackward<Floats>(rows, gradient, gate, h, dh, sums));                                             \
    }

ATELIER_DEFINE_MODULATIONS(float, float)
ATELIER_DEFINE_MODULATIONS(BFloat16, BFloat16)
ATELIER_DEFINE_MODULATIONS(BFloat16, float)
#if defined(__x86_64__)
ATELIER_DEFINE_MODULATIONS(NativeBFloat16, NativeBFloat16)
ATELIER_DEFINE_MODULATIONS(NativeBFloat16, float)
#endif

#define ATELIER_DEFINE_KERNELS(T)                                                                              \
    void gelu(const T* x, T* out, std::int64_t count) { ATELIER_RUN(T, applyGelu<Floats>(x, out, count)); }    \
    void geluAndDerivative(T* x, T* out, std::int64_t count)                                                   \
    {                                                                                                          \
        ATELIER_RUN(T, applyGeluAndDerivative<Floats>(x, out, count));                                         \
    }                                                                                                          \
    void multiplyElements(T* values, const T* factors, std::int64_t count)                                     \
    {                                                                                                          \
        ATELIER_RUN(T, multiplyBy<Floats>(values, factors, count));                                            \
    }                                                                                                          \
    void silu(const T* x, T* out, std::int64_t count) { ATELIER_RUN(T, applySilu<Floats>(x, out, count)); }    \
    void siluBackward(const T* gradient, const T* x, T* dx, bool adds, std::int64_t count)                     \
    {                                                                                                          \
        ATELIER_RUN(T, applySiluBackward<Floats>(gradient, x, dx, adds, count));                               \
    }                                                                                                          \
    void columnSums(Rows rows, const T* x, float* sums) { ATELIER_RUN(T, sumColumns<Floats>(rows, x, sums)); } \
    void addPieces(                                                                                            \
        const float* sums, std::int64_t pieces, std::int64_t stride, T* out, std::int64_t width, bool adds)    \
    {                                                                                                          \
        ATELIER_RUN(T, sumPieces<Floats>(sums, pieces, stride, out, width, adds));                             \
    }                                                                                                          \
    void softmax(Rows rows, T* x, const float* bias, float scale)                                              \
    {                                                                                                          \
        ATELIER_RUN(T, applySoftmax<Floats>(rows, x, bias, scale));                                            \
    }                                                                                                          \
    void softmaxBackward(const T* p, T* d, std::int64_t rows, std::int64_t width, float scale)                 \
    {                                                                                                          \
        ATELIER_RUN(T, applySoftmaxBackward<Floats>(p, d, rows, width, scale));                                \
    }

ATELIER_DEFINE_KERNELS(float)
ATELIER_DEFINE_KERNELS(BFloat16)
#if defined(__x86_64__)
ATELIER_DEFINE_KERNELS(NativeBFloat16)
#endif

}  // namespace engine::cpu
