// Which GPU each rank trains on.
#pragma once
#include "engine/comm/rendezvous.h"

#include <optional>
#include <string>
#include <vector>

namespace engine {

/// The UUIDs of the GPUs that CUDA shows to this process, in the order of CUDA's ordinals: after CUDA_VISIBLE_DEVICES, and within
/// the limits of a container or of Slurm's --gpus-per-task. Empty without a driver. Does not create a CUDA context.
std::vector<std::string> visibleGpus();

/// The ordinal of a rank's GPU among @p visible ≥ 1 GPUs that it sees. Ranks either see all GPUs of their host and take those of
/// their local ranks, or each sees a few of its own.
int gpuOrdinal(int visible, int localRank);

/// Returns why ranks cannot have a GPU each: "rank 1 sees no GPU", "ranks 0 and 1 see the same GPU"; empty when they can.
/// @param chosen the UUID of each rank's GPU; empty where it sees none @param mayShare whether several ranks may have the same one
std::string gpuProblem(const std::vector<std::string>& chosen, bool mayShare = false);

struct GpuChoice {
    std::optional<int> ordinal;  ///< nullopt: the CPU
    std::string notice;          ///< why the CPU is used although this rank sees GPUs; empty otherwise
};

/// The names of options in a message, and what to do.
struct DeviceWords {
    const char* request = "run.device = cuda";
    const char* advice = "lower launch.ranks or set run.device = cpu";
};

/// The device for run.device = @p requested, the same kind on all ranks: auto chooses GPUs when every rank has one of its own.
/// Several ranks may have one GPU where cuda is requested and they exchange through Gloo (Exchange::Gloo).
/// Collective. @throws EngineError when cuda is requested and a rank has no GPU of its own.
GpuChoice chooseGpu(const std::string& requested, const RankIdentity& identity, Rendezvous& rendezvous, const DeviceWords& words = {});

}  // namespace engine
