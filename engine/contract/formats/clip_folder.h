// The folder of a CLIP model with both towers, as transformers writes it: CLIPModel.
#pragma once
#include "engine/contract/formats/json_config.h"

#include <filesystem>

namespace contract {

struct ClipFolder {
    std::filesystem::path root;     ///< with config.json and the tokenizer's files
    std::filesystem::path weights;  ///< safetensors file, or the index of several
    JsonConfig config;              ///< config.json
    JsonConfig images;              ///< how images are prepared: preprocessor_config.json, or that part of processor_config.json
};

/// Finds the parts of a model and reads the configurations, but neither the weights nor the tokenizer.
/// @param path as for ModelFolder
/// @throws std::runtime_error in one sentence naming the file and what is wrong with it, or what is missing
ClipFolder openClipFolder(const std::filesystem::path& path);

}  // namespace contract
