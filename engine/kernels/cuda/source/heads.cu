// Rows of projections as heads of attention, and back; see engine::splitHeads(). x is [rows, heads, size]; elements 2 i and 2 i + 1 rotate together.
//
// Two forms. Where size / N is a power of two of at most a warp, with N elements in 16 bytes, that many threads, a group, have a head, with a vector
// each. Else a block has a row at a time and each of its warps some of the heads, a thread pairs of elements; `size` is even and at most kWidestHead.
constexpr int kHeadWarps = 4, kHeadThreads = kHeadWarps * kWarp, kPairs = 4, kWidestHead = 2 * kWarp * kPairs;

template <typename T>
struct SplitHeads {
    T* first;
    Index sample, head, token;  ///< strides

    __device__ T* of(int s, int h, int t) const { return first + s * sample + h * head + t * token; }
};

/// What the threads of a warp hold of a row's rotation and of the norm's weight.
struct HeadTransform {
    float cosines[2 * kPairs], sines[2 * kPairs], weights[2 * kPairs];
};

template <typename T>
__device__ void loadTransform(HeadTransform& form, const T* weight, const float* cosines, const float* sines, int token, int size)
{
    for (int k = 0; k < kPairs; ++k) {
        const int at = 2 * (threadIdx.x % kWarp + k * kWarp);
        for (int i = 0; i < 2; ++i) {
            const bool isInside = at < size;
            form.cosines[2 * k + i] = isInside && cosines ? cosines[static_cast<Index>(token) * size + at + i] : 1;
            form.sines[2 * k + i] = isInside && sines ? sines[static_cast<Index>(token) * size + at + i] : 0;
            form.weights[2 * k + i] = isInside && weight ? valueOf(weight[at + i]) : 1;
        }
    }
}

template <typename T>
__device__ void loadHead(const T* from, float (&values)[2 * kPairs], int size)
{
    for (int k = 0; k < kPairs; ++k) {
        const int at = 2 * (threadIdx.x % kWarp + k * kWarp);
        float pair[2] = {0, 0};
        if (at < size)
            loadValues<2>(from + at, pair);
        values[2 * k] = pair[0];
        values[2 * k + 1] = pair[1];
    }
}

template <typename T>
__device__ void storeHead(T* to, const float (&values)[2 * kPairs], int size)
{
    for (int k = 0; k < kPairs; ++k) {
        const int at = 2 * (threadIdx.x % kWarp + k * kWarp);
        if (at >= size)
            continue;
        const float pair[2] = {values[2 * k], values[2 * k + 1]};
        storeValues<2>(to + at, pair);
    }
}

/// 1 / √(mean x² + ε) of a warp's head.
__device__ inline float inverseNorm(const float (&values)[2 * kPairs], int size, float epsilon)
{
    float squares = 0;
    for (float value : values)
        squares += value * value;
    return 1 / sqrtf(warpSum(squares) / static_cast<float>(size) + epsilon);
}

template <typename T>
__device__ void splitHeads(const T* x, Index rowStride, SplitHeads<T> out, const T* weight, const float* cosines, const float* sines, int tokens,
    int heads, int size, float scale, float epsilon)
{
    const int row = blockIdx.x, sample = row / tokens, token = row % tokens;
    HeadTransform form;
    loadTransform(form, weight, cosines, sines, token, size);
    for (int head = threadIdx.x / kWarp; head < heads; head += kHeadWarps) {
        float values[2 * kPairs];
        loadHead(x + row * rowStride + static_cast<Index>(head) * size, values, size);
        const float inverse = weight ? inverseNorm(values, size, epsilon) : 1;
        for (int k = 0; k < kPairs; ++k) {
            const float even = values[2 * k] * inverse * form.weights[2 * k], odd = values[2 * k + 1] * inverse * form.weights[2 * k + 1];
            values[2 * k] = (even * form.cosines[2 * k] + odd * form.sines[2 * k]) * scale;
            values[2 * k + 1] = (odd * form.cosines[2 * k + 1] + even * form.sines[2 * k + 1]) * scale;
        }
        storeHead(out.of(sample, head, token), values, size);
    }
}

