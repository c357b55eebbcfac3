// A transformer's weights from the folder of a diffusers model.
#pragma once
#include "engine/comm/mesh.h"
#include "engine/model/model.h"

#include <filesystem>

namespace engine {

/// Each rank reads the bytes of its own shards; tables beside the weights are mapped. Collective.
/// @param component folder of the transformer
/// @throws EngineError, std::runtime_error naming the file and what does not fit the model.
void loadFolderWeights(Model& model, UnitSequence& units, Mesh& mesh, const std::filesystem::path& component);

}  // namespace engine
