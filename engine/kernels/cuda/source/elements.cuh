// What all kernels are made of: element types, loads and stores of 16 bytes, sums over warps and blocks. These sources are compiled by
// NVRTC, without any header, and as C++ by the tests (tests/engine/kernels/cuda_emulation.h).
using Index = long long;

/// The upper half of a float's bits.
struct BFloat16 {
    unsigned short bits;
};

__device__ inline float valueOf(float x) { return x; }
__device__ inline float valueOf(BFloat16 x) { return __uint_as_float(static_cast<unsigned>(x.bits) << 16); }

__device__ inline void assign(float& to, float value) { to = value; }
/// Rounds to the nearest, ties to even.
__device__ inline void assign(BFloat16& to, float value)
{
#if defined(__CUDA_ARCH__)
    asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(to.bits) : "f"(value));
#else
    const unsigned bits = __float_as_uint(value);
    to.bits = static_cast<unsigned short>(value != value ? 0x7fff : (bits + 0x7fff + ((bits >> 16) & 1)) >> 16);
#endif
}

/// N elements, loaded and stored at once.
template <typename T, int N>
struct alignas(sizeof(T) * N) Vector {
    T at[N];
};

template <int N, typename T>
__device__ inline Vector<T, N> load(const T* from)
{
    return *reinterpret_cast<const Vector<T, N>*>(from);
}

template <int N, typename T>
__device__ inline void loadValues(const T* from, float (&values)[N])
{
    const Vector<T, N> vector = load<N>(from);
    for (int i = 0; i < N; ++i)
        values[i] = valueOf(vector.at[i]);
}

/// The values of floats are loaded 16 bytes at a time whatever N.
template <int N>
__device__ inline void loadValues(const float* from, float (&values)[N])
{
    constexpr int kAtOnce = N < 4 ? N : 4;
    for (int first = 0; first < N; first += kAtOnce) {
        const Vector<float, kAtOnce> vector = load<kAtOnce>(from + first);
        for (int i = 0; i < kAtOnce; ++i)
            values[first + i] = vector.at[i];
    }
}

template <int N, typename T>
__device__ inline void storeValues(T* to, const float (&values)[N])
{
    Vector<T, N> vector;
    for (int i = 0; i < N; ++i)
        assign(vector.at[i], values[i]);
    *reinterpret_cast<Vector<T, N>*>(to) = vector;
}

template <int N>
__device__ inline void storeValues(float* to, const float (&values)[N])
{
    constexpr int kAtOnce = N < 4 ? N : 4;
    for (int first = 0; first < N; first += kAtOnce) {
        Vector<float, kAtOnce> vector;
        for (int i = 0; i < kAtOnce; ++i)
            vector.at[i] = values[first + i];
        *reinterpret_cast<Vector<float, kAtOnce>*>(to + first) = vector;
    }
}

/// Stores the values, or adds them to what is there.
template <int N, typename T>
__device__ inline void storeOrAddValues(T* to, float (&values)[N], int adds)
{
    if (adds) {
        float before[N];
        loadValues<N>(to, before);
        for (int i = 0; i < N; ++i)
            values[i] += before[i];
    }
    storeValues<N>(to, values);
}

constexpr int kWarp = 32;
constexpr int kMostWarps = 32;  ///< of a block

/// The sum over a warp, in each of its threads; always in the same order.
__device__ inline float warpSum(float value)
{
    for (int distance = kWarp / 2; distance > 0; distance /= 2)
        value += __shfl_xor_sync(0xffffffffu, value, distance);
    return value;
}

/// Two sums over a block of whole warps, in each of its threads. @param slots [2 * kMostWarps] shared memory
__device__ inline void blockSums(float& a, float& b, float* slots)
{
    a = warpSum(a);
    b = warpSum(b);
    const int warps = blockDim.x / kWarp, warp = threadIdx.x / kWarp;
    if (warps == 1)
        return;
    __syncthreads();  // the sums before these have been read
    if (threadIdx.x % kWarp == 0) {
        slots[warp] = a;
        slots[kMostWarps + warp] = b;
    }
    __syncthreads();
    a = b = 0;
    for (int i = 0; i < warps; ++i) {
        a += slots[i];
        b += slots[kMostWarps + i];
    }
}

__device__ inline float blockSum(float value, float* slots)
{
    float none = 0;
    blockSums(value, none, slots);
    return value;
}

/// Row r of one sample's: first + r * stride, for all samples the same where stride is 0.
template <typename T>
struct PerSample {
    T* first;
    Index stride;

    __device__ T* of(int sample) const { return first + sample * stride; }
};
