#include "tests/bench/processor_peak.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>

namespace bench {
namespace {

#if defined(__x86_64__)

bool processorHas(const std::string& feature)
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("flags"))
            return (line + ' ').find(' ' + feature + ' ') != std::string::npos;
    return false;
}

constexpr long kTurns = 1'000'000;
constexpr int kSums = 24;  // enough that no product waits for another's sum

// NOLINTBEGIN(hicpp-no-assembler): a compiler is free to keep the sums in memory
#define BENCH_TURNS(PRODUCT)                                                                                                                \
    long turns = kTurns;                                                                                                                    \
    asm volatile(".irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25\n"                                             \
                 "vxorps %%zmm\\r, %%zmm\\r, %%zmm\\r\n.endr\n"                                                                             \
                 "1:\n.irp r,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23\n" PRODUCT                                       \
                 " %%zmm24, %%zmm25, %%zmm\\r\n.endr\ndec %0\njnz 1b\n"                                                                     \
                 : "+r"(turns)::"cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11",     \
                 "xmm12", "xmm13", "xmm14", "xmm15", "xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23", "xmm24", "xmm25")

__attribute__((target("avx512f"))) void multiplyFloats() { BENCH_TURNS("vfmadd231ps"); }
__attribute__((target("avx512f,avx512bf16"))) void multiplyPairs() { BENCH_TURNS("vdpbf16ps"); }
// NOLINTEND(hicpp-no-assembler)

#endif

}  // namespace

std::optional<double> peakGflops(bool isBf16)
{
#if defined(__x86_64__)
    if (!processorHas("avx512f") || (isBf16 && (!processorHas("avx512_bf16") || processorHas("amx_bf16"))))
        return std::nullopt;
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::milliseconds(200);
    double best = 0;
    for (auto start = Clock::now(); start < end;) {
        isBf16 ? multiplyPairs() : multiplyFloats();
        const auto now = Clock::now();
        const double operations = double(kTurns) * kSums * (isBf16 ? 64 : 32);
        best = std::max(best, operations / 1e9 / std::chrono::duration<double>(now - start).count());
        start = now;
    }
    return best;
#else
    return std::nullopt;
#endif
}

}  // namespace bench
