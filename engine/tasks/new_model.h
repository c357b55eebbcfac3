// Describes an untrained model in the layout of a diffusers folder.
#pragma once
#include "engine/contract/experiment/experiment.h"

#include <filesystem>

namespace engine {

/// Writes the folder of a pipeline that generates pixels directly and encodes prompts as hashed words: model_index.json,
/// scheduler/, and transformer/ with the buffers and the config.json of an SD3Transformer2DModel of the experiment's sizes.
/// Keys are sorted, and lines indented by 4 spaces (row E-010). The trained weights are in the checkpoints only; an export combines
/// both.
/// @throws std::system_error naming the file, EngineError when the experiment's sizes do not fit together.
void describeNewModel(const contract::Experiment& experiment, const std::filesystem::path& folder);

}  // namespace engine
