// AdamW, the average of the weights and their copy in the compute dtype, of a whole shard in one pass; see engine/optim/adamw_kernel.h.
struct AdamW {
    float keep, stepSize, beta1, oneMinusBeta1, beta2, oneMinusBeta2, inverseRootCorrection2, eps, gradScale, oneMinusEmaDecay;
};

/// @param average, copy null: none
template <typename C, int N>
__device__ void adamW(float* weights, float* average, float* moments1, float* moments2, const float* gradients, C* copy, AdamW c, Index count)
{
    const Index at = (static_cast<Index>(blockIdx.x) * blockDim.x + threadIdx.x) * N;
    if (at >= count)
        return;
    float w[N], m[N], v[N], g[N];
    loadValues<N>(weights + at, w);
    loadValues<N>(moments1 + at, m);
    loadValues<N>(moments2 + at, v);
    loadValues<N>(gradients + at, g);
    for (int i = 0; i < N; ++i) {
        g[i] *= c.gradScale;
        m[i] = c.beta1 * m[i] + c.oneMinusBeta1 * g[i];
        v[i] = c.beta2 * v[i] + c.oneMinusBeta2 * g[i] * g[i];
        w[i] = w[i] * c.keep - c.stepSize * (m[i] / (sqrtf(v[i]) * c.inverseRootCorrection2 + c.eps));
    }
    storeValues<N>(moments1 + at, m);
    storeValues<N>(moments2 + at, v);
    storeValues<N>(weights + at, w);
    if (average) {
        loadValues<N>(average + at, g);
        for (int i = 0; i < N; ++i)
            g[i] += c.oneMinusEmaDecay * (w[i] - g[i]);
        storeValues<N>(average + at, g);
    }
    if (copy)
        storeValues<N>(copy + at, w);
}

#define ADAMW_KERNEL(C, N, NAME) \
    extern "C" __global__ void adamW_##NAME( \
        float* weights, float* average, float* moments1, float* moments2, const float* gradients, C* copy, AdamW c, Index count) \
    { \
        adamW<C, N>(weights, average, moments1, moments2, gradients, copy, c, count); \
    }

ADAMW_KERNEL(float, 4, f32_4)
ADAMW_KERNEL(float, 1, f32_1)
ADAMW_KERNEL(BFloat16, 4, bf16_4)
ADAMW_KERNEL(BFloat16, 1, bf16_1)
