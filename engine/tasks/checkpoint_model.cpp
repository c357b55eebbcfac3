#include "engine/tasks/checkpoint_model.h"

#include "engine/checkpoint/checkpoint_loader.h"
#include "engine/comm/errors.h"
#include "engine/contract/checkpoint/checkpoint_manifest.h"
#include "engine/tasks/engine_options.h"

#include <stdexcept>

namespace engine {
namespace {

/// @p experiment with the model of a checkpoint.
contract::Experiment withModelOf(contract::Experiment experiment, const std::filesystem::path& checkpoint)
{
    const contract::CheckpointManifest manifest = contract::readManifest(checkpoint);
    if (manifest.model != "dit")
        throw EngineError(EngineError::Kind::BadCheckpoint, "checkpoint " + checkpoint.string() + ": holds no digits model; choose one that does");
    for (const char* key : {"model.patch", "model.width", "model.depth", "model.heads"}) {
        const auto found = manifest.modelOptions.find(key);
        if (found == manifest.modelOptions.end())
            continue;
        if (const auto problem = experiment.setText(key, found->second))
            throw EngineError(EngineError::Kind::BadCheckpoint, "checkpoint " + checkpoint.string() + ": " + problem->message);
    }
    return experiment;
}

}  // namespace

CheckpointModel::CheckpointModel(
    const std::filesystem::path& checkpoint, contract::Experiment experiment, const DataShape& data, Mesh& mesh, c10::Device device)
    : m_pool(mesh.shard(), device)
{
    experiment = withModelOf(std::move(experiment), checkpoint);
    m_model = buildModel(experiment, data, sequenceGroups(experiment, mesh));
    auto specs = m_model->units();
    for (UnitSpec& unit : specs) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    m_units.emplace(std::move(specs), mesh.shard(), m_pool, unitOptions(experiment, mesh, nullptr), sequenceOptions(experiment), std::nullopt);
    loadCheckpoint(checkpoint, *m_units, mesh, m_model->shapeOptions(), {Contents::Weights, /*isStrict=*/true});
    m_scope.emplace(*m_units, Weights::Master);
}

}  // namespace engine
