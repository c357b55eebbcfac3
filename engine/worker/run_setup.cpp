#include "engine/worker/run_setup.h"

#include "engine/comm/errors.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/kernels/cuda/launcher.h"
#include "engine/worker/throughput.h"
#include "engine/worker/log.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace engine {
namespace {

Exchange exchangeOf(const std::string& name)
{
    return name == "shared" ? Exchange::SharedMemory : name == "gloo" ? Exchange::Gloo : Exchange::Automatic;
}

/// Must run before CUDA starts, which reads these variables once. Operators without a deterministic implementation warn.
void makeDeterministic()
{
    ::setenv("CUBLAS_WORKSPACE_CONFIG", ":16:8", 1);
    ::setenv("NCCL_ALGO", "Ring", 1);
    ::setenv("NCCL_PROTO", "Simple", 1);
    at::globalContext().setDeterministicAlgorithms(true, true);
    at::globalContext().setDeterministicCuDNN(true);
    at::globalContext().setBenchmarkCuDNN(false);
}

}  // namespace

contract::Experiment loadResolved(const contract::RunFolder& folder, int attempt)
{
    auto parsed = contract::loadExperiment(folder.config(attempt));
    if (!parsed.problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage,
            folder.config(attempt).string() + ": " + parsed.problems.front().message);
    const auto problems = parsed.experiment.validate();
    if (!problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage, problems.front().message);
    return parsed.experiment;
}

Rendezvous openRendezvous(const contract::Experiment& experiment, const RankIdentity& identity)
{
    return {identity, {exchangeOf(experiment.text("engine.exchange")), std::chrono::seconds(experiment.integer("launch.timeout"))}};
}

int threadsOf(const contract::Experiment& experiment, int ranksOfTheHost)
{
    const auto threads = static_cast<int>(experiment.integer("run.threads"));
    return threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / ranksOfTheHost);
}

Compute chooseCompute(
    const contract::Experiment& experiment, const RankIdentity& identity, Rendezvous& rendezvous, const DeviceWords& words)
{
    if (experiment.boolean("run.deterministic"))
        makeDeterministic();
    Compute compute;
    const GpuChoice gpu = chooseGpu(experiment.text("run.device"), identity, rendezvous, words);
    compute.notice = gpu.notice;
    if (gpu.ordinal) {
        compute.accelerator = &loadAccelerator();
        compute.accelerator->setDevice(*gpu.ordinal);
        if (experiment.text("engine.kernels") == "libtorch")
            cuda::setLauncher(nullptr);
        compute.device = c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(*gpu.ordinal));
    }
    at::set_num_threads(threadsOf(experiment, identity.localWorldSize));
    compute.peakTeraflops = experiment.real("run.peak_tflops");
    if (compute.peakTeraflops == 0 && compute.accelerator)
        compute.peakTeraflops
            = peakTeraflops(compute.accelerator->deviceName(), experiment.text("engine.compute_dtype"));
    return compute;
}

namespace {

/// The number of ranks of each host, when it is the same for all and their ranks are consecutive; else 0. Collective.
int ranksOfAHost(const RankIdentity& identity, Rendezvous& rendezvous)
{
    const auto place = [](int firstRank, int ranks) { return std::to_string(firstRank) + " and " + std::to_string(ranks); };
    const auto places = rendezvous.gather("ranks of the host", place(identity.rank - identity.localRank, identity.localWorldSize));
    for (int rank = 0; rank < identity.worldSize; ++rank) {
        if (places[static_cast<std::size_t>(rank)] != place(rank / identity.localWorldSize * identity.localWorldSize, identity.localWorldSize))
            return 0;
    }
    return identity.localWorldSize;
}

}  // namespace

std::unique_ptr<Mesh> joinMesh(
    const contract::Experiment& experiment, const RankIdentity& identity, Rendezvous& rendezvous, Accelerator* accelerator)
{
    std::optional<contract::Problem> problem;
    const int ofAHost = ranksOfAHost(identity, rendezvous);
    const auto shape = contract::meshShape(contract::withHostReplicas(experiment, identity.worldSize, ofAHost), identity.worldSize, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    if (const auto spread = contract::sequenceSpread(experiment, identity.worldSize, ofAHost); !spread.sentence.empty() && identity.rank == 0)
        spread.isSlow ? logWarning(spread.sentence) : logInfo(spread.sentence);
    return rendezvous.join(shape, accelerator);
}

}  // namespace engine