/// Every gridDim.x-th row. @param sums [gridDim.x, size]: of the gradient of the weight; only with a weight
template <typename T>
__device__ void splitHeadsBackward(SplitHeads<const T> gradient, const T* x, Index xStride, T* dx, Index dxStride, int addsToDx, const T* weight,
    const float* cosines, const float* sines, float* sums, int rows, int tokens, int heads, int size, float scale, float epsilon)
{
    __shared__ float slots[kHeadWarps * kWidestHead];
    float dWeight[2 * kPairs];
    for (float& value : dWeight)
        value = 0;
    for (int row = blockIdx.x; row < rows; row += gridDim.x) {
        const int sample = row / tokens, token = row % tokens;
        HeadTransform form;
        loadTransform(form, weight, cosines, sines, token, size);
        for (int head = threadIdx.x / kWarp; head < heads; head += kHeadWarps) {
            float d[2 * kPairs];
            loadHead(gradient.of(sample, head, token), d, size);
            for (int k = 0; k < kPairs; ++k) {
                const float even = d[2 * k] * scale, odd = d[2 * k + 1] * scale;
                d[2 * k] = even * form.cosines[2 * k] - odd * form.sines[2 * k];
                d[2 * k + 1] = odd * form.cosines[2 * k + 1] - even * form.sines[2 * k + 1];
            }
            const Index at = static_cast<Index>(head) * size;
            if (weight) {
                float hat[2 * kPairs], product = 0;
                loadHead(x + row * xStride + at, hat, size);
                const float inverse = inverseNorm(hat, size, epsilon);
                for (int i = 0; i < 2 * kPairs; ++i) {
                    hat[i] *= inverse;
                    dWeight[i] += d[i] * hat[i];
                    d[i] *= form.weights[i];
                    product += d[i] * hat[i];
                }
                const float mean = warpSum(product) / static_cast<float>(size);
                for (int i = 0; i < 2 * kPairs; ++i)
                    d[i] = (d[i] - hat[i] * mean) * inverse;
            }
            T* const to = dx + row * dxStride + at;
            if (addsToDx) {
                float before[2 * kPairs];
                loadHead(to, before, size);
                for (int i = 0; i < 2 * kPairs; ++i)
                    d[i] += before[i];
            }
            storeHead(to, d, size);
        }
    }
    if (!weight)
        return;
    const int warp = threadIdx.x / kWarp;
    storeHead(slots + warp * kWidestHead, dWeight, size);
    __syncthreads();
    for (int column = threadIdx.x; column < size; column += kHeadWarps * kWarp) {
        float sum = 0;
        for (int i = 0; i < kHeadWarps; ++i)
            sum += slots[i * kWidestHead + column];
        sums[static_cast<Index>(blockIdx.x) * size + column] = sum;
    }
}

