// Layers on rows of `width` elements; `tokens` rows belong to a sample. T: float or BFloat16; S: of shift, scale and gate, T or float.
// N elements a thread: 16 bytes, or 1 where widths or addresses do not allow that.

/// One block a row. See engine::modulatedNorm().
template <typename T, typename S, int N>
__device__ void modulatedNorm(const T* x, PerSample<const S> shift, PerSample<const S> scale, T* out, float* means, float* inverses,
    int tokens, int width, float epsilon, float scaleOffset)
{
    __shared__ float slots[2 * kMostWarps];
    const Index row = blockIdx.x;
    const int sample = static_cast<int>(row / tokens), begin = threadIdx.x * N, step = blockDim.x * N;
    const T* const from = x + row * width;
    float values[N], sum = 0, squares = 0;
    for (int column = begin; column < width; column += step) {
        loadValues<N>(from + column, values);
        for (int i = 0; i < N; ++i)
            sum += values[i];
    }
    const float mean = blockSum(sum, slots) / static_cast<float>(width);
    for (int column = begin; column < width; column += step) {
        loadValues<N>(from + column, values);
        for (int i = 0; i < N; ++i)
            squares += (values[i] - mean) * (values[i] - mean);
    }
    const float inverse = 1 / sqrtf(blockSum(squares, slots) / static_cast<float>(width) + epsilon);
    const S* const shifts = shift.of(sample);
    const S* const scales = scale.of(sample);
    for (int column = begin; column < width; column += step) {
        float added[N], factors[N];
        loadValues<N>(from + column, values);
        loadValues<N>(shifts + column, added);
        loadValues<N>(scales + column, factors);
        for (int i = 0; i < N; ++i)
            values[i] = (values[i] - mean) * inverse * (factors[i] + scaleOffset) + added[i];
        storeValues<N>(out + row * width + column, values);
    }
    if (threadIdx.x == 0) {
        means[row] = mean;
        inverses[row] = inverse;
    }
}

/// One block for some rows of a sample (blockIdx.x of gridDim.x pieces, blockIdx.y the sample); a thread has N columns of all of them.
/// @param sums [samples, pieces, 2, width]: of the gradients of shift and scale
template <typename T, typename S, int N>
__device__ void modulatedNormBackward(const T* gradient, const T* x, PerSample<const S> scale, const float* means, const float* inverses,
    T* dx, int addsToDx, float* sums, int tokens, int width, float scaleOffset)
{
    __shared__ float slots[2 * kMostWarps];
    const int column = threadIdx.x * N, share = (tokens + gridDim.x - 1) / gridDim.x;
    const int begin = min(static_cast<int>(blockIdx.x) * share, tokens), end = min(begin + share, tokens);
    const bool isInside = column < width;
    float factors[N], dShift[N], dScale[N];
    for (int i = 0; i < N; ++i)
        factors[i] = dShift[i] = dScale[i] = 0;
    if (isInside) {
        loadValues<N>(scale.of(blockIdx.y) + column, factors);
        for (int i = 0; i < N; ++i)
            factors[i] += scaleOffset;
    }
    for (int token = begin; token < end; ++token) {
        const Index row = static_cast<Index>(blockIdx.y) * tokens + token, at = row * width + column;
        const float mean = means[row], inverse = inverses[row];
        float d[N], hat[N], sum = 0, product = 0;
        for (int i = 0; i < N; ++i)
            d[i] = hat[i] = 0;
        if (isInside) {
            loadValues<N>(gradient + at, d);
            loadValues<N>(x + at, hat);
            for (int i = 0; i < N; ++i) {
                hat[i] = (hat[i] - mean) * inverse;
                dShift[i] += d[i];
                dScale[i] += d[i] * hat[i];
                d[i] *= factors[i];
                sum += d[i];
                product += d[i] * hat[i];
            }
        }
        blockSums(sum, product, slots);
        if (!isInside)
            continue;
        const float meanOfSum = sum / static_cast<float>(width), meanOfProduct = product / static_cast<float>(width);
        for (int i = 0; i < N; ++i)
            d[i] = (d[i] - meanOfSum - hat[i] * meanOfProduct) * inverse;
        storeOrAddValues<N>(dx + at, d, addsToDx);
    }
    if (!isInside)
        return;
    float* const to = sums + (static_cast<Index>(blockIdx.y) * gridDim.x + blockIdx.x) * 2 * width + column;
    storeValues<N>(to, dShift);
    storeValues<N>(to + width, dScale);
}

/// x + gate h; a thread for N elements.
template <typename T, typename S, int N>
__device__ void gatedAdd(const T* x, PerSample<const S> gate, const T* h, T* out, Index perSample, int width, Index count)
{
    const Index at = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * N;
    if (at >= count)
        return;
    float values[N], added[N], factors[N];
    loadValues<N>(x + at, values);
    loadValues<N>(h + at, added);
    loadValues<N>(gate.of(static_cast<int>(at / perSample)) + at % width, factors);
    for (int i = 0; i < N; ++i)
        values[i] += factors[i] * added[i];
    storeValues<N>(out + at, values);
}

