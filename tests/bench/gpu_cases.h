// Whether a GPU is there, which the benchmarks of GPUs need.
#pragma once
#include <filesystem>

namespace bench {

inline bool hasGpu() { return std::filesystem::exists("/dev/nvidiactl"); }

}  // namespace bench
