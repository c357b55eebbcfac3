// Model FLOPs utilisation (MFU): the share of the device's peak arithmetic rate that a step uses.
#pragma once
#include <optional>
#include <string_view>

namespace engine {

struct Throughput {
    double teraflops = 0;       ///< TFLOP/s per rank for the model's own work; recomputation does not count
    std::optional<double> mfu;  ///< fraction of the peak; nullopt when the peak is unknown
};

/// Computes the throughput of a step. Backward counts as twice the forward pass (Chowdhery et al., 2022, appendix B).
/// @param forwardFlops of the step's forward passes on all ranks together
/// @param seconds duration of the step
/// @param peakTeraflops of one rank's device in the compute dtype; 0 when unknown
Throughput trainingThroughput(
    double forwardFlops, double seconds, int ranks, double peakTeraflops);

/// Returns the dense peak TFLOP/s of a GPU, from the vendor's data sheet; 0 for an unknown GPU.
/// @param gpuName name that the driver reports
double peakTeraflops(std::string_view gpuName, std::string_view computeDtype);

}  // namespace engine
