// Builds the text encoder that a model folder names.
#pragma once
#include "engine/contract/formats/json_config.h"
#include "engine/models/text/text_encoder.h"
#include "engine/weights/weight_lookup.h"

#include <memory>
#include <string>

namespace engine {

/// @param className as in model_index.json, or under "architectures" in the encoder's config.json
/// @throws EngineError for an unknown class, listing the known ones.
/// @throws std::runtime_error for config values that are not supported.
std::unique_ptr<TextEncoder> buildTextEncoder(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

}  // namespace engine
