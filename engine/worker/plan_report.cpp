#include "engine/worker/plan_report.h"

#include "engine/comm/available_memory.h"
#include "engine/comm/errors.h"
#include "engine/comm/gpu_choice.h"
#include "engine/contract/formats/json_text.h"
#include "engine/contract/formats/output_file.h"
#include "engine/plan/cache_plan.h"
#include "engine/plan/encoding_trial.h"
#include "engine/plan/memory_plan.h"
#include "engine/plan/sample_plan.h"
#include "engine/worker/memory.h"
#include "engine/worker/run_setup.h"

#include <ATen/Parallel.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>
#include <utility>

namespace engine {
namespace {

bool isForGpus(const contract::Experiment& experiment)
{
    const std::string& device = experiment.text("run.device");
    return device == "cuda" || (device == "auto" && static_cast<std::int64_t>(visibleGpus().size()) >= experiment.integer("launch.ranks"));
}

contract::Experiment loaded(const std::filesystem::path& file)
{
    auto parsed = contract::loadExperiment(file);
    if (!parsed.problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage, file.string() + ": " + parsed.problems.front().message);
    return std::move(parsed.experiment);
}

/// Bytes that a rank which encodes new data first needs beyond training.
/// @param others what training takes besides @p training in host memory
std::int64_t beyondTraining(
    const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus, std::int64_t training, std::int64_t others)
{
    const std::int64_t before = MemoryMeter().read().residentBytes;
    MemoryMeter::forgetPeak();
    // The kernel's peak includes mapped files, and what is mapped after it would be taken for a part of it.
    std::int64_t resident = 0;
    const EncodingBytes encoding
        = encodingBytes(experiment, planned, isOnGpus, [&] { resident = std::max(resident, MemoryMeter().read().residentBytes); });
    if (isOnGpus)
        return encoding.wanted - training;
    const std::int64_t peak = std::max(MemoryMeter().read().peakBytes, resident) + encoding.wanted - encoding.tried;
    MemoryMeter::releaseFreed();
    const std::int64_t kept = MemoryMeter().read().residentBytes - before;  // the libraries' kernels for the encoders, and decoders
    return std::max(kept, peak - others - training);
}

std::string reportOf(const contract::Experiment& experiment, const std::filesystem::path& scratch, const std::filesystem::path& cache)
{
    const bool isOnGpus = isForGpus(experiment);
    at::set_num_threads(threadsOf(experiment, static_cast<int>(experiment.integer("launch.ranks"))));  // each has buffers of its own
    const PlannedModel planned = plannedModel(experiment, scratch);
    const std::int64_t available = availableBytes(c10::kCPU);
    const MemoryPlan plan = planMemory(experiment, planned, isOnGpus);
    // Read after the trial passes, because libraries keep what they have prepared for them: kernels made for these shapes, threads,
    // buffers. On a GPU the program itself is in host memory.
    MemoryMeter::releaseFreed();
    const std::int64_t program = MemoryMeter().read().residentBytes;
    const std::int64_t beyond = beyondTraining(experiment, planned, isOnGpus, plan.trainingBytes(), program + plan.checkpoint);

    auto parts = nlohmann::json::array();
    const auto add = [&](const char* name, std::int64_t bytes, bool isOnHost) {
        parts.push_back({{"name", name}, {"bytes", bytes}, {"host", isOnHost}});
    };
    add("program", program, isOnGpus);
    add("parameters", plan.parameters, plan.areShardsOnHost);
    add("average", plan.average, plan.areShardsOnHost);
    add("gradients", plan.gradients, plan.areShardsOnHost);
    add("optimizer", plan.optimizer, plan.areShardsOnHost);
    add("buffers", plan.buffers, false);
    if (plan.activations)
        add("activations", *plan.activations, false);
    if (planned.pipeline && beyond > 0)
        add("encoding", beyond, false);
    const CacheBytes encoded = cacheBytes(experiment, planned, scratch, cache);
    if (encoded.kept > 0)
        add("features", encoded.kept, isOnGpus);
    add("checkpoint", plan.checkpoint, isOnGpus);
    return contract::jsonText(nlohmann::json({{"v", 1}, {"device", isOnGpus ? "cuda" : "cpu"}, {"ranks", experiment.integer("launch.ranks")},
        {"parameters", plan.parameterCount}, {"trained", plan.trainedCount}, {"checkpoint_bytes", plan.checkpointBytes}, {"sample_bytes", sampleBytes(experiment, planned)},
        {"cache_bytes", encoded.lacking},
        {"activations_known", plan.activations.has_value()}, {"available_bytes", available}, {"parts", parts}}));
}

}  // namespace

std::string planReport(const std::filesystem::path& file, const std::filesystem::path& cache)
{
    return reportOf(loaded(file), file.parent_path() / "model", cache);
}

void writePlan(const std::filesystem::path& file, const std::filesystem::path& to, int ranks, const std::string& device)
{
    contract::Experiment experiment = loaded(file);
    for (const auto& problem : {experiment.set("launch.ranks", std::int64_t {ranks}), experiment.set("run.device", device)}) {
        if (problem)
            throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    }
    const std::filesystem::path scratch = to.string() + ".model";
    const std::string report = reportOf(experiment, scratch, {});  // all is encoded by then
    std::error_code ignored;
    std::filesystem::remove_all(scratch, ignored);
    contract::writeFileAtomically(to, report);
}

}  // namespace engine
