#include "engine/train/run_setup.h"

#include "engine/comm/errors.h"
#include "engine/comm/rendezvous.h"
#include "engine/contract/batch_shape.h"
#include "engine/train/optimizer.h"
#include "engine/train/throughput.h"

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

contract::UnitSelection selectionOf(const contract::Experiment& experiment, const char* key)
{
    return contract::UnitSelection::parse(experiment.text(key)).value_or(contract::UnitSelection());
}

/// Before CUDA starts, which reads these once. An operator that has no deterministic form warns.
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

at::ScalarType dtypeOf(const std::string& name)
{
    return name == "bf16" ? at::kBFloat16 : name == "fp16" ? at::kHalf : at::kFloat;
}

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

Compute chooseCompute(const contract::Experiment& experiment, const RankIdentity& identity)
{
    if (experiment.boolean("run.deterministic"))
        makeDeterministic();
    Compute compute;
    if (chooseDevice(experiment.text("run.device"), identity.localWorldSize) == c10::DeviceType::CUDA) {
        compute.accelerator = &loadAccelerator();
        compute.accelerator->setDevice(identity.localRank);
        compute.device = c10::Device(c10::DeviceType::CUDA, static_cast<c10::DeviceIndex>(identity.localRank));
    }
    auto threads = static_cast<int>(experiment.integer("run.threads"));
    if (threads == 0)
        threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / identity.localWorldSize);
    at::set_num_threads(threads);
    compute.peakTeraflops = experiment.real("run.peak_tflops");
    if (compute.peakTeraflops == 0 && compute.accelerator)
        compute.peakTeraflops
            = peakTeraflops(compute.accelerator->deviceName(), experiment.text("engine.compute_dtype"));
    return compute;
}

std::unique_ptr<Mesh> joinMesh(
    const contract::Experiment& experiment, const RankIdentity& identity, Accelerator* accelerator)
{
    std::optional<contract::Problem> problem;
    const auto shape = contract::meshShape(experiment, identity.worldSize, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    return joinRanks(identity, shape, accelerator,
        {exchangeOf(experiment.text("engine.exchange")), std::chrono::seconds(experiment.integer("launch.timeout"))});
}

std::int64_t accumulationOf(const contract::Experiment& experiment, int dataRanks)
{
    std::optional<contract::Problem> problem;
    const std::int64_t steps = contract::accumulationSteps(experiment, dataRanks, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    return steps;
}

UnitOptions unitOptions(const contract::Experiment& experiment, Mesh& mesh, const CopyStream* copies)
{
    return {.computeDtype = dtypeOf(experiment.text("engine.compute_dtype")),
        .reduceDtype = dtypeOf(experiment.text("engine.reduce_dtype")),
        .keepsAverage = experiment.real("ema.decay") > 0,
        .stateBlock = stateBlockOf(experiment),
        .replicas = mesh.shape().replicas() > 1 ? &mesh.replicate() : nullptr,
        .regroup = mesh.shape().reshard > 0 ? &mesh.reshard() : nullptr,
        .copies = copies};
}

SequenceOptions sequenceOptions(const contract::Experiment& experiment)
{
    return {.reshardAfterForward = experiment.boolean("engine.reshard_after_forward"),
        .prefetch = experiment.boolean("engine.prefetch"),
        .reducesEachPass = experiment.boolean("engine.reduce_each_pass"),
        .recompute = selectionOf(experiment, "engine.recompute"),
        .keepGathered = selectionOf(experiment, "engine.keep_gathered"),
        .computeInFloat = selectionOf(experiment, "engine.fp32_blocks")};
}

SequenceGroups sequenceGroups(const contract::Experiment& experiment, Mesh& mesh)
{
    return {&mesh.ring(), &mesh.ulysses(), attentionKernelOf(experiment.text("engine.attention"))};
}

std::string attentionNotice(const contract::Experiment& experiment, c10::Device device)
{
    const AttentionKernel asked = attentionKernelOf(experiment.text("engine.attention"));
    const AttentionShape shape {.device = device.type(), .dtype = dtypeOf(experiment.text("engine.compute_dtype"))};
    std::string obstacle = obstacleTo(asked, shape);
    const AttentionKernel ofRing = ringKernel(device.type());
    if (obstacle.empty() && experiment.integer("engine.ring") > 1 && asked != AttentionKernel::Automatic && asked != ofRing)
        obstacle = std::string("over a ring it is ") + nameOf(ofRing) + " whose parts are joined";
    return obstacle.empty() ? obstacle
                            : std::string("engine.attention = ") + nameOf(asked) + " falls back to auto: " + obstacle;
}

void requireKnownUnits(const contract::Experiment& experiment, const std::vector<UnitSpec>& specs)
{
    std::vector<std::string> names;
    for (const UnitSpec& spec : specs)
        names.push_back(spec.name);
    for (const char* key : {"engine.recompute", "engine.keep_gathered", "engine.fp32_blocks"}) {
        if (const auto unknown = selectionOf(experiment, key).unmatched(names); !unknown.empty())
            throw EngineError(EngineError::Kind::WrongUsage, std::string(key) + ": the model has no " + unknown.front()
                    + "; its blocks are " + names[std::min<std::size_t>(1, names.size() - 1)] + " to " + names.back());
    }
}

SamplerOptions samplerOptions(const contract::Experiment& experiment)
{
    return {experiment.integer("sample.steps"), experiment.real("sample.guidance")};
}

Contents contentsOf(const std::string& name) { return name == "weights" ? Contents::Weights : Contents::All; }

RotationPolicy rotationOf(const contract::Experiment& experiment)
{
    constexpr double kBytesPerGb = 1e9;
    return {.keep = experiment.integer("checkpoint.keep"),
        .keepEvery = experiment.integer("checkpoint.keep_every"),
        .keepBest = experiment.integer("checkpoint.keep_best"),
        .bestMetric = experiment.text("checkpoint.best_metric"),
        .isLowerBest = experiment.text("checkpoint.best_is") == "lowest",
        .mostBytes = static_cast<std::uint64_t>(experiment.real("checkpoint.max_gb") * kBytesPerGb)};
}

}  // namespace engine
