// Builds the text encoder that a model folder names.
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/text/text_encoder.h"
#include "engine/model/weight_lookup.h"

#include <memory>
#include <string>

namespace engine {

/// @param className as model_index.json or "architectures" of its config.json name it
/// @throws EngineError for a class that is not known, listing the known ones, and for a config that is not.
std::unique_ptr<TextEncoder> buildTextEncoder(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

}  // namespace engine