/// Pieces as in modulatedNormBackward(); blockIdx.z for the columns. @param sums [samples, pieces, width]: of the gradient of the gate
template <typename T, typename S, int N>
__device__ void gatedAddBackward(const T* gradient, PerSample<const S> gate, const T* h, T* dh, float* sums, int tokens, int width)
{
    const int column = (blockIdx.z * blockDim.x + threadIdx.x) * N, share = (tokens + gridDim.x - 1) / gridDim.x;
    const int begin = min(static_cast<int>(blockIdx.x) * share, tokens), end = min(begin + share, tokens);
    if (column >= width)
        return;
    float factors[N], dGate[N];
    loadValues<N>(gate.of(blockIdx.y) + column, factors);
    for (int i = 0; i < N; ++i)
        dGate[i] = 0;
    for (int token = begin; token < end; ++token) {
        const Index at = (static_cast<Index>(blockIdx.y) * tokens + token) * width + column;
        float d[N], values[N];
        loadValues<N>(gradient + at, d);
        loadValues<N>(h + at, values);
        for (int i = 0; i < N; ++i) {
            dGate[i] += d[i] * values[i];
            d[i] *= factors[i];
        }
        storeValues<N>(dh + at, d);
    }
    storeValues<N>(sums + (static_cast<Index>(blockIdx.y) * gridDim.x + blockIdx.x) * width + column, dGate);
}

/// @param sums [pieces, width]
template <typename T, int N>
__device__ void columnSums(const T* x, float* sums, int rows, int width)
{
    const int column = (blockIdx.z * blockDim.x + threadIdx.x) * N, share = (rows + gridDim.x - 1) / gridDim.x;
    const int begin = min(static_cast<int>(blockIdx.x) * share, rows), end = min(begin + share, rows);
    if (column >= width)
        return;
    float sum[N];
    for (int i = 0; i < N; ++i)
        sum[i] = 0;
    for (int row = begin; row < end; ++row) {
        float values[N];
        loadValues<N>(x + static_cast<Index>(row) * width + column, values);
        for (int i = 0; i < N; ++i)
            sum[i] += values[i];
    }
    storeValues<N>(sums + static_cast<Index>(blockIdx.x) * width + column, sum);
}

/// Adds up what pieces have left, always in the same order: to[s, c] (+)= Σ over p of sums[s, p, c], s = blockIdx.y. Blocks of kWarp columns
/// and kPieceLanes rows, each of which has every kPieceLanes-th piece.
constexpr int kPieceLanes = 32;

template <typename S>
__device__ void addPieces(const float* sums, PerSample<S> to, int pieces, Index pieceStride, Index sampleStride, int width, int adds)
{
    __shared__ float slots[kPieceLanes * kWarp];
    const int column = blockIdx.x * kWarp + threadIdx.x;
    const float* const from = sums + blockIdx.y * sampleStride + column;
    float sum = 0;
    if (column < width) {
        for (int piece = threadIdx.y; piece < pieces; piece += kPieceLanes)
            sum += from[piece * pieceStride];
    }
    slots[threadIdx.y * kWarp + threadIdx.x] = sum;
    __syncthreads();
    if (threadIdx.y > 0 || column >= width)
        return;
    for (int lane = 1; lane < kPieceLanes; ++lane)
        sum += slots[lane * kWarp + threadIdx.x];
    S& result = to.of(blockIdx.y)[column];
    assign(result, adds ? sum + valueOf(result) : sum);
}

constexpr float kGeluFactor = 0.7978845608028654f, kGeluCube = 0.044715f;  // √(2/π)

__device__ inline float tanhOf(float x) { return 1 - 2 / (1 + __expf(2 * x)); }
__device__ inline float sigmoidOf(float x) { return 1 / (1 + __expf(-x)); }
__device__ inline float geluTanh(float x) { return tanhOf(kGeluFactor * (x + kGeluCube * x * x * x)); }

struct Gelu {
    __device__ float operator()(float x) const { return 0.5f * x * (1 + geluTanh(x)); }
};

struct Silu {
    __device__ float operator()(float x) const { return x * sigmoidOf(x); }
};

template <typename T, int N, typename Function>
__device__ void eachElement(const T* x, T* out, Index count, Function function)
{
    const Index at = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * N;
    if (at >= count)
        return;
    float values[N];
    loadValues<N>(x + at, values);
    for (int i = 0; i < N; ++i)
        values[i] = function(values[i]);
    storeValues<N>(out + at, values);
}

