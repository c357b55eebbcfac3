// A model that begins from nothing, described as a diffusers folder describes one.
#pragma once
#include "engine/contract/experiment.h"

#include <filesystem>

namespace engine {

/// Writes the folder of a pipeline that draws pixels and reads hashed words: model_index.json, transformer/ with the config.json
/// of an SD3Transformer2DModel as the experiment wants it and the tables that stand beside its weights, scheduler/. The
/// weights themselves are the checkpoints'; an export puts both together.
/// @throws std::system_error naming the file, EngineError for sizes that do not fit together.
void describeNewModel(const contract::Experiment& experiment, const std::filesystem::path& folder);

}  // namespace engine
