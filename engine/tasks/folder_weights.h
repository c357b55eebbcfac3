// Loads a transformer's weights from a diffusers folder, and an adapter's weights from its file.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/contract/adapters/adapter_file.h"
#include "engine/models/transformer/model.h"

#include <filesystem>
#include <string>

namespace engine {

/// Loads the base weights of a transformer. Each rank reads only the bytes of its own shards. Buffers, such as position
/// tables, are memory-mapped; adapter parameters keep their values. Collective.
/// @param component path of the transformer's folder
/// @throws EngineError, std::runtime_error naming the file and what does not fit the model.
void loadFolderWeights(Model& model, UnitSequence& units, Mesh& mesh, const std::filesystem::path& component);

/// Loads the matrices of adapter @p adapter, which must have been declared with adapterLayers(@p file). Collective.
/// @throws the same errors as loadFolderWeights().
void loadAdapter(UnitSequence& units, Mesh& mesh, const contract::AdapterFile& file, const std::string& adapter);

}  // namespace engine
