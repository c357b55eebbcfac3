#include "engine/worker/plan_report.h"

#include "engine/comm/available_memory.h"
#include "engine/comm/errors.h"
#include "engine/comm/gpu_choice.h"
#include "engine/plan/memory_plan.h"
#include "engine/worker/memory.h"

#include <malloc.h>

#include <nlohmann/json.hpp>

namespace engine {
namespace {

bool isForGpus(const contract::Experiment& experiment)
{
    const std::string& device = experiment.text("run.device");
    return device == "cuda" || (device == "auto" && static_cast<std::int64_t>(visibleGpus().size()) >= experiment.integer("launch.ranks"));
}

}  // namespace

std::string planReport(const std::filesystem::path& file)
{
    const auto parsed = contract::loadExperiment(file);
    if (!parsed.problems.empty())
        throw EngineError(EngineError::Kind::WrongUsage, file.string() + ": " + parsed.problems.front().message);
    const contract::Experiment& experiment = parsed.experiment;
    const bool isOnGpus = isForGpus(experiment);
    const PlannedModel planned = plannedModel(experiment, file.parent_path() / "model");
    const std::int64_t available = availableBytes(c10::kCPU);
    const MemoryPlan plan = planMemory(experiment, planned, isOnGpus);
    // Read after the trial passes, because libraries keep what they have prepared for them: kernels made for these shapes, threads,
    // buffers. On a GPU the program itself is in host memory.
    ::malloc_trim(0);
    const std::int64_t program = MemoryMeter().read().residentBytes;

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
    if (plan.encoding > 0)
        add("encoding", plan.encoding, false);
    add("checkpoint", plan.checkpoint, isOnGpus);
    return nlohmann::json({{"v", 1}, {"device", isOnGpus ? "cuda" : "cpu"}, {"ranks", experiment.integer("launch.ranks")},
        {"parameters", plan.parameterCount}, {"trained", plan.trainedCount}, {"checkpoint_bytes", plan.checkpointBytes},
        {"activations_known", plan.activations.has_value()}, {"available_bytes", available}, {"parts", parts}}).dump();
}

}  // namespace engine
