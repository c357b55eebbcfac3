// How one source is compiled for several processors, and numbers of sixteen bits in memory.
#pragma once
#include <cstdint>

// Compiles loops over single numbers for several processors; the dynamic loader chooses one when the program starts. Kernels that use
// vectors choose by forProcessor() in vector.h.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define ATELIER_MULTIVERSION __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define ATELIER_MULTIVERSION
#endif
#define ATELIER_INLINE inline __attribute__((always_inline))
#define ATELIER_LAMBDA_INLINE __attribute__((always_inline))

namespace engine::cpu {

/// bfloat16 in memory: the upper half of a float.
struct BFloat16 {
    std::uint16_t bits;
};

/// The same memory format on a processor that rounds to it in one instruction instead of seven; used only if
/// hasNativeBFloat16(). Denormal numbers become zeros.
struct NativeBFloat16 {
    std::uint16_t bits;
};

inline bool hasNativeBFloat16()
{
#if defined(__x86_64__)
    static const bool has = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
        && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bf16");
    return has;
#else
    return false;
#endif
}

}  // namespace engine::cpu
