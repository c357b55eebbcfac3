// Model FLOPs utilisation: how much of the processor's arithmetic a step makes use of.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace engine {

struct Throughput {
    double teraflops = 0;       ///< per second and rank, of the model's own work: nothing that is computed again
    std::optional<double> mfu;  ///< part of the peak, where that is known
};

/// Backward costs twice the forward pass (Chowdhery et al., 2022, appendix B).
/// @param forwardFlops of one sample; @param samples of all ranks; @param seconds of the step
/// @param peakTeraflops of one rank's device in the compute dtype; 0 when unknown
Throughput trainingThroughput(
    double forwardFlops, std::int64_t samples, double seconds, int ranks, double peakTeraflops);

/// Dense peak of a GPU by the name that its driver gives, from its maker's data sheet; 0 for one not known here.
double peakTeraflops(std::string_view gpuName, std::string_view computeDtype);

}  // namespace engine
