// Builds the model that an experiment names.
#pragma once
#include "engine/contract/experiment.h"
#include "engine/contract/json_config.h"
#include "engine/model/model.h"
#include "engine/model/sequence_parallel.h"
#include "engine/model/unit_plan.h"

#include <memory>

namespace engine {

/// What the data say about the model.
struct DataShape {
    std::int64_t imageSize = 8;
    std::int64_t channels = 1;
    std::int64_t classes = 10;
};

/// No weights are allocated. @throws EngineError for an unknown model.name, listing the known ones, and see planUnits().
std::unique_ptr<Model> buildModel(
    const contract::Experiment& experiment, const DataShape& data, const SequenceGroups& sequence = {});

/// How a run wants any transformer to lie on its ranks.
struct TransformerSetup {
    WrapPolicy wrap = {};
    SequenceGroups sequence = {};
};

/// The transformer that config.json of a diffusers folder describes, under the names of its checkpoint. No weights are
/// allocated.
/// @throws std::runtime_error for a _class_name or a key that is not known here, naming those that are.
std::unique_ptr<Model> buildTransformer(const contract::JsonConfig& config, const TransformerSetup& setup = {});

}  // namespace engine
