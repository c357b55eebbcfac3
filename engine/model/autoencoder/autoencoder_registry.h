// Builds the autoencoder that a model folder names.
#pragma once
#include "engine/contract/json_config.h"
#include "engine/model/autoencoder/autoencoder.h"
#include "engine/model/weight_lookup.h"

#include <memory>
#include <string>

namespace engine {

/// @param className "_class_name" of its config.json
/// @throws EngineError for a class that is not known, listing the known ones, and for a config that is not.
std::unique_ptr<Autoencoder> buildAutoencoder(
    const std::string& className, const contract::JsonConfig& config, std::shared_ptr<const WeightLookup> weights);

}  // namespace engine
