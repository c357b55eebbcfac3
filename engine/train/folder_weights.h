// A transformer's weights from the folder of a diffusers model, and an adapter's from its file.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/adapter_file.h"
#include "engine/model/model.h"

#include <filesystem>
#include <string>

namespace engine {

/// Each rank reads the bytes of its own shards; tables beside the weights are mapped, and adapters keep their values.
/// Collective.
/// @param component folder of the transformer
/// @throws EngineError, std::runtime_error naming the file and what does not fit the model.
void loadFolderWeights(Model& model, UnitSequence& units, Mesh& mesh, const std::filesystem::path& component);

/// The matrices of an adapter that was declared with adapterLayers(@p file). Collective.
/// @throws as loadFolderWeights().
void loadAdapter(UnitSequence& units, Mesh& mesh, const contract::AdapterFile& file, const std::string& adapter);

}  // namespace engine
