#include "engine/tasks/folder_transformer.h"

#include "engine/lora/adapter_source.h"
#include "engine/models/registry.h"
#include "engine/tasks/engine_options.h"
#include "engine/tasks/folder_weights.h"

#include <vector>

namespace engine {
namespace {

/// Marks all parameters as frozen, so that ranks keep them in the compute dtype only ([Note: frozen parameters] in shard/unit.h).
std::vector<UnitSpec> frozenUnits(const Model& model)
{
    auto specs = model.units();
    for (UnitSpec& unit : specs) {
        for (ParameterSpec& parameter : unit.parameters)
            parameter.isTrained = false;
    }
    return specs;
}

UnitOptions frozenOptions(const contract::Experiment& experiment, Mesh& mesh)
{
    UnitOptions options = unitOptions(experiment, mesh, nullptr);
    options.keepsAverage = false;
    options.storesFrozen = false;
    return options;
}

}  // namespace

FolderTransformer::FolderTransformer(const contract::Experiment& experiment, const contract::ModelFolder& folder, const std::string& component,
    const AdapterInUse& adapter, Mesh& mesh, c10::Device device)
    : m_model(buildTransformer(folder.config(component), {.sequence = sequenceGroups(experiment, mesh)}))
    , m_pool(mesh.shard(), device)
{
    auto specs = frozenUnits(*m_model);
    std::optional<contract::AdapterFile> file;
    if (!adapter.file.empty()) {
        file = contract::readAdapter(adapter.file, linearModules(specs));
        declareAdapters(specs, adapterLayers(*file), {kDefaultAdapter});
    }
    m_units.emplace(std::move(specs), mesh.shard(), m_pool, frozenOptions(experiment, mesh), sequenceOptions(experiment), std::nullopt);
    loadFolderWeights(*m_model, *m_units, mesh, folder.component(component));
    if (file) {
        loadAdapter(*m_units, mesh, *file, kDefaultAdapter);
        m_adapters.emplace(*m_units, adapterLayers(*file), std::vector<std::string> {kDefaultAdapter});
        m_adapters->setWeight(adapter.weight);
    }
    m_scope.emplace(*m_units, Weights::Master);
}

}  // namespace engine
