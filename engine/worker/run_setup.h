// Sets up a rank: loads its experiment, chooses device and threads, joins the other ranks.
#pragma once
#include "engine/comm/accelerator.h"
#include "engine/comm/gpu_choice.h"
#include "engine/comm/mesh.h"
#include "engine/comm/rank_identity.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/run/run_folder.h"

#include <memory>
#include <string>

namespace engine {

/// Loads and validates the experiment that attempt @p attempt was started with.
/// @throws EngineError WrongUsage naming the first problem.
contract::Experiment loadResolved(const contract::RunFolder& folder, int attempt);

/// Opens the connection through which ranks agree on devices and join. Blocks until rank 0 listens.
/// @throws EngineError, see Rendezvous.
Rendezvous openRendezvous(const contract::Experiment& experiment, const RankIdentity& identity);

struct Compute {
    Accelerator* accelerator = nullptr;  ///< nullptr on the CPU
    c10::Device device {c10::DeviceType::CPU};
    double peakTeraflops = 0;  ///< of this rank's device in the compute dtype; 0 when unknown
    std::string notice;        ///< why the CPU is used although this rank sees GPUs; empty otherwise
};

/// The threads of a rank on whose host there are so many ranks.
int threadsOf(const contract::Experiment& experiment, int ranksOfTheHost);

/// Chooses the device, and also sets this process's thread count and determinism. Call it before anything computes. Collective.
/// @throws EngineError when the requested device is not available.
Compute chooseCompute(const contract::Experiment& experiment, const RankIdentity& identity, Rendezvous& rendezvous, const DeviceWords& words = {});

/// Joins all ranks. Collective.
/// @throws EngineError, see Rendezvous::join(); WrongUsage for mesh sizes that do not divide the ranks evenly.
std::unique_ptr<Mesh> joinMesh(
    const contract::Experiment& experiment, const RankIdentity& identity, Rendezvous& rendezvous, Accelerator* accelerator);

}  // namespace engine
