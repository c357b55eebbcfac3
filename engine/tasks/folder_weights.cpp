#include "engine/tasks/folder_weights.h"

#include "engine/lora/adapter_source.h"
#include "engine/weights/weights_loader.h"

#include <set>

namespace engine {

void loadFolderWeights(Model& model, UnitSequence& units, Mesh& mesh, const std::filesystem::path& component)
{
    const auto names = model.bufferNames();
    const std::set<std::string> buffers(names.begin(), names.end());
    const contract::SafetensorsSet files(component);
    const WeightsSource all(files);
    for (const std::string& name : buffers) {
        if (all.has(name))
            model.setBuffer({name, all.view(name)});
    }
    const WeightsSource parameters(files, [&](const std::string& name) { return buffers.contains(name) ? std::string() : name; });
    loadWeights(units, mesh, parameters, /*isStrict=*/true, [](const std::string& name) { return !isOfAdapter(name); });
}

void loadAdapter(UnitSequence& units, Mesh& mesh, const contract::AdapterFile& file, const std::string& adapter)
{
    loadWeights(units, mesh, adapterSource(file, adapter), /*isStrict=*/true, [&](const std::string& name) { return isOfAdapter(name, adapter); });
}

}  // namespace engine
