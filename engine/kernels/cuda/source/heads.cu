// Rows of projections as heads of attention, and back; see engine::splitHeads(). A block has a row at a time, of x [rows, heads, size], and each
// of its warps some of the heads; a thread has pairs of elements, which rotate together. `size` is even and at most kWidestHead.
constexpr int kHeadWarps = 4, kPairs = 4, kWidestHead = 2 * kWarp * kPairs;

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

#define HEAD_KERNELS(T, NAME) \
    extern "C" __global__ void splitHeads_##NAME(const T* x, Index rowStride, SplitHeads<T> out, const T* weight, const float* cosines, \
        const float* sines, int tokens, int heads, int size, float scale, float epsilon) \
    { \
        splitHeads<T>(x, rowStride, out, weight, cosines, sines, tokens, heads, size, scale, epsilon); \
    } \
    extern "C" __global__ void splitHeadsBackward_##NAME(SplitHeads<const T> gradient, const T* x, Index xStride, T* dx, Index dxStride, \
        int addsToDx, const T* weight, const float* cosines, const float* sines, float* sums, int rows, int tokens, int heads, int size, \
        float scale, float epsilon) \
    { \
        splitHeadsBackward<T>(gradient, x, xStride, dx, dxStride, addsToDx, weight, cosines, sines, sums, rows, tokens, heads, size, scale, epsilon); \
    }

HEAD_KERNELS(float, f32)
HEAD_KERNELS(BFloat16, bf16)
