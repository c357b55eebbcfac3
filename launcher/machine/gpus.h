// The machine's GPUs and the processes that compute on them.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "launcher/machine/gpu_usage.h"

#include <sys/types.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace launcher {

/// A process that computes on a GPU.
struct GpuProcess {
    pid_t process = 0;
    std::uint64_t bytes = 0;  ///< of the GPU's memory; 0 when the driver does not tell
    std::string program;      ///< "python3"; empty when this machine has no such process, as in a container that does not see the host's
    std::string user;         ///< its owner; empty as above
    std::string run;          ///< id of the run of which it is a rank; empty: none

    /// "a rank of run digits-…, 1.2 GB", "python3 (process 4711 of anna), 12.3 GB".
    std::string words() const;
};

struct Gpu {
    int index = 0;  ///< NVML's
    std::string uuid;
    std::string name;
    std::uint64_t totalBytes = 0, freeBytes = 0;
    std::vector<GpuProcess> processes;
    bool isVisible = true;  ///< false: CUDA_VISIBLE_DEVICES hides it from what this process starts
    GpuLoad now = {};

    std::uint64_t usedBytes() const { return totalBytes - std::min(freeBytes, totalBytes); }  ///< by all programs
};

struct GpuList {
    std::vector<Gpu> gpus;  ///< in NVML's order
    std::string driver;     ///< its version
    std::string problem;    ///< why there are none, or not all, in a few words: "no NVIDIA driver (libnvidia-ml.so.1)"
    bool isDriverBroken = false;
};

/// Asks NVML and /proc. Takes some milliseconds; a driver that is being loaded may take seconds. While a GpuMeter exists, which keeps the
/// driver open, nothing is loaded.
GpuList readGpus();

/// The UUIDs that launch.gpus names, by the rules of visibleGpus() (indices in NVML's order, and unique beginnings); fewer than
/// contract::namedGpus() when the machine does not have them all. Empty when launch.gpus names none or has no effect.
std::vector<std::string> chosenGpus(const contract::Experiment& experiment, const std::vector<std::string>& uuids);

/// The UUIDs of the GPUs on which nobody computes, among those that this process may use, without those that active runs in the folder @p runs have
/// been given: their ranks may not have reached them yet.
std::vector<std::string> freeGpus(const std::filesystem::path& runs);

}  // namespace launcher