/// @param gradient becomes that of x
template <typename T, int N>
__device__ void geluBackward(T* gradient, const T* x, Index count)
{
    const Index at = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * N;
    if (at >= count)
        return;
    float d[N], values[N];
    loadValues<N>(gradient + at, d);
    loadValues<N>(x + at, values);
    for (int i = 0; i < N; ++i) {
        const float v = values[i], t = geluTanh(v), slope = 1 - t * t;
        float derivative = 0.5f * (1 + t);
        if (slope != 0)  // the product is 0 · ∞ far from 0
            derivative += 0.5f * v * slope * kGeluFactor * (1 + 3 * kGeluCube * v * v);
        d[i] *= derivative;
    }
    storeValues<N>(gradient + at, d);
}

template <typename T, int N>
__device__ void siluBackward(const T* gradient, const T* x, T* dx, int addsToDx, Index count)
{
    const Index at = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * N;
    if (at >= count)
        return;
    float d[N], values[N];
    loadValues<N>(gradient + at, d);
    loadValues<N>(x + at, values);
    for (int i = 0; i < N; ++i) {
        const float s = sigmoidOf(values[i]);
        d[i] *= s * (1 + values[i] * (1 - s));
    }
    storeOrAddValues<N>(dx + at, d, addsToDx);
}

// The kernels by name: of types T and S, N elements a thread.
#define MODULATED_KERNELS(T, S, N, NAME) \
    extern "C" __global__ void modulatedNorm_##NAME(const T* x, PerSample<const S> shift, PerSample<const S> scale, T* out, float* means, \
        float* inverses, int tokens, int width, float epsilon, float scaleOffset) \
    { \
        modulatedNorm<T, S, N>(x, shift, scale, out, means, inverses, tokens, width, epsilon, scaleOffset); \
    } \
    extern "C" __global__ void modulatedNormBackward_##NAME(const T* gradient, const T* x, PerSample<const S> scale, const float* means, \
        const float* inverses, T* dx, int addsToDx, float* sums, int tokens, int width, float scaleOffset) \
    { \
        modulatedNormBackward<T, S, N>(gradient, x, scale, means, inverses, dx, addsToDx, sums, tokens, width, scaleOffset); \
    } \
    extern "C" __global__ void gatedAdd_##NAME( \
        const T* x, PerSample<const S> gate, const T* h, T* out, Index perSample, int width, Index count) \
    { \
        gatedAdd<T, S, N>(x, gate, h, out, perSample, width, count); \
    } \
    extern "C" __global__ void gatedAddBackward_##NAME( \
        const T* gradient, PerSample<const S> gate, const T* h, T* dh, float* sums, int tokens, int width) \
    { \
        gatedAddBackward<T, S, N>(gradient, gate, h, dh, sums, tokens, width); \
    }
#define ELEMENT_KERNELS(T, N, NAME) \
    extern "C" __global__ void columnSums_##NAME(const T* x, float* sums, int rows, int width) { columnSums<T, N>(x, sums, rows, width); } \
    extern "C" __global__ void gelu_##NAME(const T* x, T* out, Index count) { eachElement<T, N>(x, out, count, Gelu()); } \
    extern "C" __global__ void silu_##NAME(const T* x, T* out, Index count) { eachElement<T, N>(x, out, count, Silu()); } \
    extern "C" __global__ void geluBackward_##NAME(T* gradient, const T* x, Index count) { geluBackward<T, N>(gradient, x, count); } \
    extern "C" __global__ void siluBackward_##NAME(const T* gradient, const T* x, T* dx, int addsToDx, Index count) \
    { \
        siluBackward<T, N>(gradient, x, dx, addsToDx, count); \
    }
#define SUM_KERNEL(S, NAME) \
    extern "C" __global__ void addPieces_##NAME( \
        const float* sums, PerSample<S> to, int pieces, Index pieceStride, Index sampleStride, int width, int adds) \
    { \
        addPieces<S>(sums, to, pieces, pieceStride, sampleStride, width, adds); \
    }

MODULATED_KERNELS(float, float, 4, f32_f32_4)
MODULATED_KERNELS(float, float, 1, f32_f32_1)
MODULATED_KERNELS(BFloat16, BFloat16, 8, bf16_bf16_8)
MODULATED_KERNELS(BFloat16, BFloat16, 1, bf16_bf16_1)
MODULATED_KERNELS(BFloat16, float, 8, bf16_f32_8)
MODULATED_KERNELS(BFloat16, float, 1, bf16_f32_1)
ELEMENT_KERNELS(float, 4, f32_4)
ELEMENT_KERNELS(float, 1, f32_1)
ELEMENT_KERNELS(BFloat16, 8, bf16_8)
ELEMENT_KERNELS(BFloat16, 1, bf16_1)
SUM_KERNEL(float, f32)
SUM_KERNEL(BFloat16, bf16)
