#include "engine/worker/throughput.h"

#include <array>

namespace engine {
namespace {

struct Peak {
    std::string_view name;  ///< substring of the name that the driver reports; more specific names come first
    double bf16, fp32;      ///< tensor cores without sparsity; fp32 without TF32
};
constexpr std::array<Peak, 14> kPeaks = {{{"GB200", 2500, 80}, {"B200", 2250, 75}, {"H200", 989, 67},
    {"H100 PCIe", 756, 51}, {"H100", 989, 67}, {"A100", 312, 19.5}, {"A800", 312, 19.5},
    {"L40S", 362, 91.6}, {"L40", 181, 90.5}, {"L4", 121, 30.3}, {"A6000", 155, 38.7},
    {"RTX 5090", 210, 105}, {"RTX 4090", 165, 82.6}, {"RTX 3090", 71, 35.6}}};

}  // namespace

Throughput trainingThroughput(
    double forwardFlops, double seconds, int ranks, double peakTeraflops)
{
    Throughput result;
    result.teraflops = 3 * forwardFlops / seconds / ranks / 1e12;
    if (peakTeraflops > 0)
        result.mfu = result.teraflops / peakTeraflops;
    return result;
}

double peakTeraflops(std::string_view gpuName, std::string_view computeDtype)
{
    for (const Peak& peak : kPeaks) {
        if (gpuName.find(peak.name) != std::string_view::npos)
            return computeDtype == "fp32" ? peak.fp32 : peak.bf16;
    }
    return 0;
}

}  // namespace engine
