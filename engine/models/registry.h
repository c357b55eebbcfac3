// Builds the model that an experiment or a model folder names.
#pragma once
#include "engine/contract/experiment/experiment.h"
#include "engine/contract/formats/json_config.h"
#include "engine/models/transformer/model.h"
#include "engine/nn/attention/sequence_parallel.h"
#include "engine/nn/unit_plan.h"

#include <memory>

namespace engine {

/// Model sizes that follow from the training data.
struct DataShape {
    std::int64_t imageSize = 8;
    std::int64_t channels = 1;
    std::int64_t classes = 10;
};

/// Builds the model that model.name selects. Allocates no weights.
/// @throws EngineError WrongUsage for an unknown model.name, listing the known ones; and as planUnits().
std::unique_ptr<Model> buildModel(
    const contract::Experiment& experiment, const DataShape& data, const SequenceGroups& sequence = {});

/// How a run distributes a transformer over its ranks.
struct TransformerSetup {
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};
};

/// Builds the transformer that config.json of a diffusers folder describes; its parameters have the checkpoint's names.
/// Allocates no weights.
/// @throws std::runtime_error for an unknown _class_name or key, listing the known ones.
std::unique_ptr<Model> buildTransformer(const contract::JsonConfig& config, const TransformerSetup& setup = {});

}  // namespace engine
