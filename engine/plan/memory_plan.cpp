#include "engine/plan/memory_plan.h"

#include "engine/checkpoint/rank_file.h"
#include "engine/comm/errors.h"
#include "engine/comm/mesh.h"
#include "engine/contract/experiment/host_replicas.h"
#include "engine/contract/experiment/slurm_rules.h"
#include "engine/optim/optimizer.h"
#include "engine/plan/activation_trial.h"
#include "engine/plan/plan_group.h"
#include "engine/tasks/engine_options.h"

#include <algorithm>
#include <memory>
#include <optional>

namespace engine {
namespace {

std::unique_ptr<Mesh> meshOfNobody(const contract::Experiment& experiment, bool sharesMemory)
{
    using Axis = contract::MeshShape::Axis;
    std::optional<contract::Problem> problem;
    const auto world = static_cast<int>(experiment.integer("launch.ranks"));
    const int hosts = contract::isForSlurm(experiment) ? static_cast<int>(experiment.integer("slurm.nodes")) : 1;
    const contract::MeshShape shape = contract::meshShape(contract::withHostReplicas(experiment, world, world / hosts), world, problem);
    if (problem)
        throw EngineError(EngineError::Kind::WrongUsage, problem->message);
    auto mesh = std::make_unique<Mesh>(shape, std::make_unique<PlanGroup>(shape.world, sharesMemory));
    for (const Axis axis : {Axis::Shard, Axis::Replicate, Axis::Data, Axis::Ring, Axis::Ulysses, Axis::Reshard}) {
        if (const auto ranks = shape.members(axis, 0).size(); ranks > 1)
            mesh->add(axis, std::make_unique<PlanGroup>(static_cast<int>(ranks), sharesMemory));
    }
    return mesh;
}

std::int64_t bytesOf(const at::Tensor& tensor) { return tensor.defined() ? static_cast<std::int64_t>(tensor.nbytes()) : 0; }

/// What the units do in a step of training, without computing anything.
void passThrough(UnitSequence& units, bool isLast)
{
    units.setLastBackward(isLast);
    units.begin();
    for (std::size_t i = 1; i < units.size(); ++i) {
        units.enter(i);
        units.exit(i, true);
    }
    units.beginBackward();
    for (std::size_t i = units.size(); i-- > 1;) {
        units.beginUnitBackward(i);
        units.endUnitBackward(i);
    }
    units.endBackward();
}

void addShards(UnitSequence& units, MemoryPlan& plan)
{
    for (const Unit* part : units.parts()) {
        plan.parameters += bytesOf(part->master);
        plan.average += bytesOf(part->ema) + bytesOf(part->old) + bytesOf(part->reference);
        plan.gradients += bytesOf(part->gradShard);
        for (const ShardState& state : part->optimizerStates)
            plan.optimizer += bytesOf(state.values);
        for (const ParameterSpec& parameter : part->spec().parameters) {
            plan.parameterCount += parameter.elements();
            plan.trainedCount += parameter.isTrained ? parameter.elements() : 0;
        }
    }
}

/// For gradients in the place of activations of @p peak bytes; in the first step, which needs the most memory.
std::int64_t roomInFirstStep(const UnitSequence& units, std::int64_t peak)
{
    std::int64_t largest = 1;
    for (const Unit* part : units.parts())
        largest = std::max(largest, bytesOf(part->gradShard));
    return static_cast<std::int64_t>(Arena::roomInFirstPass(static_cast<std::size_t>(peak), static_cast<std::size_t>(largest)));
}

}  // namespace

std::int64_t MemoryPlan::trainingBytes() const
{
    return buffers + activations.value_or(0) + (areShardsOnHost ? 0 : parameters + average + gradients + optimizer);
}

MemoryPlan planMemory(const contract::Experiment& experiment, const PlannedModel& planned, bool isOnGpus)
{
    const bool sharesMemory = !isOnGpus && experiment.text("engine.exchange") != "gloo";
    const std::unique_ptr<Mesh> mesh = meshOfNobody(experiment, sharesMemory);
    const int passes = static_cast<int>(accumulationOf(experiment, mesh->shape().data()));
    requireKnownUnits(experiment, planned.units);
    BufferPool pool(mesh->shard(), c10::Device(c10::kMeta));
    UnitOptions options = unitOptions(experiment, *mesh, nullptr);
    options.storesFrozen = planned.storesFrozen;
    options.trainedDtype = planned.trainedDtype;
    UnitSequence units(planned.units, mesh->shard(), pool, options, sequenceOptions(experiment), std::nullopt);
    const auto optimizer = makeOptimizer(experiment, units, mesh->shard());

    MemoryPlan plan;
    addShards(units, plan);
    for (int step = 0; step < 2; ++step) {
        units.zeroGrad();
        if (passes > 1)
            passThrough(units, false);
        passThrough(units, true);
    }
    const auto* const group = dynamic_cast<const PlanGroup*>(&mesh->shard());
    plan.buffers = group ? group->residentBytes() : pool.allocatedBytes();
    plan.areShardsOnHost = isOnGpus && experiment.text("engine.offload") == "shards";

    const Contents contents = contentsOf(experiment.text("checkpoint.save"));
    for (int rank = 0; rank < mesh->shard().size(); ++rank) {
        const auto bytes = static_cast<std::int64_t>(planRankFile(units, contents, rank).bytes);
        plan.checkpoint = std::max(plan.checkpoint, bytes);
        plan.checkpointBytes += bytes;
    }
    if (const auto activations = activationsOf(experiment, planned)) {
        plan.activations = activations->peak;
        const bool isReducedOnce = passes == 1 || !experiment.boolean("engine.reduce_each_pass");
        if (isReducedOnce && !plan.areShardsOnHost)  // see [Note: memory of gradients]
            plan.gradients -= std::min({plan.gradients, activations->retired, roomInFirstStep(units, activations->peak)});
    }
    return plan;
}

}  // namespace engine