/// The sum over a group of @p threads, a power of two, in each of them.
__device__ inline float groupSum(float value, int threads)
{
    for (int distance = threads / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

template <typename T, int N>
__device__ inline void loadRotation(const T* weight, const float* cosines, const float* sines, int token, int column, int size, float (&c)[N],
    float (&s)[N], float (&w)[N])
{
    for (int i = 0; i < N; ++i) {
        c[i] = w[i] = 1;
        s[i] = 0;
    }
    if (cosines) {
        loadValues<N>(cosines + static_cast<Index>(token) * size + column, c);
        loadValues<N>(sines + static_cast<Index>(token) * size + column, s);
    }
    if (weight)
        loadValues<N>(weight + column, w);
}

/// A group for each head of each row.
template <typename T, int N>
__device__ void splitHeadsByGroup(const T* x, Index rowStride, SplitHeads<T> out, const T* weight, const float* cosines, const float* sines, int rows,
    int tokens, int heads, int size, float scale, float epsilon)
{
    const int threads = size / N, column = threadIdx.x % threads * N;
    const Index item = static_cast<Index>(blockIdx.x) * (kHeadThreads / threads) + threadIdx.x / threads;
    const bool isInside = item < static_cast<Index>(rows) * heads;
    const int row = isInside ? static_cast<int>(item / heads) : 0, head = isInside ? static_cast<int>(item % heads) : 0;
    const int sample = row / tokens, token = row % tokens;
    float values[N], c[N], s[N], w[N], squares = 0;
    loadValues<N>(x + row * rowStride + static_cast<Index>(head) * size + column, values);
    loadRotation<T, N>(weight, cosines, sines, token, column, size, c, s, w);
    for (int i = 0; i < N; ++i)
        squares += values[i] * values[i];
    const float inverse = weight ? 1 / sqrtf(groupSum(squares, threads) / static_cast<float>(size) + epsilon) : 1;
    for (int i = 0; i < N; i += 2) {
        const float even = values[i] * inverse * w[i], odd = values[i + 1] * inverse * w[i + 1];
        values[i] = (even * c[i] + odd * s[i]) * scale;
        values[i + 1] = (odd * c[i + 1] + even * s[i + 1]) * scale;
    }
    if (isInside)
        storeValues<N>(out.of(sample, head, token) + column, values);
}

/// A group for every so many-th head. @param sums [gridDim.x, size]: of the gradient of the weight; only with a weight
template <typename T, int N>
__device__ void splitHeadsBackwardByGroup(SplitHeads<const T> gradient, const T* x, Index xStride, T* dx, Index dxStride, int addsToDx, const T* weight,
    const float* cosines, const float* sines, float* sums, int rows, int tokens, int heads, int size, float scale, float epsilon)
{
    __shared__ float slots[kHeadThreads * N];
    const int threads = size / N, column = threadIdx.x % threads * N, groups = kHeadThreads / threads;
    const Index count = static_cast<Index>(rows) * heads, first = static_cast<Index>(blockIdx.x) * groups;
    float dWeight[N];
    for (int i = 0; i < N; ++i)
        dWeight[i] = 0;
    for (Index begin = first; begin < count; begin += static_cast<Index>(gridDim.x) * groups) {  // the same for all threads of a block
        const Index item = begin + threadIdx.x / threads;
        const bool isInside = item < count;
        const int row = isInside ? static_cast<int>(item / heads) : 0, head = isInside ? static_cast<int>(item % heads) : 0;
        const int sample = row / tokens, token = row % tokens;
        const Index at = static_cast<Index>(head) * size + column;
        float d[N], c[N], s[N], w[N];
        loadValues<N>(gradient.of(sample, head, token) + column, d);
        loadRotation<T, N>(weight, cosines, sines, token, column, size, c, s, w);
        for (int i = 0; i < N; i += 2) {
            const float even = d[i] * scale, odd = d[i + 1] * scale;
            d[i] = even * c[i] - odd * s[i];
            d[i + 1] = odd * c[i + 1] - even * s[i + 1];
        }
        if (weight) {
            float hat[N], squares = 0, product = 0;
            loadValues<N>(x + row * xStride + at, hat);
            for (int i = 0; i < N; ++i)
                squares += hat[i] * hat[i];
            const float inverse = 1 / sqrtf(groupSum(squares, threads) / static_cast<float>(size) + epsilon);
            for (int i = 0; i < N; ++i) {
                hat[i] *= inverse;
                dWeight[i] += isInside ? d[i] * hat[i] : 0;
                d[i] *= w[i];
                product += d[i] * hat[i];
            }
            const float mean = groupSum(product, threads) / static_cast<float>(size);
            for (int i = 0; i < N; ++i)
                d[i] = (d[i] - hat[i] * mean) * inverse;
        }
        if (!isInside)
            continue;
        storeOrAddValues<N>(dx + row * dxStride + at, d, addsToDx);
    }
    if (!weight)
        return;
    storeValues<N>(slots + threadIdx.x * N, dWeight);
    __syncthreads();
    for (int at = threadIdx.x; at < size; at += kHeadThreads) {
        float sum = 0;
        for (int group = 0; group < groups; ++group)
            sum += slots[group * size + at];
        sums[static_cast<Index>(blockIdx.x) * size + at] = sum;
    }
}

#define HEAD_KERNELS(T, NAME) \
    extern "C" __global__ void splitHeads_##NAME(const T* x, Index rowStride, SplitHeads<T> out, const T* weight, const float* cosines, \
        const float* sines, int, int tokens, int heads, int size, float scale, float epsilon) \
    { \
        splitHeads<T>(x, rowStride, out, weight, cosines, sines, tokens, heads, size, scale, epsilon); \
    } \
    extern "C" __global__ void splitHeadsBackward_##NAME(SplitHeads<const T> gradient, const T* x, Index xStride, T* dx, Index dxStride, \
        int addsToDx, const T* weight, const float* cosines, const float* sines, float* sums, int rows, int tokens, int heads, int size, \
        float scale, float epsilon) \
    { \
        splitHeadsBackward<T>(gradient, x, xStride, dx, dxStride, addsToDx, weight, cosines, sines, sums, rows, tokens, heads, size, scale, epsilon); \
    }
#define GROUP_KERNELS(T, N, NAME) \
    extern "C" __global__ void splitHeads_##NAME(const T* x, Index rowStride, SplitHeads<T> out, const T* weight, const float* cosines, \
        const float* sines, int rows, int tokens, int heads, int size, float scale, float epsilon) \
    { \
        splitHeadsByGroup<T, N>(x, rowStride, out, weight, cosines, sines, rows, tokens, heads, size, scale, epsilon); \
    } \
    extern "C" __global__ void splitHeadsBackward_##NAME(SplitHeads<const T> gradient, const T* x, Index xStride, T* dx, Index dxStride, \
        int addsToDx, const T* weight, const float* cosines, const float* sines, float* sums, int rows, int tokens, int heads, int size, \
        float scale, float epsilon) \
    { \
        splitHeadsBackwardByGroup<T, N>( \
            gradient, x, xStride, dx, dxStride, addsToDx, weight, cosines, sines, sums, rows, tokens, heads, size, scale, epsilon); \
    }

HEAD_KERNELS(float, f32_2)
HEAD_KERNELS(BFloat16, bf16_2)
GROUP_KERNELS(float, 4, f32_4)
GROUP_KERNELS(BFloat16, 8, bf16_8)
