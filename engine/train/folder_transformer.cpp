#include "engine/train/folder_transformer.h"

#include "engine/model/adapter_source.h"
#include "engine/model/registry.h"
#include "engine/train/folder_weights.h"
#include "engine/train/run_setup.h"

#include <vector>

namespace engine {
namespace {

/// Nothing trains, so that no rank keeps more than the compute dtype ([Note: frozen parameters] in shard/unit.h).
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
    // Ranks of several that share no memory would each hold the whole of it.
    if (mesh.shard().size() == 1 || mesh.shard().sharesMemory())
        m_scope.emplace(*m_units, Weights::Master);
}

}  // namespace engine
